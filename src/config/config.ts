/** The environment to one frozen configuration. Every mistake is collected, and all are told in one message. */
import { BlockList, isIP } from 'node:net';
import { resolve } from 'node:path';
import {
  type Database,
  describeStorage,
  isPostgresUrl,
  masked,
  readDatabase,
  readOrigin,
  readStorage,
  type Storage,
  sqliteAt,
} from './urls.ts';

const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  readonly database: Database;
  readonly storage: Storage;
  /** An origin, or undefined for the one that the client called. */
  readonly publicUrl: string | undefined;
  readonly apiPrefixes: readonly string[];
  /** Undefined: kept in a file of the data folder, made when it is missing. */
  readonly linkKeys: readonly string[] | undefined;
  readonly linkLifetime: number;
  readonly rateLimit: boolean;
  /** Undefined: the limit is kept in memory. */
  readonly redisUrl: string | undefined;
  readonly trustedProxies: BlockList;
  readonly logLevel: LogLevel;
}

type Environment = Record<string, string | undefined>;

/** Says in one message all that is wrong with the environment. */
export class ConfigError extends Error {}

const MIN_KEY_LENGTH = 16;
/** S3 signs links for a week; default links may live up to five minutes longer than they must. */
const MAX_S3_LIFETIME = 7 * 86_400 - 300;

export function readConfig(environment: Environment): Config {
  const problems: string[] = [];
  /** The parsed value of a variable, or its default when it is unset or empty. */
  const read = <T>(name: string, fallback: T, parse: (text: string) => T): T => {
    const text = environment[name]?.trim();
    if (!text) return fallback;
    try {
      return parse(text);
    } catch (error) {
      problems.push(`${name}: ${(error as Error).message}`);
      return fallback;
    }
  };
  const dataDir = resolve(environment.DATA_DIR || './data');
  const readUrls = read<string[]>('DATABASE_READ_URLS', [], postgresUrls);
  const connections = read('DATABASE_CONNECTIONS', 10, wholeNumber(1, 1000));
  const database = read('DATABASE_URL', sqliteAt(resolve(dataDir, 'zukan.db')), (text) =>
    readDatabase(text, readUrls, connections),
  );
  if (database.engine === 'sqlite' && readUrls.length > 0)
    problems.push('DATABASE_READ_URLS: are for PostgreSQL; name its primary in DATABASE_URL');
  const config: Config = {
    host: read('HOST', '127.0.0.1', (text) => text),
    port: read('PORT', 3000, wholeNumber(0, 65_535)),
    dataDir,
    database,
    storage: read<Storage>('FILES_URL', { engine: 'folder', path: resolve(dataDir, 'files') }, (text) =>
      readStorage(text, environment),
    ),
    publicUrl: read<string | undefined>('PUBLIC_URL', undefined, readOrigin),
    apiPrefixes: read('API_PREFIXES', ['/api', '/v1'], prefixes),
    linkKeys: read<string[] | undefined>('LINK_KEYS', undefined, keys),
    linkLifetime: read('LINK_LIFETIME', 3600, wholeNumber(1, 365 * 86_400)),
    rateLimit: read('RATE_LIMIT', true, onOrOff),
    redisUrl: read<string | undefined>('REDIS_URL', undefined, redisUrl),
    trustedProxies: read('TRUSTED_PROXIES', new BlockList(), addresses),
    logLevel: read('LOG_LEVEL', 'info', logLevel),
  };
  if (config.storage.engine === 's3' && config.linkLifetime > MAX_S3_LIFETIME)
    problems.push(
      `LINK_LIFETIME: with FILES_URL=s3://… at most ${MAX_S3_LIFETIME}: S3 signs links for a week`,
    );
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return Object.freeze(config);
}

/** What `zukan config` shows: the value in effect of each variable, without secrets. */
export function describeConfig(config: Config): Record<string, string> {
  return {
    HOST: config.host,
    PORT: String(config.port),
    DATA_DIR: config.dataDir,
    ...describeDatabase(config.database),
    FILES_URL: describeStorage(config.storage),
    PUBLIC_URL: config.publicUrl ?? '(the address that the client called)',
    API_PREFIXES: config.apiPrefixes.join(','),
    LINK_KEYS: config.linkKeys?.map(() => '***').join(',') ?? '(kept in DATA_DIR)',
    LINK_LIFETIME: String(config.linkLifetime),
    RATE_LIMIT: config.rateLimit ? 'on' : 'off',
    REDIS_URL: (config.redisUrl && masked(config.redisUrl)) ?? '(in memory)',
    TRUSTED_PROXIES: config.trustedProxies.rules.join(',') || '(none)',
    LOG_LEVEL: config.logLevel,
  };
}

function describeDatabase(database: Database): Record<string, string> {
  if (database.engine === 'sqlite') return { DATABASE_URL: `sqlite:${database.path}` };
  return {
    DATABASE_URL: masked(database.url),
    DATABASE_READ_URLS: database.readUrls.map(masked).join(',') || '(none)',
    DATABASE_CONNECTIONS: String(database.connections),
  };
}

function fail(reason: string): never {
  throw new Error(reason);
}

const wholeNumber = (least: number, most: number) => (text: string) => {
  const number = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
  return number >= least && number <= most ? number : fail(`must be a whole number from ${least} to ${most}`);
};

function postgresUrls(text: string): string[] {
  const urls = split(text);
  return urls.every(isPostgresUrl)
    ? urls
    : fail('must be addresses such as postgres://user:password@replica/zukan');
}

function prefixes(text: string): string[] {
  const list = [...new Set(split(text))];
  const wrong = list.filter((prefix) => !/^(\/[A-Za-z0-9._~-]+)+$/.test(prefix));
  if (list.length === 0 || wrong.length > 0) fail('must be paths such as /api,/v1');
  const nested = list.find((prefix) => list.some((other) => prefix.startsWith(`${other}/`)));
  if (nested) fail(`${nested} lies inside of another prefix`);
  const taken = list.find((prefix) =>
    /^\/(docs|docs\.css|files|gallery|health|metrics|openapi\.json)(\/|$)/.test(prefix),
  );
  return taken ? fail(`${taken} is used for something else`) : list;
}

export const isLinkKey = (key: string): boolean => key.length >= MIN_KEY_LENGTH;

function keys(text: string): string[] {
  const list = split(text);
  return list.length > 0 && list.every(isLinkKey)
    ? list
    : fail(`each key needs at least ${MIN_KEY_LENGTH} characters`);
}

function onOrOff(text: string): boolean {
  return text === 'on' || (text === 'off' ? false : fail('must be on or off'));
}

function redisUrl(text: string): string {
  const protocol = URL.parse(text)?.protocol ?? '';
  return /^rediss?:$/.test(protocol) ? text : fail('must be an address such as redis://127.0.0.1:6379');
}

function logLevel(text: string): LogLevel {
  return logLevels.find((level) => level === text) ?? fail(`must be one of ${logLevels.join(', ')}`);
}

function addresses(text: string): BlockList {
  const list = new BlockList();
  for (const entry of split(text)) {
    const [address = '', bits, ...more] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    const most = family === 'ipv6' ? 128 : 32;
    if (!isIP(address) || more.length > 0) fail(`"${entry}" is no address or CIDR block`);
    if (bits === undefined) list.addAddress(address, family);
    else if (/^[0-9]{1,3}$/.test(bits) && Number(bits) <= most) list.addSubnet(address, Number(bits), family);
    else fail(`"${entry}" has no prefix length from 0 to ${most}`);
  }
  return list;
}

function split(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

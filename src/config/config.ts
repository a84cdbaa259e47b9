/** Reads the environment into one frozen configuration. One error lists everything that is wrong. */
import { BlockList } from 'node:net';
import { resolve } from 'node:path';
import { SITE_TEXTS, type SiteField, siteParsers } from '../lib/site-texts.ts';
import {
  availableCores,
  type Database,
  defaultCacheMb,
  describeNetworks,
  describeStorage,
  fail,
  isPostgresUrl,
  MAX_CACHE_MB,
  maskSecrets,
  parseDatabase,
  parseInteger,
  parseNetworks,
  parseOrigin,
  parseStorage,
  type Read,
  type Storage,
  split,
  splitWords,
  sqliteDatabase,
} from './values.ts';

export interface Config extends ImportConfig, LogConfig {
  readonly host: string;
  readonly port: number;
  /** Threads that serve. */
  readonly workers: number;
  /** Memory for image documents, shared by the workers. */
  readonly cacheMb: number;
  readonly dataDir: string;
  readonly database: Database;
  /** No setting. Allows commands to upgrade a catalogue that an older version made, and is called before. */
  readonly onMigration?: (() => void) | undefined;
  readonly storage: Storage;
  /** The origin of file links; undefined: the origin that the client called. */
  readonly publicUrl: string | undefined;
  readonly apiPrefixes: readonly string[];
  /** The ratings that calls without `nsfw` return. */
  readonly apiRatings: SiteConfig['ratings'];
  /** Undefined: read from a file in the data folder, which is created if missing. */
  readonly linkKeys: readonly string[] | undefined;
  readonly linkLifetime: number;
  /** In seconds: of the pictures in link previews. */
  readonly previewLifetime: number;
  /** Whether pages, previews and feeds link to pictures by addresses that last. */
  readonly lastingLinks: boolean;
  /** The sizes of thumbnails, smallest first; none if they are off. */
  readonly thumbnails: readonly number[];
  /** How long changes, and removed pictures, are kept. */
  readonly historyDays: number;
  readonly trashDays: number;
  /** Requests per second and client. */
  readonly rateLimit: number | 'off';
  /** Networks without a rate limit. */
  readonly rateLimitExempt: BlockList;
  /** Undefined: each process limits on its own. */
  readonly redisUrl: string | undefined;
  readonly redisPrefix: string;
  readonly trustedProxies: BlockList;
  /** May read the metrics and the details of the readiness check. */
  readonly metricsAllow: BlockList;
  readonly site: SiteConfig;
}

export type Environment = Record<string, string | undefined>;

/** The message has one line for each variable that is wrong. */
export class ConfigError extends Error {}

const MIN_KEY_LENGTH = 16;
const MAX_DAYS = 100_000;
const MAX_RATE = 1000;
/** How many thumbnails of each image there may be. */
const MAX_SIZES = 8;
const MIN_SIZE = 16;
const MAX_SIZE = 8192;
const LOOPBACK = '127.0.0.0/8,::1';
/** S3 signs links for at most a week, and links live up to five minutes longer than configured. */
const MAX_S3_LIFETIME = 7 * 86_400 - 300;
const MAX_LIFETIME = 365 * 86_400;

export function readConfig(
  environment: Environment,
  checkImportOptions: CheckImportOptions = () => {},
): Config {
  const problems: string[] = [];
  const read: Read = (name, fallback, parse) => {
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
  const readUrls = read<string[]>('DATABASE_READ_URLS', [], parsePostgresUrls);
  const connections = read('DATABASE_CONNECTIONS', 10, parseInteger(1, 1000));
  const database = read('DATABASE_URL', sqliteDatabase(resolve(dataDir, 'zukan.db')), (text) =>
    parseDatabase(text, readUrls, connections),
  );
  if (database.engine === 'sqlite' && readUrls.length > 0)
    problems.push('DATABASE_READ_URLS: only for PostgreSQL; set DATABASE_URL to the primary');
  const storage = read<Storage>('FILES_URL', { engine: 'folder', path: resolve(dataDir, 'files') }, (text) =>
    parseStorage(text, environment),
  );
  const parseLifetime = lifetimeParser(storage);
  const config: Config = {
    host: read('HOST', '127.0.0.1', (text) => text),
    port: read('PORT', 3000, parseInteger(0, 65_535)),
    workers: read('WORKERS', availableCores(), parseInteger(1, 256)),
    cacheMb: read('CACHE_MB', defaultCacheMb(), parseInteger(1, MAX_CACHE_MB)),
    dataDir,
    database,
    storage,
    ...readImporting(read, checkImportOptions),
    publicUrl: read<string | undefined>('PUBLIC_URL', undefined, parseOrigin),
    apiPrefixes: read('API_PREFIXES', ['/api', '/v1'], parsePrefixes),
    apiRatings: read<SiteConfig['ratings']>('API_RATINGS', ratings, parseRatings),
    linkKeys: read<string[] | undefined>('LINK_KEYS', undefined, parseKeys),
    linkLifetime: read('LINK_LIFETIME', 3600, parseLifetime),
    previewLifetime: read('PREVIEW_LIFETIME', MAX_S3_LIFETIME, parseLifetime),
    lastingLinks: read('LASTING_LINKS', true, parseSwitch),
    thumbnails: read('THUMBNAILS', [480, 960, 1600], parseSizes),
    historyDays: read('HISTORY_DAYS', 365, parseInteger(0, MAX_DAYS)),
    trashDays: read('TRASH_DAYS', 30, parseInteger(0, MAX_DAYS)),
    rateLimit: read<number | 'off'>('RATE_LIMIT', 1, parseRate),
    rateLimitExempt: read('RATE_LIMIT_EXEMPT', new BlockList(), parseNetworks),
    redisUrl: read<string | undefined>('REDIS_URL', undefined, parseRedisUrl),
    redisPrefix: read('REDIS_PREFIX', 'zukan', parseRedisPrefix),
    trustedProxies: read('TRUSTED_PROXIES', new BlockList(), parseNetworks),
    metricsAllow: read('METRICS_ALLOW', parseNetworks(LOOPBACK), parseNetworks),
    site: readSite(read),
    ...readLog(read),
  };
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return Object.freeze(config);
}

/** The effective value of each variable, secrets masked, for `zukan config`. */
export function describeConfig(config: Config): Record<string, string> {
  return {
    HOST: config.host,
    PORT: String(config.port),
    WORKERS: String(config.workers),
    CACHE_MB: String(config.cacheMb),
    DATA_DIR: config.dataDir,
    ...describeDatabase(config.database),
    FILES_URL: describeStorage(config.storage),
    ...describeImporting(config),
    PUBLIC_URL: config.publicUrl ?? '(the address the client called)',
    API_PREFIXES: config.apiPrefixes.join(','),
    API_RATINGS: config.apiRatings.join(','),
    LINK_KEYS: config.linkKeys?.map(() => '***').join(',') ?? '(generated in DATA_DIR)',
    LINK_LIFETIME: String(config.linkLifetime),
    PREVIEW_LIFETIME: String(config.previewLifetime),
    LASTING_LINKS: config.lastingLinks ? 'on' : 'off',
    THUMBNAILS: config.thumbnails.join(',') || 'off',
    HISTORY_DAYS: String(config.historyDays),
    TRASH_DAYS: String(config.trashDays),
    RATE_LIMIT: String(config.rateLimit),
    RATE_LIMIT_EXEMPT: describeNetworks(config.rateLimitExempt),
    REDIS_URL: (config.redisUrl && maskSecrets(config.redisUrl)) ?? '(in memory)',
    REDIS_PREFIX: config.redisPrefix,
    TRUSTED_PROXIES: describeNetworks(config.trustedProxies),
    METRICS_ALLOW: describeNetworks(config.metricsAllow),
    ...describeSite(config.site),
    ...describeLog(config),
  };
}

function describeDatabase(database: Database): Record<string, string> {
  if (database.engine === 'sqlite') return { DATABASE_URL: `sqlite:${database.path}` };
  return {
    DATABASE_URL: maskSecrets(database.url),
    DATABASE_READ_URLS: database.readUrls.map(maskSecrets).join(',') || '(none)',
    DATABASE_CONNECTIONS: String(database.connections),
  };
}

function parsePostgresUrls(text: string): string[] {
  const urls = split(text);
  return urls.every(isPostgresUrl)
    ? urls
    : fail('must be a list of URLs such as postgres://user:password@replica/zukan');
}

function parsePrefixes(text: string): string[] {
  const list = [...new Set(split(text))];
  const wrong = list.filter((prefix) => !/^(\/|(\/[A-Za-z0-9._~-]+)+)$/.test(prefix));
  if (list.length === 0 || wrong.length > 0) fail('must be paths such as /api,/v1');
  const nested = list.find((prefix) => list.some((other) => prefix.startsWith(`${other}/`)));
  if (nested) fail(`${nested} is inside another prefix`);
  const reserved = list.find((prefix) =>
    /^\/(docs|docs\.css|docs\.js|feed\.json|feed\.xml|files|gallery|health|metrics|openapi\.json)(\/|$)/.test(
      prefix,
    ),
  );
  if (reserved) fail(`${reserved} is reserved; choose another prefix`);
  const endpoint = list.find((prefix) =>
    /^\/(album|artist|category|character|image|search|stats|token)(\/|$)/.test(prefix),
  );
  if (list.includes('/') && endpoint)
    fail(`${endpoint} is an endpoint of the API at /; choose another prefix`);
  return list;
}

const lifetimeParser = (storage: Storage) => (text: string) => {
  const seconds = parseInteger(1, MAX_LIFETIME)(text);
  return storage.engine === 's3' && seconds > MAX_S3_LIFETIME
    ? fail(`must be at most ${MAX_S3_LIFETIME} with FILES_URL=s3://…; S3 signs links for at most a week`)
    : seconds;
};

export const isLinkKey = (key: string): boolean => key.length >= MIN_KEY_LENGTH;

function parseKeys(text: string): string[] {
  const list = split(text);
  return list.length > 0 && list.every(isLinkKey)
    ? list
    : fail(`each key must have at least ${MIN_KEY_LENGTH} characters`);
}

function parseSizes(text: string): number[] {
  if (text === 'off') return [];
  const sizes = split(text).map((size) => (/^[0-9]{1,5}$/.test(size) ? Number(size) : 0));
  const distinct = [...new Set(sizes)].sort((a, b) => a - b);
  const isValid = distinct.every((size) => size >= MIN_SIZE && size <= MAX_SIZE);
  return isValid && distinct.length > 0 && distinct.length <= MAX_SIZES
    ? distinct
    : fail(`must be off, or up to ${MAX_SIZES} lengths in pixels from ${MIN_SIZE} to ${MAX_SIZE}`);
}

/** A fraction is refused: the headers that announce the limit count whole requests per second. */
function parseSwitch(text: string): boolean {
  return text === 'on' || (text !== 'off' && fail('must be on or off'));
}

function parseRate(text: string): number | 'off' {
  if (text === 'off') return 'off';
  const rate = text === 'on' ? 1 : /^[0-9]{1,4}$/.test(text) ? Number(text) : 0;
  return rate >= 1 && rate <= MAX_RATE
    ? rate
    : fail(`must be on, off or a whole number of requests per second from 1 to ${MAX_RATE}`);
}

function parseRedisUrl(text: string): string {
  const protocol = URL.parse(text)?.protocol ?? '';
  return /^rediss?:$/.test(protocol) ? text : fail('must be a URL such as redis://127.0.0.1:6379');
}

function parseRedisPrefix(text: string): string {
  return /^[A-Za-z0-9._:-]{1,64}$/.test(text) ? text : fail('must be up to 64 letters, digits and . _ : -');
}

interface ImportConfig {
  /** What `zukan serve` imports when it starts. */
  readonly importOnStart: string | undefined;
  /** The options of that import, as words of a command line. */
  readonly importOptions: readonly string[];
  /** The rating of imported pictures that nothing marks as explicit or safe. */
  readonly defaultRating: (typeof ratings)[number];
}

/** Throws what is wrong with the words of IMPORT_OPTIONS: only the command line knows its options. */
type CheckImportOptions = (words: string[]) => void;

function readImporting(read: Read, check: CheckImportOptions): ImportConfig {
  return {
    importOnStart: read<string | undefined>('IMPORT_ON_START', undefined, (text) => resolve(text)),
    importOptions: read<string[]>('IMPORT_OPTIONS', [], (text) => {
      const words = splitWords(text);
      check(words);
      return words;
    }),
    defaultRating: read<ImportConfig['defaultRating']>('DEFAULT_RATING', 'sfw', parseRating),
  };
}

function describeImporting(config: ImportConfig): Record<string, string> {
  const { importOnStart, importOptions, defaultRating } = config;
  return {
    IMPORT_ON_START: importOnStart ?? '(nothing)',
    IMPORT_OPTIONS: importOptions.join(' ') || '(none)',
    DEFAULT_RATING: defaultRating,
  };
}

function parseRating(text: string): ImportConfig['defaultRating'] {
  return ratings.find((rating) => rating === text) ?? fail(`must be one of ${ratings.join(', ')}`);
}

const levels = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof levels)[number];
const formats = ['json', 'text'] as const;

interface LogConfig {
  readonly logLevel: LogLevel;
  readonly logFormat: (typeof formats)[number];
}

function readLog(read: Read): LogConfig {
  return {
    logLevel: read<LogLevel>('LOG_LEVEL', 'info', oneOf(levels)),
    logFormat: read<LogConfig['logFormat']>('LOG_FORMAT', 'json', oneOf(formats)),
  };
}

function describeLog({ logLevel, logFormat }: LogConfig): Record<string, string> {
  return { LOG_LEVEL: logLevel, LOG_FORMAT: logFormat };
}

const oneOf =
  <T extends string>(values: readonly T[]) =>
  (text: string): T =>
    values.find((value) => value === text) ?? fail(`must be one of ${values.join(', ')}`);

// The variables that make the gallery one's own, and where to report its images.

const ratings = ['sfw', 'questionable', 'nsfw'] as const;

interface SiteConfig {
  /** Those that variables say. */
  readonly fixed: readonly SiteField[];
  readonly name: string;
  /** The path of a picture; undefined: none. */
  readonly logo: string | undefined;
  /** `#rrggbb`; undefined: that of the stylesheet. */
  readonly accent: string | undefined;
  /** The ratings that the gallery shows until the visitor chooses others. */
  readonly ratings: readonly (typeof ratings)[number][];
  /** Where to report an image, with `{id}` in place of its id; undefined: nowhere. ASCII only. */
  readonly reportUrl: string | undefined;
  /** A sentence; empty if there is none. */
  readonly description: string;
  /** Such as to the imprint. */
  readonly links: readonly { name: string; url: string }[];
  /** Of what states none itself, as one text (lib/licence.ts); empty if there is none. */
  readonly licence: string;
  /** Whether crawlers are asked to train no models with it. */
  readonly refusesTraining: boolean;
}

const MAX_URL_LENGTH = 2048;
const ID = '{id}';
/** Stands for the id while the URL is parsed, which would escape the braces. */
const SAMPLE_ID = '00000000-0000-4000-8000-000000000000';

function readSite(read: Read): SiteConfig {
  return {
    fixed: (Object.keys(SITE_TEXTS) as SiteField[]).filter((field) =>
      read(SITE_TEXTS[field], false, () => true),
    ),
    name: read('SITE_NAME', 'zukan', siteParsers.name),
    logo: read<string | undefined>('SITE_LOGO', undefined, (text) => resolve(text)),
    accent: read<string | undefined>('SITE_ACCENT', undefined, parseColour),
    ratings: read<SiteConfig['ratings']>('SITE_RATINGS', ratings, parseRatings),
    reportUrl: read<string | undefined>('REPORT_URL', undefined, parseReportUrl),
    description: read('SITE_DESCRIPTION', '', siteParsers.description),
    links: read<SiteConfig['links']>('SITE_LINKS', [], siteParsers.links),
    licence: read('SITE_LICENCE', '', siteParsers.licence),
    refusesTraining: read('AI_TRAINING', false, (text) =>
      text === 'no' ? true : fail('must be no; leave it out to state nothing'),
    ),
  };
}

function describeSite(site: SiteConfig): Record<string, string> {
  const { name, logo, accent, ratings, reportUrl, description, links, licence, refusesTraining } = site;
  return {
    SITE_NAME: name,
    SITE_LOGO: logo ?? '(none)',
    SITE_ACCENT: accent ?? '(vermilion)',
    SITE_RATINGS: ratings.join(','),
    REPORT_URL: reportUrl ?? '(none)',
    SITE_DESCRIPTION: description || '(none)',
    SITE_LINKS: links.map(({ name, url }) => `${name}=${url}`).join(', ') || '(none)',
    SITE_LICENCE: licence || '(none)',
    AI_TRAINING: refusesTraining ? 'no' : '(nothing stated)',
  };
}

function parseColour(text: string): string {
  const [, digits = ''] = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text) ?? [];
  if (digits === '') fail('must be a colour such as #2f6f8f');
  return `#${(digits.length === 3 ? digits.replaceAll(/./g, '$&$&') : digits).toLowerCase()}`;
}

/** In the usual order. */
function parseRatings(text: string): SiteConfig['ratings'] {
  const names = split(text);
  const isValid = names.length > 0 && names.every((name) => ratings.some((rating) => rating === name));
  return isValid
    ? ratings.filter((rating) => names.includes(rating))
    : fail(`must be a list of ${ratings.join(', ')}`);
}

function parseReportUrl(text: string): string {
  const url = URL.parse(text.replaceAll(ID, SAMPLE_ID));
  const isValid =
    text.includes(ID) && text.length <= MAX_URL_LENGTH && /^(https?|mailto):$/.test(url?.protocol ?? '');
  return url && isValid
    ? url.href.replaceAll(SAMPLE_ID, ID)
    : fail(`must be a URL with ${ID} in it, such as https://example.org/report?image=${ID} or mailto:…`);
}

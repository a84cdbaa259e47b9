/** Reads the environment into one frozen configuration. One error lists everything that is wrong. */
import { BlockList } from 'node:net';
import { resolve } from 'node:path';
import { SITE_FIELDS, SITE_TEXTS, type SiteLink, siteParsers } from '../lib/site-texts.ts';
import {
  availableCores,
  type Database,
  defaultCacheMb,
  describeDatabase,
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
  type Storage,
  split,
  splitWords,
  sqliteDatabase,
} from './values.ts';

export interface Config extends ReturnType<typeof readConfig> {
  /** No setting. Allows commands to upgrade a catalogue that an older version made, and is called before. */
  readonly onMigration?: (() => void) | undefined;
}
export type Environment = Record<string, string | undefined>;

/** The message has one line for each variable that is wrong. */
export class ConfigError extends Error {}

/** Throws what is wrong with the words of IMPORT_OPTIONS: only the command line knows its options. */
type CheckImportOptions = (words: string[]) => void;

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

const ratings = ['sfw', 'questionable', 'nsfw'] as const;
const levels = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof levels)[number];
const formats = ['json', 'text'] as const;

export function readConfig(environment: Environment, checkImportOptions: CheckImportOptions = () => {}) {
  const problems: string[] = [];
  /** The effective value of each variable, secrets masked, for `zukan config`. */
  const described: Record<string, string> = {};
  const textOf = (name: string) => environment[name]?.trim();
  /** Unset or empty, a variable has its default. */
  const read = <T, D>(
    name: string,
    fallback: D,
    parse: (text: string) => T,
    describe: (value: T | D) => string = String,
  ): T | D => {
    const text = textOf(name);
    let value: T | D = fallback;
    try {
      if (text) value = parse(text);
    } catch (error) {
      problems.push(`${name}: ${(error as Error).message}`);
    }
    described[name] = describe(value);
    return value;
  };
  const serving = {
    host: read('HOST', '127.0.0.1', String),
    port: read('PORT', 3000, parseInteger(0, 65_535)),
    /** Threads that serve. */
    workers: read('WORKERS', availableCores(), parseInteger(1, 256)),
    /** Memory for image documents, shared by the workers. */
    cacheMb: read('CACHE_MB', defaultCacheMb(), parseInteger(1, MAX_CACHE_MB)),
  };
  // The current folder may be gone, and is looked up only where it is needed.
  const dataDir = resolve(textOf('DATA_DIR') || 'data');
  described.DATA_DIR = dataDir;
  let database = read<Database, Database>(
    'DATABASE_URL',
    sqliteDatabase(resolve(dataDir, 'zukan.db')),
    parseDatabase,
    describeDatabase,
  );
  const readUrls = read<string[], string[]>('DATABASE_READ_URLS', [], parsePostgresUrls, (urls) =>
    orNone(urls.map(maskSecrets)),
  );
  const connections = read('DATABASE_CONNECTIONS', 10, parseInteger(1, 1000));
  if (database.engine === 'sqlite') {
    if (readUrls.length > 0)
      problems.push('DATABASE_READ_URLS: only for PostgreSQL; set DATABASE_URL to the primary');
    delete described.DATABASE_READ_URLS;
    delete described.DATABASE_CONNECTIONS;
  } else database = { ...database, readUrls, connections };
  const storage = read<Storage, Storage>(
    'FILES_URL',
    { engine: 'folder', path: resolve(dataDir, 'files') },
    (text) => parseStorage(text, environment),
    describeStorage,
  );
  const parseLifetime = lifetimeParser(storage);
  const config = {
    described,
    ...serving,
    dataDir,
    database,
    storage,
    /** What `zukan serve` imports when it starts. */
    importOnStart: read('IMPORT_ON_START', undefined, (text) => resolve(text), orElse('(nothing)')),
    /** The options of that import, as words of a command line. */
    importOptions: read<string[], string[]>(
      'IMPORT_OPTIONS',
      [],
      (text) => {
        const words = splitWords(text);
        checkImportOptions(words);
        return words;
      },
      (words) => orNone(words.join(' ')),
    ),
    /** The rating of imported pictures that nothing marks as explicit or safe. */
    defaultRating: read('DEFAULT_RATING', 'sfw' as const, oneOf(ratings)),
    /** The origin of file links; undefined: the origin that the client called. */
    publicUrl: read('PUBLIC_URL', undefined, parseOrigin, orElse('(the address the client called)')),
    apiPrefixes: read('API_PREFIXES', ['/api', '/v1'], parsePrefixes),
    /** The ratings that calls without `nsfw` return. */
    apiRatings: read('API_RATINGS', ratings, parseRatings),
    /** Undefined: read from a file in the data folder, which is created if missing. */
    linkKeys: read(
      'LINK_KEYS',
      undefined,
      parseKeys,
      (keys) => keys?.map(() => '***').join() ?? '(generated in DATA_DIR)',
    ),
    linkLifetime: read('LINK_LIFETIME', 3600, parseLifetime),
    /** In seconds: of the pictures in link previews. */
    previewLifetime: read('PREVIEW_LIFETIME', MAX_S3_LIFETIME, parseLifetime),
    /** Whether pages, previews and feeds link to pictures by addresses that last. */
    lastingLinks: read('LASTING_LINKS', true, parseSwitch, (isOn) => (isOn ? 'on' : 'off')),
    /** The sizes of thumbnails, smallest first; none if they are off. */
    thumbnails: read('THUMBNAILS', [480, 960, 1600], parseSizes, orElse('off')),
    /** How long changes, and removed pictures, are kept. */
    historyDays: read('HISTORY_DAYS', 365, parseInteger(0, MAX_DAYS)),
    trashDays: read('TRASH_DAYS', 30, parseInteger(0, MAX_DAYS)),
    /** Requests per second and client. */
    rateLimit: read('RATE_LIMIT', 1, parseRate),
    /** Networks without a rate limit. */
    rateLimitExempt: read('RATE_LIMIT_EXEMPT', new BlockList(), parseNetworks, describeNetworks),
    /** Undefined: each process limits on its own. */
    redisUrl: read(
      'REDIS_URL',
      undefined,
      parseRedisUrl,
      (url) => (url && maskSecrets(url)) ?? '(in memory)',
    ),
    redisPrefix: read('REDIS_PREFIX', 'zukan', parseRedisPrefix),
    trustedProxies: read('TRUSTED_PROXIES', new BlockList(), parseNetworks, describeNetworks),
    /** May read the metrics and the details of the readiness check. */
    metricsAllow: read('METRICS_ALLOW', parseNetworks(LOOPBACK), parseNetworks, describeNetworks),
    /** What makes the gallery one's own, and where to report its images. */
    site: {
      /** Those that variables say. */
      fixed: SITE_FIELDS.filter((field) => textOf(SITE_TEXTS[field])),
      name: read('SITE_NAME', 'zukan', siteParsers.name),
      /** The path of a picture; undefined: none. */
      logo: read('SITE_LOGO', undefined, (text) => resolve(text), orNone),
      /** `#rrggbb`; undefined: that of the stylesheet. */
      accent: read('SITE_ACCENT', undefined, parseColour, orElse('(vermilion)')),
      /** The ratings that the gallery shows until the visitor chooses others. */
      ratings: read('SITE_RATINGS', ratings, parseRatings),
      /** Where to report an image, with `{id}` in place of its id; undefined: nowhere. ASCII only. */
      reportUrl: read('REPORT_URL', undefined, parseReportUrl, orNone),
      /** A sentence; empty if there is none. */
      description: read('SITE_DESCRIPTION', '', siteParsers.description, orNone),
      /** Such as to the imprint. */
      links: read<readonly SiteLink[], readonly SiteLink[]>('SITE_LINKS', [], siteParsers.links, (links) =>
        orNone(links.map(({ name, url }) => `${name}=${url}`).join(', ')),
      ),
      /** Of what states none itself, as one text (lib/licence.ts); empty if there is none. */
      licence: read('SITE_LICENCE', '', siteParsers.licence, orNone),
      /** Whether crawlers are asked to train no models with it. */
      refusesTraining: read(
        'AI_TRAINING',
        false,
        (text) => text === 'no' || fail('must be no; leave it out to state nothing'),
        (isRefused) => (isRefused ? 'no' : '(nothing stated)'),
      ),
    },
    logLevel: read('LOG_LEVEL', 'info' as const, oneOf(levels)),
    logFormat: read('LOG_FORMAT', 'json' as const, oneOf(formats)),
  };
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return Object.freeze(config);
}

/** Describes a value, or nothing and an empty one as this. */
const orElse = (absent: string) => (value: unknown) => String(value ?? '') || absent;
const orNone = orElse('(none)');

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

function parseSwitch(text: string): boolean {
  return text === 'on' || (text !== 'off' && fail('must be on or off'));
}

/** A fraction is refused: the headers that announce the limit count whole requests per second. */
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

const oneOf =
  <T extends string>(values: readonly T[]) =>
  (text: string): T =>
    values.find((value) => value === text) ?? fail(`must be one of ${values.join(', ')}`);

const MAX_URL_LENGTH = 2048;
const ID = '{id}';
/** Stands for the id while the URL is parsed, which would escape the braces. */
const SAMPLE_ID = '00000000-0000-4000-8000-000000000000';

function parseColour(text: string): string {
  const [, digits = ''] = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text) ?? [];
  if (digits === '') fail('must be a colour such as #2f6f8f');
  return `#${(digits.length === 3 ? digits.replaceAll(/./g, '$&$&') : digits).toLowerCase()}`;
}

/** In the usual order. */
function parseRatings(text: string): readonly (typeof ratings)[number][] {
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

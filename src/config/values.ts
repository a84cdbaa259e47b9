/** How values of variables are read: numbers, addresses, the credentials of S3, and defaults that follow the machine. */
import { BlockList, isIP } from 'node:net';
import { availableParallelism, homedir, totalmem } from 'node:os';
import { resolve } from 'node:path';

// Parsers that several variables share. They throw the reason why a value is wrong.

export function fail(reason: string): never {
  throw new Error(reason);
}

export const parseInteger = (min: number, max: number) => (text: string) => {
  const number = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
  return number >= min && number <= max ? number : fail(`must be a whole number from ${min} to ${max}`);
};

export function split(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** The words of a command line. Quotes keep spaces together, as in a shell; nothing else has a meaning. */
export function splitWords(text: string): string[] {
  if (!/^(?:[^\s'"]|'[^']*'|"[^"]*"|\s)*$/.test(text)) fail('a quotation mark is missing');
  const words = text.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? [];
  return words.map((word) => word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}

export function parseNetworks(text: string): BlockList {
  const list = new BlockList();
  for (const entry of split(text)) {
    const [address = '', bits, ...more] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    const maxBits = family === 'ipv6' ? 128 : 32;
    if (!isIP(address) || more.length > 0) fail(`"${entry}" is not an IP address or CIDR block`);
    if (bits === undefined) list.addAddress(address, family);
    else if (/^[0-9]{1,3}$/.test(bits) && Number(bits) <= maxBits)
      list.addSubnet(address, Number(bits), family);
    else fail(`"${entry}" must have a prefix length from 0 to ${maxBits}`);
  }
  return list;
}

/** A rule reads "Subnet: IPv4 10.0.0.0/8". */
export function describeNetworks({ rules }: BlockList): string {
  return rules.map((rule) => rule.split(' ').at(-1)).join(',') || '(none)';
}

// Which credentials of S3 to use, decided by the usual AWS_* variables.

export type CredentialSource =
  | {
      from: 'environment';
      accessKeyId: string;
      secretAccessKey: string;
      sessionToken: string | undefined;
      /** In milliseconds since 1970, if somebody says when. */
      expires: number | undefined;
    }
  /** The shared credentials file. */
  | { from: 'file'; path: string; profile: string }
  /** A token in a file, which Kubernetes replaces, and the role that it allows. */
  | { from: 'webIdentity'; tokenFile: string; role: string; session: string; endpoint: string }
  | { from: 'container'; url: string; token: string | undefined; tokenFile: string | undefined }
  /** The file at its usual path if it exists, or else the role of the instance. */
  | { from: 'machine'; path: string; profile: string; endpoint: string };

type Environment = Record<string, string | undefined>;

const CONTAINER_ORIGIN = 'http://169.254.170.2';
const INSTANCE_ORIGIN = 'http://169.254.169.254';
/** The services of Amazon that may send credentials without TLS. They are on the machine itself. */
const linkLocalHosts = ['169.254.170.2', '169.254.170.23', '[fd00:ec2::23]'];

function parseCredentials(environment: Environment, region: string, home: string): CredentialSource {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = environment;
  const { AWS_PROFILE, AWS_SHARED_CREDENTIALS_FILE } = environment;
  if (AWS_ACCESS_KEY_ID || AWS_SECRET_ACCESS_KEY) {
    if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY)
      return fail('requires both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
    return {
      from: 'environment',
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      sessionToken: AWS_SESSION_TOKEN || undefined,
      expires: parseExpiration(environment.AWS_CREDENTIAL_EXPIRATION),
    };
  }
  const profile = AWS_PROFILE || 'default';
  const path = AWS_SHARED_CREDENTIALS_FILE || `${home}/.aws/credentials`;
  if (AWS_PROFILE || AWS_SHARED_CREDENTIALS_FILE) return { from: 'file', path, profile };
  return parseService(environment, region) ?? parseMachine(environment, path, profile);
}

function parseService(environment: Environment, region: string): CredentialSource | undefined {
  const { AWS_WEB_IDENTITY_TOKEN_FILE, AWS_ROLE_ARN, AWS_ROLE_SESSION_NAME } = environment;
  if (AWS_WEB_IDENTITY_TOKEN_FILE && AWS_ROLE_ARN) {
    const amazon = `https://sts.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
    return {
      from: 'webIdentity',
      tokenFile: AWS_WEB_IDENTITY_TOKEN_FILE,
      role: AWS_ROLE_ARN,
      session: AWS_ROLE_SESSION_NAME || 'zukan',
      endpoint: environment.AWS_ENDPOINT_URL_STS || amazon,
    };
  }
  const { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: path, AWS_CONTAINER_CREDENTIALS_FULL_URI: url } =
    environment;
  if (!path && !url) return undefined;
  return {
    from: 'container',
    url: path ? CONTAINER_ORIGIN + path : checkContainerUrl(url as string),
    token: environment.AWS_CONTAINER_AUTHORIZATION_TOKEN || undefined,
    tokenFile: environment.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE || undefined,
  };
}

function parseMachine(environment: Environment, path: string, profile: string): CredentialSource {
  const { AWS_EC2_METADATA_DISABLED, AWS_EC2_METADATA_SERVICE_ENDPOINT } = environment;
  if (AWS_EC2_METADATA_DISABLED?.toLowerCase() === 'true') return { from: 'file', path, profile };
  const endpoint = (AWS_EC2_METADATA_SERVICE_ENDPOINT || INSTANCE_ORIGIN).replace(/\/+$/, '');
  return { from: 'machine', path, profile, endpoint };
}

/** Anybody on the way could read credentials that come without TLS from another machine. */
function checkContainerUrl(text: string): string {
  const url = URL.parse(text);
  const isLocal =
    url && (/^(localhost|127\.[0-9.]+|\[::1\])$/.test(url.hostname) || linkLocalHosts.includes(url.hostname));
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal)) return text;
  return fail('AWS_CONTAINER_CREDENTIALS_FULL_URI must start with https://, or lead to this machine');
}

function parseExpiration(text: string | undefined): number | undefined {
  if (!text) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? fail('AWS_CREDENTIAL_EXPIRATION must be a date and time') : time;
}

// Parses DATABASE_URL, FILES_URL and PUBLIC_URL.

export type Database =
  /** Tokens are in a separate file next to the database. */
  | { engine: 'sqlite'; path: string; tokensPath: string }
  | { engine: 'postgres'; url: string; readUrls: readonly string[]; connections: number };

export type Storage =
  | { engine: 'folder'; path: string }
  | {
      engine: 's3';
      bucket: string;
      /** The prefix of every key in the bucket: empty, or ends with a slash. */
      prefix: string;
      region: string;
      /** The origin of an S3-compatible server other than Amazon's. */
      endpoint: string | undefined;
      credentials: CredentialSource;
    };

export function sqliteDatabase(path: string): Database {
  return { engine: 'sqlite', path, tokensPath: path.replace(/(\.[^./\\]*)?$/, '-tokens.db') };
}

/** Without the variables that apply to PostgreSQL only. */
export function parseDatabase(text: string): Database {
  const path = /^sqlite:(.+)$/.exec(text)?.[1];
  if (path) return sqliteDatabase(resolve(path));
  if (isPostgresUrl(text)) return { engine: 'postgres', url: text, readUrls: [], connections: 0 };
  throw new Error('must be "sqlite:" and a path, or a URL such as postgres://user:password@host:5432/zukan');
}

export const describeDatabase = (database: Database): string =>
  database.engine === 'sqlite' ? `sqlite:${database.path}` : maskSecrets(database.url);

export function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:$/.test(URL.parse(text)?.protocol ?? '');
}

/** Parses a folder, or `s3://bucket/prefix?endpoint=…&region=…` together with the usual AWS_* variables. */
export function parseStorage(text: string, environment: Environment): Storage {
  // One letter is a drive of Windows.
  if (!/^[a-z0-9]{2,}:/i.test(text)) return { engine: 'folder', path: resolve(text) };
  const url = URL.parse(text);
  if (url?.protocol !== 's3:' || !/^[a-z0-9][a-z0-9.-]+$/.test(url.hostname))
    throw new Error('must be a folder, or s3://bucket/prefix?endpoint=https://…&region=…');
  const unknown = [...url.searchParams.keys()].filter((name) => name !== 'endpoint' && name !== 'region');
  if (unknown.length > 0)
    throw new Error(`unknown parameter ${unknown.join(', ')}; only endpoint and region are supported`);
  const { AWS_REGION, AWS_DEFAULT_REGION, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL } = environment;
  const endpoint = url.searchParams.get('endpoint') || AWS_ENDPOINT_URL_S3 || AWS_ENDPOINT_URL;
  const region = url.searchParams.get('region') || AWS_REGION || AWS_DEFAULT_REGION || 'us-east-1';
  const prefix = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, '');
  return {
    engine: 's3',
    bucket: url.hostname,
    prefix: prefix && `${prefix}/`,
    region,
    endpoint: endpoint ? parseEndpoint(endpoint) : undefined,
    credentials: parseCredentials(environment, region, environment.HOME || homedir()),
  };
}

function parseEndpoint(text: string): string {
  try {
    return parseOrigin(text);
  } catch (error) {
    throw new Error(`the endpoint ${(error as Error).message}`);
  }
}

/** The FILES_URL in effect, without credentials. */
export function describeStorage(storage: Storage): string {
  if (storage.engine === 'folder') return storage.path;
  const { bucket, prefix, region, endpoint } = storage;
  const parameters = new URLSearchParams({ ...(endpoint && { endpoint }), region });
  return `s3://${bucket}/${prefix}?${parameters}`;
}

/** Parameters that are shown. Others may be passwords, keys or paths of keys. */
const shownParameters = new Set(['application_name', 'connect_timeout', 'host', 'port', 'sslmode']);

/** Masks the credentials of a URL and most of its parameters, or everything if it is unclear where the credentials end. */
export function maskSecrets(text: string): string {
  const url = URL.parse(text);
  const [scheme = ''] = /^[a-z]+:\/\//i.exec(text) ?? [];
  if (!url || !scheme) return `${scheme}***`;
  const { username, password, host, pathname, searchParams, search, hash } = url;
  // A password with an unescaped "/", "?" or "#" ends the host early, so that the rest of it is parsed as a path.
  if (`${pathname}${search}`.includes('@') || hash !== '') return `${scheme}***`;
  const credentials = username || password ? '***@' : '';
  const parameters = Array.from(searchParams, ([name, value]) =>
    shownParameters.has(name) ? `${name}=${value}` : `${name}=***`,
  );
  return `${scheme}${credentials}${host}${pathname}${parameters.length > 0 ? `?${parameters.join('&')}` : ''}`;
}

export function parseOrigin(text: string): string {
  const url = URL.parse(text);
  const isOrigin = url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  // The message does not repeat the value, which may contain a password.
  if (!isOrigin) throw new Error('must be an origin such as https://pictures.example.org');
  return url.origin;
}

// Defaults that follow the machine, or the limits of the container.

const MB = 1024 * 1024;
const MIN_DEFAULT_CACHE_MB = 32;
/** The cache addresses its memory in words of four bytes by 32-bit numbers. */
export const MAX_CACHE_MB = 16_000;
const MAX_DEFAULT_WORKERS = 256;

export function availableCores(): number {
  return Math.min(availableParallelism(), MAX_DEFAULT_WORKERS);
}

/** A tenth of the memory that this process may use. */
export function defaultCacheMb(available = availableMemory()): number {
  return Math.min(MAX_CACHE_MB, Math.max(MIN_DEFAULT_CACHE_MB, Math.floor(available / 10 / MB)));
}

function availableMemory(): number {
  // 0 if it is unknown, and more than the machine has if there is no limit.
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/** Parses DATABASE_URL, FILES_URL and PUBLIC_URL. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { type CredentialSource, parseCredentials } from './credentials.ts';

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

type Environment = Record<string, string | undefined>;

export function sqliteDatabase(path: string): Database {
  return { engine: 'sqlite', path, tokensPath: path.replace(/(\.[^./\\]*)?$/, '-tokens.db') };
}

/** `readUrls` and `connections` apply to PostgreSQL only. */
export function parseDatabase(text: string, readUrls: string[], connections: number): Database {
  const path = /^sqlite:(.+)$/.exec(text)?.[1];
  if (path) return sqliteDatabase(resolve(path));
  if (isPostgresUrl(text)) return { engine: 'postgres', url: text, readUrls, connections };
  throw new Error('must be "sqlite:" and a path, or a URL such as postgres://user:password@host:5432/zukan');
}

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

/** Credentials of S3. Temporary ones are refreshed before they expire, by one refresh at a time. */
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { CredentialSource } from '../../config/values.ts';
import type { Clock, StartTimer } from '../../lib/clock.ts';

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
  /** In milliseconds since 1970; undefined if they do not expire, or nobody says when. */
  expires?: number | undefined;
}

/** Where requests and links get their credentials from. */
export interface CredentialProvider {
  /** The last ones that were loaded, for links, which are signed without waiting. They may have expired. */
  readonly latest: Credentials | undefined;
  get(): Promise<Credentials>;
  /** S3 rejected these. Returns others, if there are any by now. */
  replace(rejected: Credentials): Promise<Credentials | undefined>;
  /** Refreshes them in the background, for links. Returns a function that stops it. */
  keepFresh(): () => void;
}

export const fixedCredentials = (credentials: Credentials): CredentialProvider => ({
  latest: credentials,
  get: async () => credentials,
  replace: async () => undefined,
  keepFresh: () => () => {},
});

interface RefreshOptions {
  load: () => Promise<Credentials>;
  clock?: Clock;
  startTimer?: StartTimer;
  /** Called when a refresh fails while the credentials are still valid, and in the background. */
  onFailure?: (error: Error) => void;
}

/** Services issue new credentials at least five minutes before the old ones expire; most do it earlier. */
const REFRESH_BEFORE_MS = 600_000;
/** A file that does not say when its credentials expire may change at any time. */
const MAX_AGE_MS = 60_000;
/** Credentials that S3 rejects are not loaded more often than this. */
const MIN_AGE_MS = 5000;
/** Between two attempts while the credentials are valid. */
const RETRY_MS = 30_000;
/** The longest time that Node can wait for. */
const MAX_TIMER_MS = 2_147_483_647;

const startBackgroundTimer: StartTimer = (milliseconds, onElapsed) => {
  const timer = setTimeout(onElapsed, milliseconds).unref();
  return () => clearTimeout(timer);
};

export class RefreshedCredentials implements CredentialProvider {
  latest: Credentials | undefined;
  readonly #onFailure: (error: Error) => void;
  readonly #load: () => Promise<Credentials>;
  readonly #clock: Clock;
  readonly #startTimer: StartTimer;
  #refreshing: Promise<Credentials> | undefined;
  #loadedAt = 0;
  /** When to load them again. */
  #dueAt = 0;

  constructor(options: RefreshOptions) {
    this.#load = options.load;
    this.#clock = options.clock ?? Date.now;
    this.#startTimer = options.startTimer ?? startBackgroundTimer;
    this.#onFailure = options.onFailure ?? (() => {});
  }

  async get(): Promise<Credentials> {
    const { latest } = this;
    if (latest && this.#clock() < this.#dueAt && !this.#isExpired(latest)) return latest;
    try {
      return await this.#refresh();
    } catch (error) {
      if (!latest || this.#isExpired(latest)) throw error;
      this.#onFailure(error as Error);
      return latest;
    }
  }

  async replace(rejected: Credentials): Promise<Credentials | undefined> {
    // Another request may have replaced them meanwhile. Those of a moment ago are rejected for another reason.
    const isLatest = this.latest === rejected;
    if (isLatest && this.#clock() - this.#loadedAt < MIN_AGE_MS) return undefined;
    const credentials = isLatest ? await this.#refresh() : await this.get();
    return credentials.accessKeyId === rejected.accessKeyId &&
      credentials.secretAccessKey === rejected.secretAccessKey &&
      credentials.sessionToken === rejected.sessionToken
      ? undefined
      : credentials;
  }

  keepFresh(): () => void {
    let stopTimer: (() => void) | undefined;
    const schedule = () => {
      const delay = Math.min(MAX_TIMER_MS, Math.max(1000, this.#dueAt - this.#clock()));
      stopTimer = this.#startTimer(delay, async () => {
        await this.get().catch(this.#onFailure);
        if (stopTimer) schedule();
      });
    };
    schedule();
    return () => {
      stopTimer?.();
      stopTimer = undefined;
    };
  }

  #isExpired({ expires }: Credentials): boolean {
    return expires !== undefined && expires <= this.#clock();
  }

  #refresh(): Promise<Credentials> {
    this.#refreshing ??= this.#loadOnce().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #loadOnce(): Promise<Credentials> {
    // If it fails, or gives the same credentials once more, the next attempt comes later.
    this.#loadedAt = this.#clock();
    this.#dueAt = this.#loadedAt + RETRY_MS;
    const credentials = await this.#load();
    if (this.#isExpired(credentials)) throw new Error('the credentials have expired');
    const [now, { expires }] = [this.#clock(), credentials];
    const dueAt = expires === undefined ? now + MAX_AGE_MS : expires - REFRESH_BEFORE_MS;
    this.#dueAt = Math.max(now + RETRY_MS, dueAt);
    this.latest = credentials;
    return credentials;
  }
}

// Loads credentials from where AWS puts them: a file, or a service on the machine or in the container.

type Source<From> = Extract<CredentialSource, { from: From }>;

/** Elsewhere than on an instance, nothing may respond at the address of its metadata. */
const TIMEOUT_MS = 2000;
const MAX_ATTEMPTS = 3;
const RETRY_DELAY_MS = 200;
const MAX_BYTES = 65_536;
const TOKEN_LIFETIME_SECONDS = 21_600;

export type CredentialOptions = Pick<RefreshOptions, 'clock' | 'onFailure'>;

export function openCredentials(
  source: CredentialSource,
  options: CredentialOptions = {},
): CredentialProvider {
  if (source.from === 'environment') return fixedCredentials(source);
  return new RefreshedCredentials({ ...options, load: () => load(source) });
}

function load(source: Exclude<CredentialSource, Source<'environment'>>): Promise<Credentials> {
  if (source.from === 'file') return fromFile(source.path, source.profile);
  if (source.from === 'webIdentity') return fromWebIdentity(source);
  return source.from === 'container' ? fromContainer(source) : fromMachine(source);
}

async function fromMachine({ path, profile, endpoint }: Source<'machine'>): Promise<Credentials> {
  try {
    return await fromFile(path, profile);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return fromInstance(endpoint).catch((error) => {
    throw new Error(
      `set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or create ${path}; this machine has no role either (${error.message})`,
    );
  });
}

async function fromFile(path: string, profile: string): Promise<Credentials> {
  const section = parseSections(await readText(path)).get(profile);
  if (!section) throw new Error(`${path} has no profile "${profile}"; set AWS_PROFILE to one that it has`);
  const [accessKeyId, secretAccessKey] = [section.aws_access_key_id, section.aws_secret_access_key];
  if (!accessKeyId || !secretAccessKey)
    throw new Error(`the profile "${profile}" in ${path} lacks aws_access_key_id or aws_secret_access_key`);
  // Tools that write temporary credentials also write one of these.
  const expires = section.aws_expiration ?? section.x_security_token_expires;
  return {
    accessKeyId,
    secretAccessKey,
    sessionToken: section.aws_session_token || undefined,
    expires: expires ? parseTime(expires, path) : undefined,
  };
}

/** The parts of an INI file. */
function parseSections(text: string): Map<string, Record<string, string>> {
  const sections = new Map<string, Record<string, string>>();
  let current: Record<string, string> = {};
  for (const line of text.split(/\r?\n/)) {
    const [, name] = /^\s*\[\s*([^\]]+?)\s*\]/.exec(line) ?? [];
    const [, key, value] = /^\s*([A-Za-z_]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name !== undefined) {
      current = {};
      sections.set(name, current);
    } else if (key !== undefined && value !== undefined) current[key.toLowerCase()] = value;
  }
  return sections;
}

async function fromContainer({ url, token, tokenFile }: Source<'container'>): Promise<Credentials> {
  // The file is replaced now and then.
  const authorization = tokenFile === undefined ? token : (await readText(tokenFile)).trim();
  return parseCredentials(await request(url, { headers: authorization ? { authorization } : {} }), url);
}

/** Version 2 of the metadata service: the address of a role, with a token that only a PUT returns. */
async function fromInstance(endpoint: string): Promise<Credentials> {
  const token = await request(`${endpoint}/latest/api/token`, {
    method: 'PUT',
    headers: { 'x-aws-ec2-metadata-token-ttl-seconds': String(TOKEN_LIFETIME_SECONDS) },
  });
  const headers = { 'x-aws-ec2-metadata-token': token };
  const roles = `${endpoint}/latest/meta-data/iam/security-credentials/`;
  const [role = ''] = (await request(roles, { headers })).split('\n');
  if (role === '') throw new Error(`the instance has no role (${roles})`);
  const url = roles + encodeURIComponent(role.trim());
  return parseCredentials(await request(url, { headers }), url);
}

async function fromWebIdentity(source: Source<'webIdentity'>): Promise<Credentials> {
  const { tokenFile, role, session, endpoint } = source;
  const body = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: role,
    RoleSessionName: session,
    WebIdentityToken: (await readText(tokenFile)).trim(),
  });
  const xml = await request(endpoint, { method: 'POST', body, headers: { accept: 'application/xml' } });
  const element = (name: string) => new RegExp(`<${name}>([^<]+)</${name}>`).exec(xml)?.[1];
  const fields = {
    AccessKeyId: element('AccessKeyId'),
    SecretAccessKey: element('SecretAccessKey'),
    Token: element('SessionToken'),
    Expiration: element('Expiration'),
  };
  return toCredentials(fields, endpoint);
}

function parseCredentials(text: string, url: string): Credentials {
  try {
    return toCredentials(JSON.parse(text), url);
  } catch (error) {
    // The text of a syntax error would contain part of the secret.
    throw error instanceof SyntaxError ? new Error(`${url} sent no valid credentials`) : error;
  }
}

function toCredentials(fields: Record<string, unknown>, url: string): Credentials {
  const { AccessKeyId, SecretAccessKey, Token, Expiration } = fields;
  const texts = [AccessKeyId, SecretAccessKey, Token, Expiration];
  if (!texts.every((text) => typeof text === 'string' && text !== ''))
    throw new Error(`${url} sent no valid credentials`);
  const [accessKeyId, secretAccessKey, sessionToken, expires] = texts as [string, string, string, string];
  return { accessKeyId, secretAccessKey, sessionToken, expires: parseTime(expires, url) };
}

function parseTime(text: string, origin: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time))
    throw new Error(`${origin}: the expiration of the credentials is not a date and time`);
  return time;
}

async function readText(path: string): Promise<string> {
  const text = await readFile(path, 'utf8');
  if (text.length > MAX_BYTES) throw new Error(`${path} is larger than ${MAX_BYTES} bytes`);
  return text;
}

/** No response, or one that says that the server has a problem. */
class Retryable extends Error {}

async function request(url: string, init: RequestInit): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await requestOnce(url, init);
    } catch (error) {
      if (!(error instanceof Retryable) || attempt === MAX_ATTEMPTS) throw error;
    }
    await delay(RETRY_DELAY_MS * attempt);
  }
}

async function requestOnce(url: string, init: RequestInit): Promise<string> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  // A redirect could lead the secrets of the request elsewhere.
  const response = await fetch(url, { ...init, redirect: 'manual', signal }).catch((error) => {
    const { message, cause } = error as Error & { cause?: NodeJS.ErrnoException };
    throw new Retryable(`${url} does not respond: ${cause?.code ?? message}`, { cause: error });
  });
  if (response.ok) return readBounded(response, url);
  await response.body?.cancel();
  const { status } = response;
  const message = `${url} responded ${status}`;
  throw status >= 500 || status === 429 ? new Retryable(message) : new Error(message);
}

async function readBounded({ body }: Response, url: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error(`${url} sent more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

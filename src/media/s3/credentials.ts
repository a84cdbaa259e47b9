/** Credentials of S3. Temporary ones are refreshed before they expire, by one refresh at a time. */
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

export interface RefreshOptions {
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

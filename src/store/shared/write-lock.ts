/** Waiting for another command that is changing the catalogue. */

export interface LockOptions {
  /** How long to wait. */
  timeoutMs?: number;
  /** Called once if another command holds the lock. */
  onWait?: () => void;
}

/** Commands hold the lock for seconds at most, unless they change a large part of a large catalogue. */
export const LOCK_TIMEOUT_MS = 60_000;

export class LockTimeout extends Error {
  constructor() {
    super('another command is changing the catalogue; try again when it has finished');
  }
}

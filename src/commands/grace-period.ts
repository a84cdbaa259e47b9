/**
 * Since when images have no file. A picture that is moved by copying and deleting, or replaced by a program that synchronises
 * folders, is away for a while, so an image is removed only if no scan found its picture for this long.
 */
import type { GoneImage } from '../import/prune.ts';

export const GRACE_MS = 10 * 60_000;

export class GracePeriod {
  #goneSince = new Map<string, number>();

  /** Those that are gone for long enough. `gone` is all that this scan missed. */
  expired(gone: GoneImage[], now: number): GoneImage[] {
    this.#goneSince = new Map(gone.map(({ id }) => [id, this.#goneSince.get(id) ?? now]));
    return gone.filter(({ id }) => now - (this.#goneSince.get(id) as number) >= GRACE_MS);
  }
}

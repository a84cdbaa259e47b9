/** What the grid shows of pictures besides the picture itself, loaded for those in sight. */
import type { Tile } from '../../src/studio/contract.ts';
import { post } from './api.ts';
import { outbox } from './steps.ts';

const BATCH_SIZE = 200;
const MAX_CACHED = 5000;

export class Tiles {
  readonly #cached = new Map<string, Tile>();
  readonly #onLoaded: () => void;
  #wanted: string[] = [];
  #isLoading = false;
  /** How often some were forgotten. */
  #changes = 0;

  constructor(onLoaded: () => void) {
    this.#onLoaded = onLoaded;
  }

  /** Also with a rating that is not saved yet. */
  get(id: string): Tile | undefined {
    const tile = this.#cached.get(id);
    const rating = outbox.ratingOf(id);
    return tile && rating ? { ...tile, rating, isEdited: true } : tile;
  }

  /** Loads those that are missing, in this order. Those wanted before are forgotten: they are out of sight. */
  want(ids: string[]): void {
    this.#wanted = ids.filter((id) => !this.#cached.has(id));
    if (!this.#isLoading) void this.#load();
  }

  forget(ids: Iterable<string>): void {
    for (const id of ids) this.#cached.delete(id);
    this.#changes++;
  }

  forgetAll(): void {
    this.#cached.clear();
    this.#changes++;
  }

  async #load(): Promise<void> {
    this.#isLoading = true;
    try {
      while (this.#wanted.length > 0) {
        const ids = this.#wanted.splice(0, BATCH_SIZE);
        const before = this.#changes;
        const loaded = await post('/data/tiles', { ids });
        if (before !== this.#changes) {
          // They may be from before the change.
          this.#wanted = [...new Set([...this.#wanted, ...ids])];
          continue;
        }
        if (this.#cached.size > MAX_CACHED) this.#cached.clear();
        for (const tile of loaded) this.#cached.set(tile.id, tile);
        this.#onLoaded();
      }
    } catch {
      // The pictures are still there; the next scroll tries again.
    } finally {
      this.#isLoading = false;
    }
  }
}

/** The entries that images mention, loaded once for many images. */
import type { Kind } from '../catalogue/types.ts';
import { ExistingEntries } from './plan/existing.ts';
import { artistOf, type ImageLine } from './record.ts';

const MAX_REFERENCES = 50_000;
/** Characters of their documents. */
const MAX_LENGTH = 16 * 1024 * 1024;

export class MentionedEntries {
  readonly entries = new ExistingEntries();
  readonly #references: Record<Kind, Set<string>> = {
    artist: new Set(),
    category: new Set(),
    character: new Set(),
  };

  /** Whether there are so many that it should be replaced with an empty one. */
  get isFull(): boolean {
    const { artist, category, character } = this.#references;
    const references = artist.size + category.size + character.size;
    return references > MAX_REFERENCES || this.entries.length > MAX_LENGTH;
  }

  /** Returns the references, ids or names, that nobody mentioned before. Their entries have to be loaded. */
  add(records: ImageLine[]): Map<Kind, string[]> {
    const missing = new Map<Kind, string[]>();
    const mention = (kind: Kind, reference: string) => {
      const known = this.#references[kind];
      if (known.has(reference)) return;
      known.add(reference);
      const others = missing.get(kind);
      if (others) others.push(reference);
      else missing.set(kind, [reference]);
    };
    for (const record of records) {
      mention('artist', artistOf(record));
      for (const name of record.categories ?? []) mention('category', name);
      for (const name of record.characters ?? []) mention('character', name);
    }
    return missing;
  }
}

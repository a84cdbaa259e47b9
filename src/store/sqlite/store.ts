/** The embedded store: the catalogue and the tokens, one file each. */
import type { Tuning } from '../../tuning.ts';
import type { Store } from '../store.ts';
import { SqliteCatalogue } from './catalogue.ts';
import { openDatabase } from './database.ts';
import { catalogueSchema } from './schema.ts';
import { openTokenStore } from './tokens.ts';

export function createCatalogue(path: string): void {
  openDatabase(path, catalogueSchema).close();
}

/** `documents` is the memory of a cache that a `DocumentFiller` fills. */
export function openStore(
  path: string,
  tokensPath: string,
  documents?: ArrayBufferLike,
  tuning?: Tuning,
): Store {
  const catalogue = new SqliteCatalogue(path, documents, tuning);
  const tokens = openTokenStore(tokensPath, path, tuning);
  return {
    catalogue,
    tokens,
    metrics: () => catalogue.metrics(),
    degradedReason: () => undefined,
    verify: () => catalogue.verify(),
    async [Symbol.asyncDispose]() {
      catalogue[Symbol.dispose]();
      tokens[Symbol.dispose]();
    },
  };
}

/** The embedded store: the catalogue and the tokens, one file each. */
import type { Store } from '../store.ts';
import { openCatalogue } from './catalogue.ts';
import { openDatabase } from './database.ts';
import { catalogueSchema } from './schema.ts';
import { openTokenStore } from './tokens.ts';

export function createCatalogue(path: string): void {
  openDatabase(path, catalogueSchema).close();
}

/** `documents` is the memory of a cache that a `DocumentFiller` fills. */
export function openStore(path: string, tokensPath: string, documents?: ArrayBufferLike): Store {
  const [catalogue, tokens] = [openCatalogue(path, documents), openTokenStore(tokensPath)];
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

/** The embedded store, opened for serving: the catalogue and the tokens, a file each. */
import type { Store } from '../../model.ts';
import { openCatalogue } from './catalogue.ts';
import { openTokenRegister } from './tokens.ts';

export function openStore(path: string, tokensPath: string): Store {
  const [catalogue, tokens] = [openCatalogue(path), openTokenRegister(tokensPath)];
  return {
    catalogue,
    tokens,
    async [Symbol.asyncDispose]() {
      catalogue[Symbol.dispose]();
      tokens[Symbol.dispose]();
    },
  };
}

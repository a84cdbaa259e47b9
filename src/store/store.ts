/** A store, opened for serving. */
import type { TokenStore } from '../access/token-store.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Monitored } from '../metrics.ts';

export interface Store extends Monitored, AsyncDisposable {
  catalogue: Catalogue;
  tokens: TokenStore;
}

/** A store, opened for serving. */
import type { TokenStore } from '../access/tokens.ts';
import type { Monitored } from '../lib/metrics.ts';
import type { Catalogue } from './contract/catalogue.ts';

export interface Store extends Monitored, AsyncDisposable {
  catalogue: Catalogue;
  tokens: TokenStore;
}

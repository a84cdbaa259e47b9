/** A store, opened for serving. */
import type { TokenStore } from '../access/tokens.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Monitored } from '../lib/metrics.ts';
import type { LastBackup } from './contract/last-backup.ts';

export interface Store extends Monitored, AsyncDisposable {
  catalogue: Catalogue;
  tokens: TokenStore;
  /** The last backup that succeeded, if any was recorded. */
  lastBackup(): Promise<LastBackup | undefined>;
  recordBackup(backup: LastBackup): Promise<void>;
}

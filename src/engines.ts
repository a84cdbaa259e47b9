/** Which engines the configuration names: where the catalogue, the tokens, the bytes and the limits are. */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { LinkSigner } from './access/link-signer.ts';
import type { CatalogueSnapshot, CatalogueWriter } from './catalogue/writer.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config/config.ts';
import type { Limiter } from './limits/limiter.ts';
import { MemoryLimiter, steadyClock } from './limits/memory.ts';
import type { RedisLimiterOptions } from './limits/redis.ts';
import type { Files } from './media/files.ts';
import { openFolder } from './media/local.ts';
import { openBucket } from './media/s3/files.ts';
import { S3Links } from './media/s3/links.ts';
import * as sqliteDump from './store/sqlite/snapshot.ts';
import * as sqlite from './store/sqlite/store.ts';
import * as sqliteWriter from './store/sqlite/writer.ts';
import type { Store } from './store/store.ts';

/** Called when a replica becomes unavailable or available again. */
export type OnChange = (server: string, isUnavailable: boolean, reason: string) => void;

// What speaks to PostgreSQL and to Redis is loaded only where it is needed: every command starts the sooner.

export async function openStore({ database }: Config, onChange: OnChange = () => {}): Promise<Store> {
  if (database.engine === 'sqlite') return sqlite.openStore(database.path, database.tokensPath);
  const { openStore } = await import('./store/postgres/store.ts');
  return openStore({ ...database, onChange });
}

export async function openSnapshot({ database }: Config): Promise<CatalogueSnapshot> {
  if (database.engine === 'sqlite') return sqliteDump.openSnapshot(database.path);
  return (await import('./store/postgres/snapshot.ts')).openSnapshot(database.url);
}

export async function openWriter({ database }: Config): Promise<CatalogueWriter> {
  if (database.engine === 'sqlite') return sqliteWriter.openWriter(database.path);
  return (await import('./store/postgres/writer.ts')).openWriter(database.url);
}

export function openFiles({ storage, dataDir }: Config): Files {
  if (storage.engine === 'folder') return openFolder(storage.path);
  // The journals of uploads are in the data folder, apart for each place that things are uploaded to.
  const place = hash('sha256', JSON.stringify([storage.endpoint, storage.bucket, storage.prefix]));
  return openBucket(storage, join(dataDir, 'uploads', place.slice(0, 16)));
}

/** Links to storage that serves its bytes itself; undefined where we serve them. */
export function storageLinkSigner({ storage }: Config): LinkSigner | undefined {
  return storage.engine === 's3' ? new S3Links(storage) : undefined;
}

/** Undefined where nobody is limited. */
export async function openLimiter(
  { rateLimit, redisUrl }: Config,
  clock: Clock | undefined,
  onChange: RedisLimiterOptions['onChange'],
): Promise<Limiter | undefined> {
  if (!rateLimit) return undefined;
  if (redisUrl === undefined) return new MemoryLimiter(clock ?? steadyClock);
  const { RedisLimiter } = await import('./limits/redis.ts');
  return new RedisLimiter(redisUrl, { onChange });
}

/** Opens what the configuration names: the store, the files and the rate limiter. */
import { hash } from 'node:crypto';
import { accessSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LinkSigner } from './access/link-signer.ts';
import type { SourceFileReader } from './catalogue/source-files.ts';
import type { CatalogueSnapshot, CatalogueWriter } from './catalogue/writer.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config/config.ts';
import type { Limiter } from './limits/limiter.ts';
import { MemoryLimiter, steadyClock } from './limits/memory.ts';
import type { RedisLimiterOptions } from './limits/redis.ts';
import type { Files, ThumbnailMaker } from './media/files.ts';
import { openFolder } from './media/local.ts';
import { type Logo, readLogo } from './media/logo.ts';
import { openBucket } from './media/s3/files.ts';
import { S3Links } from './media/s3/links.ts';
import { createThumbnailMaker } from './media/thumbnail-maker.ts';
import type { LockOptions } from './store/shared/write-lock.ts';
import * as sqliteSnapshot from './store/sqlite/snapshot.ts';
import * as sqliteSourceFiles from './store/sqlite/source-files.ts';
import * as sqlite from './store/sqlite/store.ts';
import * as sqliteWriter from './store/sqlite/writer.ts';
import type { Store } from './store/store.ts';

/** Called when a replica becomes unavailable, and when it is available again. */
export type OnReplicaChange = (server: string, isUnavailable: boolean, reason: string) => void;

// The clients of PostgreSQL and Redis are loaded only when configured, so every command starts faster.

// Only `createCatalogue` makes a new catalogue: with a mistyped setting, the others fail instead.

/** Makes an empty catalogue if there is none, and then returns where. */
export async function createCatalogue({ database }: Config): Promise<string | undefined> {
  if (database.engine === 'postgres')
    return (await import('./store/postgres/connection.ts')).createSchema(database.url);
  if (existsSync(database.path)) return undefined;
  sqlite.createCatalogue(database.path);
  return database.path;
}

function existing(path: string): string {
  try {
    accessSync(path);
    return path;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error(
      `there is no catalogue at ${path}; check DATA_DIR and DATABASE_URL, or create one with "zukan import" or "zukan serve"`,
    );
  }
}

export async function openStore({ database }: Config, onChange: OnReplicaChange = () => {}): Promise<Store> {
  if (database.engine === 'sqlite') return sqlite.openStore(existing(database.path), database.tokensPath);
  const { openStore } = await import('./store/postgres/store.ts');
  return openStore({ ...database, onChange });
}

export async function openSnapshot({ database }: Config): Promise<CatalogueSnapshot> {
  if (database.engine === 'sqlite') return sqliteSnapshot.openSnapshot(existing(database.path));
  return (await import('./store/postgres/snapshot.ts')).openSnapshot(database.url);
}

export async function openSourceFiles({ database }: Config): Promise<SourceFileReader> {
  if (database.engine === 'sqlite') return sqliteSourceFiles.openSourceFiles(existing(database.path));
  return (await import('./store/postgres/source-files.ts')).openSourceFiles(database.url);
}

/** Waits for another command that is changing the catalogue. */
export async function openWriter({ database }: Config, options?: LockOptions): Promise<CatalogueWriter> {
  if (database.engine === 'sqlite') return sqliteWriter.openWriter(existing(database.path), options);
  return (await import('./store/postgres/writer.ts')).openWriter(database.url, options);
}

export function openFiles({ storage, dataDir }: Config): Files {
  if (storage.engine === 'folder') return openFolder(storage.path);
  // Each bucket and prefix has its own journals of uploads.
  const location = hash('sha256', JSON.stringify([storage.endpoint, storage.bucket, storage.prefix]));
  return openBucket(storage, join(dataDir, 'uploads', location.slice(0, 16)));
}

export function openThumbnailMaker(files: Files): ThumbnailMaker {
  return createThumbnailMaker(files);
}

/** Returns undefined if the site has none. */
export async function openLogo({ site }: Config): Promise<Logo | undefined> {
  return site.logo === undefined ? undefined : readLogo(site.logo);
}

/** Signs links to storage that serves files itself. Undefined if we serve them. */
export function storageLinkSigner({ storage }: Config): LinkSigner | undefined {
  return storage.engine === 's3' ? new S3Links(storage) : undefined;
}

/** Returns undefined if the rate limit is off. */
export async function openLimiter(
  { rateLimit, redisUrl, redisPrefix }: Config,
  clock: Clock | undefined,
  onChange: RedisLimiterOptions['onChange'],
): Promise<Limiter | undefined> {
  if (rateLimit === 'off') return undefined;
  if (redisUrl === undefined) return new MemoryLimiter(rateLimit, clock ?? steadyClock);
  const { RedisLimiter } = await import('./limits/redis.ts');
  return new RedisLimiter(redisUrl, { perSecond: rateLimit, prefix: redisPrefix, onChange });
}

/** Opens what the configuration names: the store, the files and the rate limiter. */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { LinkSigner } from './access/link-signer.ts';
import type { CatalogueSnapshot, CatalogueWriter } from './catalogue/writer.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config/config.ts';
import type { Limiter } from './limits/limiter.ts';
import { MemoryLimiter, steadyClock } from './limits/memory.ts';
import type { RedisLimiterOptions } from './limits/redis.ts';
import type { Files, ThumbnailMaker } from './media/files.ts';
import { openFolder } from './media/local.ts';
import { type Logo, readLogo } from './media/logo.ts';
import { type CredentialOptions, openCredentials } from './media/s3/credential-sources.ts';
import { openBucket, type S3Location } from './media/s3/files.ts';
import { S3Links } from './media/s3/links.ts';
import { createThumbnailMaker } from './media/thumbnail-maker.ts';
import type { LockOptions } from './store/shared/write-lock.ts';
import * as sqliteSnapshot from './store/sqlite/snapshot.ts';
import * as sqlite from './store/sqlite/store.ts';
import * as sqliteWriter from './store/sqlite/writer.ts';
import type { Store } from './store/store.ts';

/** Called when a replica becomes unavailable, and when it is available again. */
export type OnReplicaChange = (server: string, isUnavailable: boolean, reason: string) => void;

// The clients of PostgreSQL and Redis are loaded only when configured, so every command starts faster.

export async function openStore({ database }: Config, onChange: OnReplicaChange = () => {}): Promise<Store> {
  if (database.engine === 'sqlite') return sqlite.openStore(database.path, database.tokensPath);
  const { openStore } = await import('./store/postgres/store.ts');
  return openStore({ ...database, onChange });
}

export async function openSnapshot({ database }: Config): Promise<CatalogueSnapshot> {
  if (database.engine === 'sqlite') return sqliteSnapshot.openSnapshot(database.path);
  return (await import('./store/postgres/snapshot.ts')).openSnapshot(database.url);
}

/** Waits for another command that is changing the catalogue. */
export async function openWriter({ database }: Config, options?: LockOptions): Promise<CatalogueWriter> {
  if (database.engine === 'sqlite') return sqliteWriter.openWriter(database.path, options);
  return (await import('./store/postgres/writer.ts')).openWriter(database.url, options);
}

/**
 * The bucket of the configuration, with the credentials that requests and links share. Undefined if files are in a folder.
 */
export function locateBucket({ storage }: Config, options?: CredentialOptions): S3Location | undefined {
  if (storage.engine === 'folder') return undefined;
  return { ...storage, credentials: openCredentials(storage.credentials, options) };
}

export function openFiles(config: Config, location = locateBucket(config)): Files {
  if (!location) return openFolder((config.storage as { path: string }).path);
  // Each bucket and prefix has its own journals of uploads.
  const name = hash('sha256', JSON.stringify([location.endpoint, location.bucket, location.prefix]));
  return openBucket(location, join(config.dataDir, 'uploads', name.slice(0, 16)));
}

export function openThumbnailMaker(files: Files): ThumbnailMaker {
  return createThumbnailMaker(files);
}

/** Returns undefined if the site has none. */
export async function openLogo({ site }: Config): Promise<Logo | undefined> {
  return site.logo === undefined ? undefined : readLogo(site.logo);
}

/** Signs links to a bucket, whose credentials must have been loaded. */
export function bucketLinkSigner(location: S3Location): LinkSigner {
  return new S3Links(location);
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

/** Opens what the configuration names: the store, the files and the rate limiter. */
import { hash, randomUUID } from 'node:crypto';
import { accessSync, existsSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { MemoryBudget, MemoryLimiter, steadyClock } from '../access/limits/memory.ts';
import type { RedisLimiterOptions } from '../access/limits/redis.ts';
import type { BudgetRule, ClientBudget, Limiter } from '../access/rate.ts';
import type { ChangeOrigin } from '../catalogue/change-log.ts';
import type { CatalogueSnapshot, CatalogueWriter, SourceFileReader } from '../catalogue/writer.ts';
import type { Config } from '../config/config.ts';
import { describeStorage } from '../config/values.ts';
import type { Clock } from '../lib/clock.ts';
import type { TurnMemory } from '../lib/concurrency.ts';
import { type Disk, measureDisks } from '../lib/file-system.ts';
import type { Tuning } from '../lib/tuning.ts';
import { type Logo, readLogo } from '../media/decoding.ts';
import type { Files, ThumbnailMaker } from '../media/files.ts';
import { openFolder } from '../media/local.ts';
import { type CredentialOptions, openCredentials } from '../media/s3/credentials.ts';
import { openBucket, type S3Location } from '../media/s3/files.ts';
import { createThumbnailMaker } from '../media/thumbnail-maker.ts';
import { findIdentity, isBegun } from '../store/drivers/sqlite/database.ts';
import * as sqliteSessions from '../store/drivers/sqlite/session.ts';
import * as sqlite from '../store/drivers/sqlite/store.ts';
import { type LockOptions, OutdatedCatalogue, type Store } from '../store/session.ts';
import type { AfterCommit } from '../store/write/writer.ts';

/** Called when a replica becomes unavailable, and when it is available again. */
type OnReplicaChange = (server: string, isUnavailable: boolean, reason: string) => void;

// The clients of PostgreSQL and Redis are loaded only when configured, and what reads or writes a whole catalogue only by who does
// so: every command starts faster.

// Only `createCatalogue` makes a new catalogue: with a mistyped setting, the others fail instead.

export async function hasCatalogue({ database }: Config): Promise<boolean> {
  // Fails without a permission: a catalogue that cannot be reached is not a missing one. A database has no empty file.
  if (database.engine === 'sqlite')
    return Boolean(statSync(database.path, { throwIfNoEntry: false })?.size) && !isBegun(database.path);
  return (await import('../store/drivers/postgres/connection.ts')).hasSchema(database.url);
}

/**
 * Makes an empty catalogue if there is none, and then returns where. Refuses if the files or tokens belong to another one.
 * `other` is the identity of a backup, which the files may have, too. A new catalogue gets it unless `identity` is given.
 */
export async function createCatalogue(
  config: Config,
  other?: string,
  identity = other,
): Promise<string | undefined> {
  const { database } = config;
  if (await hasCatalogue(config)) {
    await markFiles(config, openFiles(config), await requireOwnFiles(config, other));
    return undefined;
  }
  await requireNoLostCatalogue(config, openFiles(config), other);
  const newId = () => identity ?? randomUUID();
  if (database.engine === 'postgres')
    return (await import('../store/drivers/postgres/connection.ts')).createSchema(database.url, newId);
  sqlite.createCatalogue(database.path, newId);
  return database.path;
}

/** Upgrades a catalogue that an older version made, if there is one. `onStart` is called before. */
export async function migrateCatalogue({ database }: Config, onStart: () => void): Promise<void> {
  if (database.engine === 'sqlite') sqlite.migrateCatalogue(database.path, database.tokensPath, onStart);
  else await (await import('../store/drivers/postgres/connection.ts')).migrateSchema(database.url, onStart);
}

/** Upgrades the catalogue if it needs that and the command may, so nobody opens a connection only to ask. */
async function upgradeAndOpen<T>(config: Config, open: () => T | Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const { onMigration } = config;
    const isOutdated = [error, (error as Error).cause].some((each) => each instanceof OutdatedCatalogue);
    if (!isOutdated || !onMigration) throw error;
    await migrateCatalogue(config, onMigration);
    return await open();
  }
}

/** Before serving: whether the catalogue can be changed, or only replicas respond. Fails if they cannot be used. */
export async function canBeChanged({ database }: Config): Promise<boolean> {
  if (database.engine === 'sqlite') return true;
  const { url, readUrls } = database;
  const { connectToRead, disconnect, refusePooling } = await import(
    '../store/drivers/postgres/connection.ts'
  );
  await Promise.all([url, ...readUrls].map(refusePooling));
  if (readUrls.length === 0) return true;
  const connected = await connectToRead(url, readUrls).catch(() => undefined);
  if (connected) await disconnect(connected.client);
  return !connected?.isReplica;
}

/** Returns the identity of the catalogue. Fails if the files belong to another one, unless that is `other`. */
export async function requireOwnFiles(config: Config, other?: string): Promise<string | undefined> {
  const [{ openReadSession }, location] = await locateSessions(config);
  await using session = await upgradeAndOpen(config, () => openReadSession(location));
  const identity = await session.identity();
  await matchFiles(config, openFiles(config), identity, other);
  return identity;
}

function existing(path: string): string {
  try {
    accessSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error(
      `there is no catalogue at ${path}; check DATA_DIR and DATABASE_URL, or create one with "zukan import" or "zukan serve"; "zukan restore <folder>" gets a lost one back`,
    );
  }
  if (statSync(path).size === 0) throw new Error(describeEmpty(path));
  return path;
}

interface StoreOptions {
  onReplicaChange?: OnReplicaChange;
  /** The memory of the document cache (`createDocumentMemory`). */
  documents?: ArrayBufferLike | undefined;
  tuning?: Tuning | undefined;
}

export function openStore(config: Config, options: StoreOptions = {}): Promise<Store> {
  const { onReplicaChange = () => {}, documents, tuning } = options;
  return upgradeAndOpen(config, async () => {
    const { database } = config;
    if (database.engine === 'sqlite')
      return sqlite.openStore(existing(database.path), database.tokensPath, documents, tuning);
    const { openStore } = await import('../store/drivers/postgres/store.ts');
    return openStore({ ...database, onChange: onReplicaChange }, documents, tuning);
  });
}

/** The system provides the memory only when it is written to. Reading shared memory takes somewhat longer. */
export function createDocumentMemory<Memory extends ArrayBufferLike>(
  { cacheMb }: Config,
  Buffer: new (size: number) => Memory,
): Memory {
  try {
    return new Buffer(cacheMb * 1024 * 1024);
  } catch {
    // Some systems are configured not to promise more memory than they have.
    throw new Error(`the system does not provide ${cacheMb} MB for its cache; set CACHE_MB to less`);
  }
}

/** Fills the memory of the document cache until it is disposed of. Only one thread may do so. */
export async function fillDocumentCache(
  { database }: Config,
  memory: ArrayBufferLike,
  documentsPerSlice?: number,
): Promise<AsyncDisposable> {
  if (database.engine === 'postgres')
    return (await import('../store/drivers/postgres/store.ts')).fillDocumentCache(
      { ...database, onChange: () => {} },
      memory,
      documentsPerSlice,
    );
  return sqlite.fillDocumentCache(database.path, memory, documentsPerSlice);
}

/** What opens sessions on the catalogue, and where it is. */
async function locateSessions({ database }: Config) {
  return database.engine === 'sqlite'
    ? ([sqliteSessions, existing(database.path)] as const)
    : ([await import('../store/drivers/postgres/session.ts'), database.url] as const);
}

export async function openSnapshot(config: Config): Promise<CatalogueSnapshot> {
  const [{ openSnapshotSession }, location] = await locateSessions(config);
  const snapshots = await import('../store/read/snapshot.ts');
  return snapshots.openSnapshot(await upgradeAndOpen(config, () => openSnapshotSession(location)));
}

export async function openSourceFiles(config: Config): Promise<SourceFileReader> {
  const [{ openReadSession }, location] = await locateSessions(config);
  const { createSourceFileReader } = await import('../store/write/images.ts');
  return createSourceFileReader(await upgradeAndOpen(config, () => openReadSession(location)));
}

interface WriterOptions extends LockOptions {
  /** Who changes the catalogue. Without a user, the one of the operating system. */
  origin?: ChangeOrigin;
  user?: string | undefined;
  /** Called once the changes are saved. */
  afterCommit?: AfterCommit;
}

/** Waits for another command that is changing the catalogue. */
export async function openWriter(config: Config, options: WriterOptions = {}): Promise<CatalogueWriter> {
  const [{ openWriteSession }, location] = await locateSessions(config);
  const files = openFiles(config);
  const session = await upgradeAndOpen(config, () => openWriteSession(location, options));
  let identity: string | undefined;
  try {
    identity = await session.identity();
    await matchFiles(config, files, identity);
  } catch (error) {
    await session[Symbol.asyncDispose]();
    throw error;
  }
  const context = {
    origin: options.origin ?? 'shell',
    user: options.user ?? userName(),
    now: new Date().toISOString(),
    historyDays: config.historyDays,
  };
  const writers = await import('../store/write/writer.ts');
  return writers.openWriter(session, context, async (...commit) => {
    await markFiles(config, files, identity);
    await options.afterCommit?.(...commit);
  });
}

/** A container may run as a user without a name. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? '');
  }
}

/**
 * The bucket of the configuration, with the credentials that requests and links share. Undefined if files are in a folder.
 */
export function locateBucket({ storage }: Config, options?: CredentialOptions): S3Location | undefined {
  if (storage.engine === 'folder') return undefined;
  return { ...storage, credentials: openCredentials(storage.credentials, options) };
}

/** The disks that the catalogue and its files are on, as far as they are on this machine. */
export function disksOf({ dataDir, database, storage }: Config): Disk[] {
  return measureDisks([
    dataDir,
    ...(database.engine === 'sqlite' ? [dirname(database.path)] : []),
    ...(storage.engine === 'folder' ? [storage.path] : []),
  ]);
}

export function openFiles(config: Config, location = locateBucket(config)): Files {
  if (!location) return openFolder((config.storage as { path: string }).path);
  // Each bucket and prefix has its own journals of uploads.
  const name = hash('sha256', JSON.stringify([location.endpoint, location.bucket, location.prefix]));
  return openBucket(location, join(config.dataDir, 'uploads', name.slice(0, 16)));
}

/** `turn` is what the threads of a process share. */
export function openThumbnailMaker(config: Config, files: Files, turn?: TurnMemory): ThumbnailMaker {
  return createThumbnailMaker(files, () => openWriter(config, { timeoutMs: 0 }), turn);
}

/** Returns undefined if the site has none. */
export async function openLogo({ site }: Config): Promise<Logo | undefined> {
  return site.logo === undefined ? undefined : readLogo(site.logo);
}

/** Where the states of clients are. */
interface ClientOptions {
  clock?: Clock | undefined;
  /** Memory that this thread shares with others (`createLimiterMemory`), and what identifies the thread there. */
  shared?: { memory: SharedArrayBuffer; owner: number } | undefined;
}

export function openBudget(rule: BudgetRule, { clock, shared }: ClientOptions): ClientBudget {
  return new MemoryBudget(rule, clock, shared?.memory, shared?.owner);
}

/** Returns undefined if the rate limit is off. */
export async function openLimiter(
  { rateLimit, redisUrl, redisPrefix }: Config,
  {
    clock = steadyClock,
    shared,
    onRedisChange,
  }: ClientOptions & { onRedisChange: RedisLimiterOptions['onChange'] },
): Promise<Limiter | undefined> {
  if (rateLimit === 'off') return undefined;
  const local = new MemoryLimiter(rateLimit, clock, shared?.memory, shared?.owner);
  if (redisUrl === undefined) return local;
  const { RedisLimiter } = await import('../access/limits/redis.ts');
  const options = { perSecond: rateLimit, local, prefix: redisPrefix, onChange: onRedisChange };
  return new RedisLimiter(redisUrl, options);
}

// Tells the files and tokens of a catalogue from those of another one. A catalogue that was lost, or whose disk is not mounted,
// looks like an empty one, which would take all files for unused, and their backup for outdated.

const ADVICE =
  'If the catalogue was lost, get it back with "zukan restore <folder>". Otherwise mount its disk, or correct DATA_DIR, DATABASE_URL and FILES_URL';

/** Commands whose bucket was asked, or whose restore changes the identity of the catalogue. */
const matched = new WeakSet<Config>();

const describeEmpty = (path: string): string =>
  `${path} is empty, so the catalogue is damaged. Move the file away, and get the catalogue back with "zukan restore <folder>"`;

/** Fails if the files belong to another catalogue than this one. `other` is allowed, too. */
async function matchFiles(
  config: Config,
  files: Files,
  identity: string | undefined,
  other?: string,
): Promise<void> {
  if (matched.has(config)) return;
  const owner = await findOwner(config, files);
  if (owner !== undefined && owner !== identity && owner !== other)
    throw new Error(
      `the files in ${describeStorage(config.storage)} belong to the catalogue ${owner}, but ${await describeDatabase(config)} has the catalogue ${identity ?? 'of an older version'}. ${ADVICE}. If these are the files of this catalogue nevertheless, run "zukan adopt"`,
    );
  if (owner !== undefined && (owner !== identity || config.storage.engine === 's3')) matched.add(config);
}

/** Marks files that nobody has marked. A folder without files may be where a disk is to be mounted. */
async function markFiles(config: Config, files: Files, identity: string | undefined): Promise<void> {
  if (identity === undefined || matched.has(config)) return;
  try {
    if ((await files.owner()) !== undefined) return;
    await files.verify();
    await files.setOwner(identity);
  } catch {
    // The next change tries again.
  }
}

/** Before a catalogue is made: fails if there was one. `identity` is that of a backup to restore. */
export async function requireNoLostCatalogue(config: Config, files: Files, identity?: string): Promise<void> {
  const { database, storage } = config;
  const isOther = (owner: string | undefined) => owner !== undefined && owner !== identity;
  const owner = await findOwner(config, files);
  const where = await describeDatabase(config);
  const isEmptied =
    database.engine === 'sqlite' && statSync(database.path, { throwIfNoEntry: false })?.size === 0;
  const hasTokens = database.engine === 'sqlite' && existsSync(database.tokensPath);
  // One that was killed when it began has neither.
  if (isEmptied && (owner !== undefined || hasTokens)) throw new Error(describeEmpty(where));
  if (isOther(owner))
    throw new Error(
      `there is no catalogue at ${where}, but the files in ${describeStorage(storage)} belong to the catalogue ${owner}. ${ADVICE}. To begin an empty one with these files, run "zukan adopt"`,
    );
  if (database.engine === 'postgres') return;
  const tokenOwner = findIdentity(database.tokensPath);
  if (isOther(tokenOwner))
    throw new Error(
      `there is no catalogue at ${where}, but the tokens in ${database.tokensPath} belong to the catalogue ${tokenOwner}. ${ADVICE}. To begin an empty one, move the file of the tokens away`,
    );
}

/** Undefined also of a bucket that cannot be reached: nothing in it can be harmed, and the next command asks again. */
async function findOwner({ storage }: Config, files: Files): Promise<string | undefined> {
  try {
    return await files.owner();
  } catch (error) {
    if (storage.engine === 's3') return undefined;
    throw error;
  }
}

async function describeDatabase({ database }: Config): Promise<string> {
  if (database.engine === 'sqlite') return database.path;
  return (await import('../store/drivers/postgres/connection.ts')).describeDatabase(database.url);
}

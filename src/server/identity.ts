/**
 * Tells the files and tokens of a catalogue from those of another one. A catalogue that was lost, or whose disk is not mounted,
 * looks like an empty one, which would take all files for unused, and their backup for outdated.
 */
import { existsSync, statSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { describeStorage } from '../config/values.ts';
import type { Files } from '../media/files.ts';
import { findIdentity } from '../store/drivers/sqlite/identity.ts';

const ADVICE =
  'If the catalogue was lost, get it back with "zukan restore <folder>". Otherwise mount its disk, or correct DATA_DIR, DATABASE_URL and FILES_URL';

/** Commands whose bucket was asked, or whose restore changes the identity of the catalogue. */
const matched = new WeakSet<Config>();

export const describeEmpty = (path: string): string =>
  `${path} is empty, so the catalogue is damaged. Move the file away, and get the catalogue back with "zukan restore <folder>"`;

/** Fails if the files belong to another catalogue than this one. `other` is allowed, too. */
export async function matchFiles(
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
export async function markFiles(config: Config, files: Files, identity: string | undefined): Promise<void> {
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

/** The signing keys of instances without LINK_KEYS: a file in the data folder, one key per line. */
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { makeFolder, PRIVATE_FOLDER, renameWithRetry } from '../lib/file-system.ts';
import { isLinkKey } from './config.ts';

const WAIT_MS = 20;
const MAX_WAITS = 50;

export const linkKeysPath = (dataDir: string) => join(dataDir, 'link.keys');

/** Generates a key if the file does not exist yet. */
export async function loadLinkKeys(dataDir: string): Promise<string[]> {
  const path = linkKeysPath(dataDir);
  try {
    if (!existsSync(path)) createKeys(dataDir, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Another process was faster.
    if (code !== 'EEXIST')
      throw new Error(`cannot create ${path} (${code}); set LINK_KEYS or make DATA_DIR writable`);
  }
  // Without hard links, it is empty until the process that creates it has written the key.
  for (let waits = 0; waits < MAX_WAITS && statSync(path).size === 0; waits++) await wait(WAIT_MS);
  return readKeys(path);
}

/** Undefined if there is no file. */
export function findLinkKeys(dataDir: string): string[] | undefined {
  try {
    return readKeys(linkKeysPath(dataDir));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

/** Puts keys in front of those of the file, so that the first of them signs. Returns whether the file changed. */
export async function addLinkKeys(dataDir: string, keys: string[]): Promise<boolean> {
  const existing = findLinkKeys(dataDir) ?? [];
  const all = [...new Set([...keys, ...existing])];
  if (all.join() === existing.join()) return false;
  makeFolder(dataDir, PRIVATE_FOLDER);
  const temporary = `${linkKeysPath(dataDir)}.${randomUUID()}`;
  writeFileSync(temporary, all.map((key) => `${key}\n`).join(''), { mode: 0o600, flush: true });
  await renameWithRetry(temporary, linkKeysPath(dataDir));
  return true;
}

function createKeys(dataDir: string, path: string): void {
  makeFolder(dataDir, PRIVATE_FOLDER);
  // Linking is atomic and fails if the file exists, so processes that start at the same time all use the key of the first.
  // Processes in several containers may have the same number.
  const temporary = `${path}.${randomUUID()}`;
  const text = `${randomBytes(32).toString('base64url')}\n`;
  writeFileSync(temporary, text, { mode: 0o600, flush: true });
  try {
    linkSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    // exFAT, for example, has no hard links.
    writeFileSync(path, text, { flag: 'wx', mode: 0o600, flush: true });
  } finally {
    rmSync(temporary);
  }
}

function readKeys(path: string): string[] {
  const keys = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  if (keys.length > 0 && keys.every(isLinkKey)) return keys;
  throw new Error(
    `${path} contains no usable keys; delete it to generate a new key (existing links stop working)`,
  );
}

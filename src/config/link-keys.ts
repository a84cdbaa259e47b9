/** The signing keys of instances without LINK_KEYS: a file in the data folder, one key per line. */
import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLinkKey } from './config.ts';

/** Generates a key if the file does not exist yet. */
export function loadLinkKeys(dataDir: string): string[] {
  const path = join(dataDir, 'link.keys');
  try {
    return readKeys(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  try {
    createKeys(dataDir, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`cannot create ${path} (${code}); set LINK_KEYS or make DATA_DIR writable`);
  }
  return readKeys(path);
}

function createKeys(dataDir: string, path: string): void {
  mkdirSync(dataDir, { recursive: true });
  // Linking is atomic and fails if the file exists, so processes that start at the same time all use the key of the first.
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
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

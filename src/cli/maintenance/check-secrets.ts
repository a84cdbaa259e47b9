/** Finds secrets that other users of the machine can read, where permissions can keep them from it. */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../../config/config.ts';
import { linkKeysPath } from '../../config/link-keys.ts';
import { hasPermissions } from '../../lib/file-system.ts';
import { passwordsPath } from '../../studio/passwords.ts';

const READABLE_BY_OTHERS = 0o004;

export function findReadableSecrets({ database, dataDir, linkKeys }: Config): string[] {
  // Windows has other permissions.
  if (process.platform === 'win32') return [];
  const tokens = database.engine === 'sqlite' ? [database.tokensPath] : [];
  const keys = linkKeys === undefined ? [linkKeysPath(dataDir)] : [];
  return [...tokens, ...keys, passwordsPath(dataDir)].flatMap((path) => {
    const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
    return mode & READABLE_BY_OTHERS && hasPermissions(dirname(path))
      ? `${path}: every user of this machine can read it; run "chmod 600 ${path}"`
      : [];
  });
}

/**
 * Tests that need a server or browser installed on the machine. If it is missing they are skipped with a warning, or
 * fail if ZUKAN_TEST_EVERYTHING is set, as in continuous integration.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

export const everything = Boolean(process.env.ZUKAN_TEST_EVERYTHING);

/** The value for a test's `skip`: false if the program was found. */
export function unless(path: string | undefined, name: string, remedy: string): string | false {
  if (path !== undefined) return false;
  const message = `${name} is missing: ${remedy}`;
  if (everything) throw new Error(message);
  console.error(`\n!!! SKIPPED: ${message}\n`);
  return message;
}

/** Finds a program in PATH and in the given folders. */
export function findProgram(name: string, folders: string[] = []): string | undefined {
  const candidates = [...(process.env.PATH ?? '').split(delimiter), ...folders];
  return candidates.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Whether npm installs what another system needs, with `--os` and `--cpu`: npm 9, which Debian has, ignores them. */
export function npmInstallsForOthers(): boolean {
  return Number.parseInt(execFileSync('npm', ['--version'], { encoding: 'utf8' }), 10) >= 10;
}

/**
 * Debian installs each version of PostgreSQL in a separate folder. The newest is used. A program in PATH may be a link to
 * one of them; the other programs are beside its target.
 */
export function findPostgres(): string | undefined {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  const initdb = findProgram(
    'initdb',
    versions.map((version) => join(root, version, 'bin')),
  );
  return initdb && realpathSync(initdb);
}

export const installPostgres = 'install PostgreSQL (on Debian: apt-get install postgresql)';

/**
 * ZUKAN_TEST_BROWSER names another one, or its path. The headless shell comes first: it runs the gallery tests in a third of
 * the time.
 */
export function findChromium(): string | undefined {
  const { ZUKAN_TEST_BROWSER: chosen } = process.env;
  if (!chosen)
    return ['chromium-headless-shell', 'chromium', 'google-chrome']
      .map((name) => findProgram(name))
      .find(Boolean);
  const path = isAbsolute(chosen) ? chosen : findProgram(chosen);
  if (path === undefined || !existsSync(path)) throw new Error(`ZUKAN_TEST_BROWSER: there is no ${chosen}`);
  return path;
}
export const installChromium = 'install Chromium (on Debian: apt-get install chromium-headless-shell)';

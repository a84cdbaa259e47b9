/**
 * Tests that need a server or a browser of the machine. Where it is missing they are skipped with one loud line, or
 * fail when ZUKAN_TEST_EVERYTHING is set, as continuous integration does.
 */
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const everything = Boolean(process.env.ZUKAN_TEST_EVERYTHING);

/** What to pass as a test's `skip`: false when the thing is there. */
export function unless(found: string | undefined, thing: string, remedy: string): string | false {
  if (found !== undefined) return false;
  const message = `${thing} is missing: ${remedy}`;
  if (everything) throw new Error(message);
  console.error(`\n!!! SKIPPED: ${message}\n`);
  return message;
}

/** The path of a program, looked for where the system keeps programs and in these folders. */
export function findProgram(name: string, folders: string[] = []): string | undefined {
  const places = [...(process.env.PATH ?? '').split(delimiter), ...folders];
  return places.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Debian keeps each version of PostgreSQL in a folder of its own; the newest one counts. */
export function findPostgres(): string | undefined {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  return findProgram(
    'initdb',
    versions.map((version) => join(root, version, 'bin')),
  );
}

export const installPostgres = 'install PostgreSQL (on Debian: apt-get install postgresql)';

/** Best without its own windows: drawing them takes two thirds of what the tests of the gallery take. */
export const findChromium = (): string | undefined =>
  ['chromium-headless-shell', 'chromium', 'google-chrome'].map((name) => findProgram(name)).find(Boolean);
export const installChromium = 'install Chromium (on Debian: apt-get install chromium-headless-shell)';

/** What the environment, the settings file and the file of keys say. */
import { randomBytes, randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { hasPermissions, makeFolder, PRIVATE_FOLDER, renameWithRetry } from '../lib/file-system.ts';
import { editDistance } from '../lib/text.ts';
import { ConfigError, type Environment, isLinkKey, readConfig } from './config.ts';

// The variables that configure zukan: those of the environment and, below them, of the settings file.

const FILE_VARIABLE = 'ZUKAN_SETTINGS';
/** Version 1.0 read it from the current folder, where a stranger's archive may have left it. */
const FORMER_FILE = 'zukan.env';
const MAX_FILE_BYTES = 64 * 1024;
const READABLE_BY_OTHERS = 0o004;
const WRITABLE_BY_OTHERS = 0o002;

export interface Settings {
  environment: Environment;
  /** The path of the file that was read. */
  file: string | undefined;
  /** Where the value of a variable comes from: `environment`, the path of the file, or `default`. */
  originOf(name: string): string;
  /** What an operator should know, one line each. */
  warnings: string[];
}

/**
 * Unset or empty variables of the environment are taken from the file that the option `--settings` or, without it, the variable
 * names. Nothing else is read from `folder`, the current one.
 */
export function readSettings(environment: Environment, option: string | undefined, folder: string): Settings {
  const file = readFile(option ?? (environment[FILE_VARIABLE]?.trim() || undefined));
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
  return {
    environment: { ...file?.variables, ...set },
    file: file?.path,
    originOf: (name) => (name in set ? 'environment' : file?.variables[name] ? file.path : 'default'),
    warnings: [
      ...(file?.warnings ?? []),
      ...nameWarnings(Object.keys(environment), file),
      ...formerFileWarnings(join(folder, FORMER_FILE), file?.stats),
    ],
  };
}

interface SettingsFile {
  path: string;
  stats: Stats;
  variables: Record<string, string>;
  warnings: string[];
}

function readFile(path: string | undefined): SettingsFile | undefined {
  if (path === undefined) return undefined;
  let descriptor: number;
  try {
    // Opening a pipe would wait for its writer.
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      `the settings file "${path}" cannot be read (${code}); correct --settings or ${FILE_VARIABLE}, or its permissions`,
    );
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new ConfigError(`${path}: must be a file`);
    if (stats.size > MAX_FILE_BYTES)
      throw new ConfigError(`${path}: must have at most ${MAX_FILE_BYTES} bytes`);
    const warnings = requireTrusted(stats, path);
    const variables = parseFile(readFileSync(descriptor, 'utf8'), path);
    const isReadable = process.platform !== 'win32' && (stats.mode & READABLE_BY_OTHERS) !== 0;
    if (warnings.length === 0 && isReadable && Object.entries(variables).some(isSecret))
      warnings.push(`${path}: every user of this machine can read its secrets; run "chmod 600 ${path}"`);
    return { path: resolve(path), stats, variables, warnings };
  } finally {
    closeSync(descriptor);
  }
}

function formerFileWarnings(path: string, named: Stats | undefined): string[] {
  try {
    const former = statSync(path);
    if (!former.isFile() || (former.ino === named?.ino && former.dev === named.dev)) return [];
  } catch {
    // There is none, or version 1.0 could not have read it.
    return [];
  }
  return [`${path} is no longer read; if it is yours, name it with --settings ${path} or ${FILE_VARIABLE}`];
}

/** In a folder such as /tmp, another user could leave a file that sends the catalogue elsewhere. Returns warnings. */
function requireTrusted({ mode, uid }: Stats, path: string): string[] {
  const user = process.getuid?.();
  if (user === undefined) return [];
  const folder = dirname(path);
  const isForeign = uid !== user && uid !== 0 && (statSync(folder).mode & WRITABLE_BY_OTHERS) !== 0;
  if (!isForeign && (mode & WRITABLE_BY_OTHERS) === 0) return [];
  if (hasPermissions(folder))
    throw new ConfigError(
      `${path}: every user of this machine can change it; own it, and let only you write to it (chmod 600)`,
    );
  return [`${path}: every user of this machine can read and change it: its disk has no permissions`];
}

/** URLs with a password, and keys. */
function isSecret([name, value]: [string, string]): boolean {
  return /KEY|SECRET|TOKEN/.test(name) || (value.includes('://') && /@|pass/i.test(value));
}

/** Lines `NAME=value`. The value may be quoted; without quotes it ends before a space and `#`. The error lists every wrong line. */
export function parseFile(text: string, path: string): Record<string, string> {
  const variables = new Map<string, string>();
  const problems: string[] = [];
  for (const [index, line] of text
    .replace(/^\u{feff}/u, '')
    .split(/\r?\n/)
    .entries()) {
    const number = index + 1;
    if (/^\s*(#|$)/.test(line)) continue;
    const [, name, rest = ''] = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*)$/.exec(line) ?? [];
    // The reasons repeat no value, which may be a secret.
    if (name === undefined) problems.push(`${path}:${number}: must be NAME=value or a comment after #`);
    else if (variables.has(name))
      problems.push(`${path}:${number}: ${name} was set before; remove one of the lines`);
    else {
      const value = parseValue(rest);
      if (value === undefined)
        problems.push(
          `${path}:${number}: ${name} has text after its closing quote, no closing quote, or a control character`,
        );
      else variables.set(name, value);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return Object.fromEntries(variables);
}

function parseValue(text: string): string | undefined {
  const quoted = /^(["'])(.*?)\1\s*(?:#.*)?$/.exec(text);
  const value = quoted?.[2] ?? (/^["']/.test(text) ? undefined : text.replace(/\s+#.*$/, '').trim());
  return value === undefined || /\p{Cc}|\u{fffd}/u.test(value) ? undefined : value;
}

/** Names that are probably misspelt: in the file each one that is unknown, in the environment those that are nearly known. */
function nameWarnings(inEnvironment: string[], file: SettingsFile | undefined): string[] {
  // A full path, because the current folder may be gone.
  const any = { DATA_DIR: '/', DATABASE_URL: 'postgres://localhost/zukan' };
  const known = Object.keys(readConfig(any).described);
  // Those of AWS are many, and none of ours.
  const isKnown = (name: string) => known.includes(name) || name.startsWith('AWS_');
  const unknown = Object.keys(file?.variables ?? {}).filter((name) => !isKnown(name));
  return [
    ...unknown.map(
      (name) => `${file?.path}: ${name} is unknown and ignored${suggest(findNear(name, known))}`,
    ),
    ...inEnvironment.flatMap((name) => {
      if (name === FILE_VARIABLE || isKnown(name)) return [];
      const near = findNear(name, [...known, FILE_VARIABLE]);
      return near ? [`the variable ${name} is ignored${suggest(near)}`] : [];
    }),
  ];
}

const suggest = (name: string | undefined): string => (name ? `; did you mean ${name}?` : '');

/** A short name is one letter away from too many others, such as PORT from SPORT. */
const MIN_LENGTH_FOR_ONE = 6;
const MIN_LENGTH_FOR_TWO = 10;

export function findNear(name: string, known: readonly string[]): string | undefined {
  const letters = (text: string) => text.toUpperCase().replaceAll('_', '');
  return (
    known.find((other) => letters(other) === letters(name)) ??
    known.find((other) => {
      const max = other.length >= MIN_LENGTH_FOR_TWO ? 2 : other.length >= MIN_LENGTH_FOR_ONE ? 1 : 0;
      return editDistance([...name], [...other], max) <= max;
    })
  );
}

// The signing keys of instances without LINK_KEYS: a file in the data folder, one key per line.

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

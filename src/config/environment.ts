/** The variables that configure zukan: those of the environment and, below them, of the settings file. */
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { editDistance } from '../lib/edit-distance.ts';
import { hasPermissions } from '../lib/file-system.ts';
import { ConfigError, describeConfig, type Environment, readConfig } from './config.ts';

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
  const known = Object.keys(describeConfig(readConfig(any)));
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

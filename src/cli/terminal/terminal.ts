/** The terminal: what commands print and ask, their options, and how they fail. */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Option } from 'commander';
import type { Difference } from '../../catalogue/change-log.ts';
import { joinLines } from '../../catalogue/lines.ts';
import { RATINGS } from '../../catalogue/schemas.ts';
import type { Config } from '../../config/config.ts';
import type { Clock } from '../../lib/clock.ts';
import { isFull, measureDisks } from '../../lib/file-system.ts';
import { printable, shorten } from '../../lib/text.ts';

/** Where a command reads and writes. `process` is one; tests pass their own streams. */
export interface Terminal {
  stdin: Readable;
  stdout: Writable & { isTTY?: boolean };
  stderr: Writable & { isTTY?: boolean };
}

/** Whether somebody can answer a question. */
export function isInteractive({ stdin, stderr }: Terminal): boolean {
  return stderr.isTTY === true && (stdin as { isTTY?: boolean }).isTTY === true;
}

const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });

/** For commands that another part of the program runs. */
export const silentTerminal: Terminal = { stdin: Readable.from([]), stdout: nowhere, stderr: nowhere };

export function printLine(terminal: Pick<Terminal, 'stdout'>, line: string): void {
  printLines(terminal, [line]);
}

/** A line feed within a line is escaped. */
export function printLines({ stdout }: Pick<Terminal, 'stdout'>, lines: string[]): void {
  stdout.write(lines.map((line) => `${printable(line)}\n`).join(''));
}

/** Prints lines, none faster than it is read. Returns false if the output ended before: `head` closes its end early. */
export async function printStream(
  { stdout }: Pick<Terminal, 'stdout'>,
  lines: AsyncIterable<string>,
): Promise<boolean> {
  let outputError: unknown;
  stdout.once('error', (error) => {
    outputError = error;
  });
  try {
    await pipeline(joinLines(lines), stdout, { end: false });
    return true;
  } catch (error) {
    if (error !== outputError) throw error;
    return false;
  }
}

/** One array, a line per record. What it starts and ends with may be that of an object around it. */
export async function* jsonArray(
  records: AsyncIterable<object>,
  start = '[',
  end = ']',
): AsyncGenerator<string, void> {
  let last = start;
  let separator = '';
  for await (const record of records) {
    yield last + separator;
    last = printable(JSON.stringify(record));
    separator = ',';
  }
  yield last;
  yield end;
}

export const DRY_RUN = 'dry run, nothing was changed';

/** What a command did, or would do. */
export function printResult(terminal: Pick<Terminal, 'stdout'>, isDryRun: boolean, result: string): void {
  printLine(terminal, isDryRun ? `${DRY_RUN}; this would result in: ${result}` : result);
}

/**
 * Lets a command do its work whether or not someone reads what it prints: a closed pipe is not an error. The function that it
 * returns waits until everything is written, and fails if that was not possible for another reason, such as a full disk.
 */
export function watchOutput({ stdout, stderr }: Terminal): () => Promise<void> {
  let failure: NodeJS.ErrnoException | undefined;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') failure ??= error;
  });
  stderr.on('error', () => {});
  return async () => {
    await new Promise((resolve) => stdout.write('', resolve));
    if (failure) throw new CommandError(`cannot write the output: ${failure.message}`);
  };
}

/** Says what is wrong but does not stop the command. */
export const warnOn =
  ({ stderr }: Pick<Terminal, 'stderr'>) =>
  (problem: string): void =>
    void stderr.write(`warning: ${printable(problem)}\n`);

/** A mistyped DATA_DIR is noticed this way. `created` is undefined if the catalogue existed. */
export function announceCreated({ stderr }: Pick<Terminal, 'stderr'>, created: string | undefined): void {
  if (created !== undefined) stderr.write(`created a new catalogue: ${printable(created)}\n`);
}

// Text for people.

export { printable };

/** `1 image`, `2 images`, `2 categories`. */
export function count(number: number, noun: string): string {
  return `${number} ${number === 1 ? noun : `${noun}s`.replace(/ys$/, 'ies')}`;
}

/** Longer values are cut, except where nothing else shows them whole. */
const MAX_VALUE_LENGTH = 60;

/** `rating: sfw → nsfw`. */
export function formatDifference({ field, before, after }: Difference, maxLength = MAX_VALUE_LENGTH): string {
  const show = (value: string) => shorten(value, maxLength) || '(none)';
  // People know files by no hash.
  if (field === 'file' && before && after) return 'file: replaced by another one';
  return `${field}: ${show(before)} → ${show(after)}`;
}

const MAX_CELL_LENGTH = 40;

/** For a cell of a table. */
export const shortenCell = (text: string): string => shorten(text, MAX_CELL_LENGTH);

interface Table {
  header: string[];
  rows: string[][];
  /** Said instead of a table without rows. */
  none?: string;
}

export interface JsonFlag {
  json: boolean;
}

/** Prints records: with `--json` as they are, or else as a table for people. */
export function printRecords(
  terminal: Pick<Terminal, 'stdout'>,
  { json }: JsonFlag,
  records: unknown,
  { header, rows, none }: Table,
): void {
  if (json) printLine(terminal, JSON.stringify(records));
  else if (rows.length === 0 && none) printLine(terminal, none);
  else printLines(terminal, formatTable(header, rows));
}

/** Formats rows of text as lines with aligned columns. */
export function formatTable(header: string[], rows: string[][]): string[] {
  // Escaped here already, because escapes make a cell longer.
  const all = [header, ...rows].map((row) => row.map(printable));
  const widths = header.map((_, column) =>
    all.reduce((width, row) => Math.max(width, widthOf(row[column] ?? '')), 0),
  );
  return all.map((row) => {
    const cells = row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)));
    return cells.join('  ').trimEnd();
  });
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** In columns: Chinese, Japanese and Korean characters take two, and marks none. */
const widthOf = (text: string): number =>
  Array.from(text.replaceAll(/\p{M}/gu, '')).reduce(
    (width, character) => width + (WIDE.test(character) ? 2 : 1),
    0,
  );

// Values of options.

/** An option that can be repeated, and takes one value each time. */
export function repeatable(flags: string, description: string): Option {
  const collect = (value: string, previous: string[] = []) => [...previous, value];
  return new Option(flags, `${description}; can be repeated`).argParser(collect);
}

/** The end of the help of a command. */
export function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}\n`).join('')}`.trimEnd();
}

const numberParser =
  (option: string, pattern: RegExp, expected: string, max = Number.POSITIVE_INFINITY) =>
  (text: string): number => {
    if (pattern.test(text) && Number(text) <= max) return Number(text);
    throw new UsageError(`${option} ${text}: must be ${expected}`);
  };

export const parsePort = numberParser('--port', /^\d{1,5}$/, 'a number from 0 to 65535', 65_535);
export const parseLimit = numberParser('--limit', /^[1-9]\d{0,8}$/, 'a whole number above 0');
export const parseKeep = numberParser('--keep', /^[1-9]\d{0,3}$/, 'a whole number from 1 to 9999');

export const ratingOption = (description: string): Option =>
  new Option('--rating <rating>', description).choices(RATINGS);

export function parseTime(text: string): string {
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? new Date(text).getTime() : Number.NaN;
  if (Number.isNaN(time))
    throw new UsageError(`--since ${text}: must be a date, such as 2026-01-31 or 2026-01-31T12:00:00Z`);
  return new Date(time).toISOString();
}

// How commands fail: their errors, interrupts, and explanations of errors of the system.

/** A command failed. The message is for the person who ran it, and safe to print. */
export class CommandError extends Error {
  constructor(...lines: string[]) {
    super(lines.map(printable).join('\n'));
  }
}

/** The command was called with invalid options or arguments. */
export class UsageError extends CommandError {}

type SystemError = Error & { code?: string; path?: string; errcode?: number };

const permission = (path: string) => {
  const user = process.getuid?.();
  const who = user === undefined ? 'this user' : `the user with the id ${user}`;
  return `no permission for ${path}; let ${who} read and write there, or run zukan as its owner`;
};

const explanations: Record<string, (path: string) => string> = {
  ENOSPC: (path) => `no space left on the disk of ${path}; free some, then try again`,
  EDQUOT: (path) => `the disk quota for ${path} is used up; free some space, then try again`,
  EACCES: permission,
  EPERM: permission,
  EROFS: (path) => `${path} is read-only; make it writable or choose another place`,
  ENOTDIR: (path) => `${path} cannot exist, because a part of this path is not a folder`,
  EEXIST: (path) => `${path} exists, but is not a folder`,
  EISDIR: (path) => `${path} is a folder; name a file`,
};

/** The primary result codes of SQLite that an operator can do something about. Its errors name no path. */
const sqliteCodes: Record<number, string> = { 3: 'EACCES', 8: 'EROFS', 13: 'ENOSPC' };
const SQLITE_IOERR = 10;
const SQLITE_CANTOPEN = 14;
const SQLITE_PROTOCOL = 15;
/** Extended codes: locks, from SQLITE_IOERR_UNLOCK on, and the memory that processes share, SQLITE_IOERR_SHMOPEN to _SHMMAP. */
const sharingErrors = [8, 9, 14, 15, 18, 19, 20, 21].map((part) => (part << 8) | SQLITE_IOERR);

/** Explains errors of the operating system and of SQLite: which path is affected, and what to do about it. */
export function explainError(error: SystemError, config: Config): string {
  const { code = '', path, errcode, message } = error;
  // A failed write names no path. Most are of image files; the database is on the same disk unless configured otherwise.
  if (errcode === undefined) return explanations[code]?.(path ?? filesPath(config)) ?? message;
  const database = config.database.engine === 'sqlite' ? config.database.path : config.dataDir;
  // The rest of an extended code says where in SQLite it happened.
  const primary = errcode & 0xff;
  if (primary === SQLITE_CANTOPEN || statSync(database, { throwIfNoEntry: false })?.isDirectory())
    return `cannot open ${database}; make sure that its folder can be read and written`;
  const isDiskFull = primary === SQLITE_IOERR && measureDisks([dirname(database)]).some(isFull);
  if (!isDiskFull && (primary === SQLITE_PROTOCOL || sharingErrors.includes(errcode)))
    return (
      `${database}: ${message}; SQLite needs a local disk, where processes can lock and share files: set DATA_DIR to a ` +
      'folder on one, and FILES_URL to that for the pictures, which may be on a network share, or use PostgreSQL'
    );
  const known = isDiskFull ? 'ENOSPC' : (sqliteCodes[primary] ?? '');
  return explanations[known]?.(database) ?? `${database}: ${message}`;
}

function filesPath({ storage, dataDir }: Config): string {
  return storage.engine === 'folder' ? storage.path : dataDir;
}

/** Lets a command end in an orderly way. The first SIGINT (Ctrl-C) or SIGTERM aborts the signal with the message. A second one terminates the process. */
export function listenForInterrupt(message: string): Disposable & { signal: AbortSignal } {
  const controller = new AbortController();
  const onSignal = () => {
    controller.abort(new CommandError(message));
    stopListening();
  };
  const stopListening = () => process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return { signal: controller.signal, [Symbol.dispose]: stopListening };
}

// Asks the person at the terminal.

/** Returns what is typed, or undefined if the input ends or is interrupted. */
export async function ask(
  question: string,
  { stdin, stderr }: Terminal,
  { isHidden = false } = {},
): Promise<string | undefined> {
  const output = isHidden ? nowhere : stderr;
  const prompt = createInterface({ input: stdin, output, terminal: true, historySize: 0, prompt: question });
  if (isHidden) stderr.write(question);
  try {
    return await new Promise<string | undefined>((resolve) => {
      // While it reads, the prompt gets Ctrl-C instead of the process.
      prompt.once('SIGINT', () => process.emit('SIGINT'));
      for (const end of ['SIGINT', 'close']) prompt.once(end, () => resolve(undefined));
      prompt.once('line', resolve);
      prompt.prompt();
    });
  } finally {
    prompt.close();
    if (isHidden) stderr.write('\n');
  }
}

/** Throws unless somebody agrees, at the terminal or with `--yes`. `consequence` is a sentence. */
export async function confirm(
  consequence: string,
  { yes = false }: { yes?: boolean | undefined },
  terminal: Terminal,
): Promise<void> {
  if (yes) return;
  const answer = isInteractive(terminal)
    ? await ask(`${printable(consequence)} Continue? [y/N] `, terminal)
    : undefined;
  if (!/^y(es)?$/i.test(answer?.trim() ?? ''))
    throw new CommandError(`nothing was changed: ${consequence} Use --yes if this is right.`);
}

// Progress of long work: a bar on a terminal, a line every few seconds elsewhere.

const BAR_WIDTH = 24;
const BAR_INTERVAL_MS = 100;
const LINE_INTERVAL_MS = 3000;

/** It is shown until it is disposed of. */
export interface Progress extends Disposable {
  /** One more item is done. `size` is in the unit of the total. */
  advance(size: number): void;
}

export const noProgress: Progress = { advance() {}, [Symbol.dispose]() {} };

/** `total` is undefined if it is not known. */
export function startProgress(
  title: string,
  total: number | undefined,
  { stderr }: Pick<Terminal, 'stderr'>,
  clock: Clock = Date.now,
): Progress {
  const isTTY = stderr.isTTY === true;
  const started = clock();
  let shown = started;
  let [done, items] = [0, 0];
  const show = (now: number) => {
    const share = total ? Math.min(1, done / total) : undefined;
    const line = describe(items, share, (now - started) / 1000, isTTY);
    stderr.write(isTTY ? `\r\x1b[K${title} ${line}` : `${title}: ${line}\n`);
  };
  return {
    advance(size) {
      done += size;
      items++;
      const now = clock();
      if (now - shown < (isTTY ? BAR_INTERVAL_MS : LINE_INTERVAL_MS)) return;
      shown = now;
      show(now);
    },
    [Symbol.dispose]() {
      if (isTTY) stderr.write('\r\x1b[K');
    },
  };
}

function describe(items: number, share: number | undefined, seconds: number, withBar: boolean): string {
  const rate = `${items} done, ${Math.round(items / Math.max(seconds, 0.001))}/s`;
  if (share === undefined) return rate;
  const filled = Math.round(share * BAR_WIDTH);
  const bar = withBar ? `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)} ` : '';
  const left = share > 0 ? `, ${Math.ceil(seconds / share - seconds)} s left` : '';
  return `${bar}${Math.floor(share * 100)}%, ${rate}${left}`;
}

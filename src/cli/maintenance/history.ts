/** `zukan history` lists changes and shows what one changed; `zukan undo` and `zukan imports` undo them. */
import {
  type Change,
  type ChangeFilter,
  type ChangeGroup,
  type DescribedItem,
  groupChanges,
  type ItemKind,
  type Kept,
  listGroups,
  type UndoResult,
} from '../../catalogue/change-log.ts';
import { isId } from '../../catalogue/names.ts';
import { KINDS } from '../../catalogue/schemas.ts';
import type { CatalogueSnapshot } from '../../catalogue/writer.ts';
import { describeItems } from '../../changes/describe.ts';
import { matchEntries } from '../../changes/entries.ts';
import { ChangedSince, undoChange } from '../../changes/undo.ts';
import type { Config } from '../../config/config.ts';
import { openSnapshot } from '../../server/engines.ts';
import { list } from '../importing/report.ts';
import {
  CommandError,
  count,
  DRY_RUN,
  formatDifference,
  formatTable,
  type JsonFlag,
  jsonArray,
  listenForInterrupt,
  type Progress,
  printable,
  printLine,
  printLines,
  printRecords,
  printStream,
  startProgress,
  type Terminal,
  UsageError,
} from '../terminal/terminal.ts';
import { writersFor } from '../writer.ts';

const DEFAULT_LIMIT = 100;

interface HistoryFlags extends JsonFlag {
  image?: string;
  entry?: string;
  since?: string;
  limit?: number;
}

export async function historyCommand(
  config: Config,
  number: string | undefined,
  flags: HistoryFlags,
  terminal: Terminal,
): Promise<void> {
  await using snapshot = await openSnapshot(config);
  if (number !== undefined) {
    if (flags.image ?? flags.entry ?? flags.since ?? flags.limit)
      throw new UsageError('name either the number of a change, or options that find changes');
    await showChange(snapshot, parseNumber(number), flags.json, terminal);
    return;
  }
  const [{ changeLog }, filter] = [snapshot, await readFilter(snapshot, flags)];
  if (flags.json) {
    printLine(terminal, JSON.stringify((await changeLog.list(filter)).map(view)));
    return;
  }
  const changes = await listGroups(changeLog, filter);
  if (changes.length === 0) printLine(terminal, 'no changes');
  else printLines(terminal, formatTable(['change', 'time', 'origin', 'user', 'what'], changes.map(toRow)));
}

function parseNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`${text}: must be the number of a change`);
  return Number(text);
}

async function readFilter(snapshot: CatalogueSnapshot, flags: HistoryFlags): Promise<ChangeFilter> {
  const { image, entry, since, limit = DEFAULT_LIMIT } = flags;
  if (image !== undefined && entry !== undefined) throw new UsageError('name either --image or --entry');
  if (image !== undefined && !isId(image))
    throw new UsageError(`--image ${image}: must be the id of an image`);
  return {
    limit,
    since,
    ...(image !== undefined && { of: { kinds: ['image', 'taken-down'], ids: [image.toLowerCase()] } }),
    ...(entry !== undefined && { of: { kinds: KINDS, ids: await findEntryIds(snapshot, entry) } }),
  };
}

/** Those that have this name, alias or id, and those that had the name once. */
async function findEntryIds(snapshot: CatalogueSnapshot, reference: string): Promise<string[]> {
  const ids = isId(reference) ? [reference.toLowerCase()] : await snapshot.changeLog.entriesNamed(reference);
  for (const kind of KINDS) for (const { id } of await matchEntries(snapshot, kind, reference)) ids.push(id);
  if (ids.length === 0)
    throw new CommandError(`no artist, category, character or album is or was called "${reference}"`);
  return [...new Set(ids)];
}

function view({ number, at: time, origin, user, summary, state }: Change) {
  return { number, time, origin, user, summary, ...(state !== 'done' && { state }) };
}

function toRow(change: ChangeGroup): string[] {
  const { number, at, origin, user, summary, state, parts } = change;
  const mark = state === 'done' || state === 'final' ? '' : ` (${state})`;
  const first = parts.at(-1);
  return [first ? `${first.number}-${number}` : String(number), at, origin, user, summary + mark];
}

async function showChange(
  snapshot: CatalogueSnapshot,
  number: number,
  isJson: boolean,
  terminal: Terminal,
): Promise<void> {
  const change = await snapshot.changeLog.find(number);
  if (!change) throw new CommandError(`there is no change ${number}; "zukan history" lists them`);
  const items = async function* (): AsyncGenerator<DescribedItem[], void> {
    for await (const batch of snapshot.changeLog.items(number)) yield await describeItems(snapshot, batch);
  };
  await printStream(terminal, isJson ? jsonLines(change, items()) : textLines(change, items()));
}

async function* textLines(
  change: Change,
  batches: AsyncIterable<DescribedItem[]>,
): AsyncGenerator<string, void> {
  const { number, at, origin, user, summary, state, source, added, firstImage, lastImage } = change;
  yield printable(`change ${number}, ${at}, ${origin}${user && `, ${user}`}: ${summary}`);
  if (source) yield printable(`from ${source}`);
  if (lastImage >= firstImage) yield `${added} added`;
  if (state === 'undone') yield 'it is undone';
  if (state === 'forgotten') yield 'it changed too much to be remembered and cannot be undone';
  for await (const items of batches) for (const item of items) yield printable(describeItem(item));
}

function describeItem({ kind, id, name, what, differences, undoneBy }: DescribedItem): string {
  const fields = differences.map((difference) => formatDifference(difference, Number.POSITIVE_INFINITY));
  const undone = undoneBy === null ? '' : ` (undone by ${undoneBy})`;
  return `${describeSubject({ kind, id, name })} ${what}${fields.length > 0 ? `  ${fields.join('; ')}` : ''}${undone}`;
}

/** What a line is about: an image by its id and what it is called, an entry by its name. */
function describeSubject(subject: { kind: ItemKind; id: string; name?: string | undefined }): string {
  const { kind, id, name } = subject;
  const isImage = kind === 'image' || kind === 'taken-down';
  return isImage ? `image ${id}${name ? ` (${name})` : ''}` : `${kind} ${name ?? id}`;
}

async function* jsonLines(
  change: Change,
  batches: AsyncIterable<DescribedItem[]>,
): AsyncGenerator<string, void> {
  const { source, added, changed, removed, entries } = change;
  const head = JSON.stringify({ ...view(change), source, added, changed, removed, entries });
  const items = async function* () {
    for await (const batch of batches) yield* batch;
  };
  yield* jsonArray(items(), printable(`${head.slice(0, -1)},"items":[`), ']}');
}

// `zukan undo`: undoes a change. `zukan imports` lists those that are imports.

const MAX_IMPORTS = 100;
/** More than anybody changes in ten minutes. */
const MAX_RANGE = 10_000;
const header = ['id', 'time', 'added', 'changed', 'removed', 'entries', 'state', 'source'];

interface UndoFlags {
  dryRun: boolean;
  strict?: boolean;
}

export async function undoCommand(
  config: Config,
  text: string,
  flags: UndoFlags,
  terminal: Terminal,
): Promise<void> {
  const range = text.split('-').map(parseNumber);
  if (range.length === 1) await undoOne(config, range[0] as number, flags, terminal);
  else if (flags.dryRun || flags.strict)
    throw new UsageError(`${text}: --dry-run and --strict take one change`);
  else
    for (const { number } of await readGroup(config, text, range))
      await undoOne(config, number, flags, terminal);
}

/** The changes that the history shows as one, the newest one first. */
async function readGroup(
  config: Config,
  text: string,
  [first = 0, last = 0, ...others]: number[],
): Promise<Change[]> {
  const size = last - first + 1;
  await using snapshot = await openSnapshot(config);
  const filter = { before: last + 1, limit: Math.min(Math.max(size, 0), MAX_RANGE) };
  const [group] = groupChanges(await snapshot.changeLog.list(filter));
  if (others.length > 0 || group?.number !== last || group.parts.length !== size)
    throw new UsageError(
      `${text}: "zukan history" does not show these changes as one; undo one after the other`,
    );
  return group.parts;
}

async function undoOne(
  config: Config,
  number: number,
  { dryRun: isDryRun, strict: isStrict = false }: UndoFlags,
  terminal: Terminal,
): Promise<void> {
  using interrupt = listenForInterrupt(`interrupted; change ${number} was not undone`);
  const { signal } = interrupt;
  const openWriter = writersFor(config, terminal);
  let progress: Progress | undefined;
  const onProgress = (done: number, total: number) => {
    progress ??= startProgress('Undoing', total, terminal);
    progress.advance(done);
  };
  const result = await undoChange(number, { openWriter, isDryRun, isStrict, signal, onProgress })
    .finally(() => progress?.[Symbol.dispose]())
    .catch((error) => {
      if (!(error instanceof ChangedSince)) throw error;
      throw new CommandError(error.message, ...list('changed since', error.kept.map(describeKept)));
    });
  const done = describeResult(result);
  if (isDryRun) printLine(terminal, `${DRY_RUN}; undoing change ${number} would result in: ${done}`);
  else printLine(terminal, `undid change ${number}: ${done}`);
  printLines(terminal, list('kept', result.kept.map(describeKept)));
}

export async function listImports(config: Config, flags: JsonFlag, terminal: Terminal): Promise<void> {
  await using snapshot = await openSnapshot(config);
  const imports = await snapshot.changeLog.list({ limit: MAX_IMPORTS, isImport: true });
  const table = { header, rows: imports.map(importRow), none: 'no imports' };
  printRecords(terminal, flags, imports.map(undoView), table);
}

function undoView({ number: id, at, source, origin, added, changed, removed, entries, state }: Change) {
  return { id, at, source, origin, added, changed, removed, entries, state };
}

function importRow(change: Change): string[] {
  const { id, at, added, changed, removed, entries, state, source } = undoView(change);
  const numbers = [added, changed, removed, entries].map(String);
  return [String(id), at, ...numbers, state === 'done' ? '' : state, source || 'added in the studio'];
}

function describeResult({ removed, restored, changed, entries }: UndoResult): string {
  const parts = [
    ...(removed.length > 0 ? [`${count(removed.length, 'image')} moved to the trash`] : []),
    ...(restored.length > 0 ? [`${count(restored.length, 'image')} restored`] : []),
    ...(changed.length > 0 ? [`${count(changed.length, 'image')} changed back`] : []),
    ...(entries > 0 ? [`${count(entries, 'entry')} changed back`] : []),
  ];
  return parts.join(', ') || 'nothing left to change';
}

function describeKept({ reason, ...subject }: Kept): string {
  return `${describeSubject(subject)}: ${reason}`;
}

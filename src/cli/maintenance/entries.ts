/** `zukan entry`: shows, changes, merges and removes artists, categories, characters and albums. */
import { text } from 'node:stream/consumers';
import { entryDifferences } from '../../catalogue/documents/edit-image.ts';
import { formerNames } from '../../catalogue/names.ts';
import { KINDS, type Kind } from '../../catalogue/schemas.ts';
import type { CatalogueWriter, SavedEntry } from '../../catalogue/writer.ts';
import {
  blockNames,
  changeCatalogue,
  createEntry,
  editEntry,
  findEntries,
  findEntry,
  matchEntries,
  mergeEntries,
  removeEmptyEntries,
  removeEntry,
} from '../../changes/entries.ts';
import type { Config } from '../../config/config.ts';
import type { EntryLine } from '../../import/records/record.ts';
import { newId } from '../../lib/random.ts';
import { openSnapshot, openStore } from '../../server/engines.ts';
import { list } from '../importing/report.ts';
import {
  CommandError,
  count,
  DRY_RUN,
  formatDifference,
  formatTable,
  printable,
  printLines,
  printRecords,
  printResult,
  printStream,
  type Terminal,
  UsageError,
} from '../terminal/terminal.ts';
import { changeByOptions, writersFor } from '../writer.ts';
import { readIds } from './images.ts';

const fieldOf = (field: string, ...kinds: Kind[]) => ({ field, kinds });

/** The options that set a field, and the kinds that have it. */
const fieldOptions = {
  url: fieldOf('url', 'artist'),
  licence: fieldOf('licence', 'artist'),
  credit: fieldOf('credit', 'artist'),
  description: fieldOf('description', 'category', 'character', 'album'),
  nsfw: fieldOf('nsfw', 'category'),
  source: fieldOf('source', 'character'),
  gender: fieldOf('gender', 'character'),
  age: fieldOf('ages', 'character'),
  birthDate: fieldOf('birth_date', 'character'),
  nationality: fieldOf('nationality', 'character'),
  occupation: fieldOf('occupations', 'character'),
  images: fieldOf('images', 'album'),
};
type FieldOption = keyof typeof fieldOptions;

interface EntryFlags extends Partial<Record<FieldOption, string | string[]>> {
  name?: string;
  images?: string[];
  addAlias?: string[];
  removeAlias?: string[];
  mergeInto?: string;
  create?: boolean;
  remove?: boolean;
  removeEmpty?: boolean;
  block?: boolean;
  unblock?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

/** At most one of these at a time. */
const actions = ['create', 'mergeInto', 'remove', 'removeEmpty', 'unblock'] as const;

export async function entryCommand(
  config: Config,
  kindName: string,
  references: string[],
  flags: EntryFlags,
  terminal: Terminal,
): Promise<void> {
  const kind = readKind(kindName);
  const { json, dryRun = false, ...changes } = flags;
  const [reference = ''] = references;
  if (flags.removeEmpty ? references.length > 0 : !flags.remove && references.length !== 1)
    throw new UsageError(
      'name one entry; only --remove takes several, and --remove-empty none, because it finds them',
    );
  if (Object.keys(changes).length === 0) {
    await showEntry(config, kind, reference, json ?? false, terminal);
    return;
  }
  const images = flags.images && { images: await readIds(flags.images, terminal) };
  const fields = readFields(kind, { ...flags, ...images });
  const edits = { ...fields, ...(flags.name !== undefined && { name: flags.name }) };
  checkCombination(flags, edits);
  if (flags.removeEmpty) return removeEmptyCommand(config, kind, flags, terminal);
  if (flags.remove) return removeEntriesCommand(config, kind, references, flags, terminal);
  const now = new Date().toISOString();
  const change = async (writer: CatalogueWriter): Promise<string> => {
    if (flags.create) return create(writer, kind, reference, fields, flags, now);
    if (flags.unblock) return unblock(writer, kind, reference);
    const matching = flags.block ? await matchEntries(writer, kind, reference) : [];
    if (matching.length > 0)
      throw new UsageError(`the ${kind} "${reference}" exists; add --remove to remove it`);
    if (flags.block) {
      await blockNames(writer, kind, [reference], now);
      return `blocked the name "${reference}"`;
    }
    const entry = await findEntry(writer, kind, reference);
    if (flags.mergeInto !== undefined) return merge(writer, entry, flags.mergeInto);
    const { addAlias: addAliases = [], removeAlias: removeAliases = [] } = flags;
    const after = await editEntry(writer, entry, { fields: edits, addAliases, removeAliases });
    return describeChange(entry, after);
  };
  const result = await changeByOptions(flags, writersFor(config, terminal), dryRun, async (writer) => {
    const done = await change(writer);
    writer.changeLog.describe(done);
    return done;
  });
  printResult(terminal, dryRun, result);
}

function readKind(name: string): Kind {
  const kind = KINDS.find((kind) => kind === name);
  if (!kind) throw new UsageError(`${name}: must be artist, category, character or album`);
  return kind;
}

/** No option is ignored. */
function checkCombination(flags: EntryFlags, edits: object): void {
  const { name, addAlias = [], removeAlias = [], create, remove, block } = flags;
  const named = actions.filter((action) => flags[action]);
  const isEdit = Object.keys(edits).length + addAlias.length + removeAlias.length > 0;
  if (named.length > 1 || (named.length === 1 && !create && isEdit))
    throw new UsageError(
      '--create, --merge-into, --remove, --remove-empty and --unblock cannot be combined with each other, and only --create with other changes',
    );
  if (create && (name !== undefined || removeAlias.length > 0))
    throw new UsageError('--create creates the name before it; leave out --name and --remove-alias');
  if (block && !remove && (named.length > 0 || isEdit))
    throw new UsageError('--block can be combined with --remove only');
}

async function showEntry(
  config: Config,
  kind: Kind,
  reference: string,
  json: boolean,
  terminal: Terminal,
): Promise<void> {
  await using snapshot = await openSnapshot(config);
  const entry = await findEntry(snapshot, kind, reference);
  await using store = await openStore(config);
  const images = (await store.catalogue.one(kind, entry.id))?.images ?? 0;
  const { id, name, ...fields } = JSON.parse(entry.document);
  const aliases = formerNames(entry.aliases);
  const shown = { id, name, aliases, images, ...fields, createdAt: entry.createdAt };
  const rows = Object.entries(shown).map(([field, value]) => [field, [value].flat().join(', ')]);
  printRecords(terminal, { json }, shown, { header: [kind, name], rows });
}

async function create(
  writer: CatalogueWriter,
  kind: Kind,
  name: string,
  fields: object,
  { addAlias: addAliases = [] }: EntryFlags,
  now: string,
): Promise<string> {
  const defaults = { now, newId: () => newId() };
  const entry = await createEntry(writer, { type: kind, name, ...fields } as EntryLine, defaults);
  if (addAliases.length > 0) await editEntry(writer, entry, { fields: {}, addAliases, removeAliases: [] });
  return `created the ${kind} "${name}"`;
}

async function unblock(writer: CatalogueWriter, kind: Kind, name: string): Promise<string> {
  if ((await writer.decisions.blockedNames(kind, [name])).length === 0)
    throw new CommandError(`the name "${name}" is not blocked`);
  await writer.decisions.unblockNames(kind, [name]);
  return `unblocked the name "${name}"; "zukan import --full" adds it again where folders mention it`;
}

async function merge(writer: CatalogueWriter, from: SavedEntry, reference: string): Promise<string> {
  const into = await findEntry(writer, from.kind, reference);
  const images = await mergeEntries(writer, from, into);
  return `merged the ${from.kind} "${from.name}" into "${into.name}" (${count(images, 'image')})`;
}

function describeChange(before: SavedEntry, after: SavedEntry): string {
  const differences = entryDifferences(before, after).map((difference) => formatDifference(difference));
  return `${before.kind} "${before.name}": ${differences.join('; ') || 'unchanged'}`;
}

/** The fields of a record that the options give. */
function readFields(kind: Kind, flags: EntryFlags): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [option, { field, kinds }] of Object.entries(fieldOptions)) {
    const value = flags[option as FieldOption];
    if (value === undefined) continue;
    if (!kinds.includes(kind))
      throw new UsageError(`the kind ${kind} has no field "${field}"; it is for: ${kinds.join(', ')}`);
    fields[field] = parseField(option, value);
  }
  return fields;
}

function parseField(option: string, value: unknown): unknown {
  if (option === 'nsfw') {
    if (value !== 'true' && value !== 'false') throw new UsageError('--nsfw: must be true or false');
    return value === 'true';
  }
  // An empty text stands for an empty list.
  const list = [value].flat().filter((item) => item !== '');
  if (option === 'occupation' || option === 'images') return list;
  return option === 'age' ? list.map(Number) : value;
}

// `zukan entry --remove` and `--remove-empty`: removes entries, as one change.

/** If one of them does not exist, none is removed. */
async function removeEntriesCommand(
  config: Config,
  kind: Kind,
  references: string[],
  { block = false, dryRun = false }: EntryFlags,
  terminal: Terminal,
): Promise<void> {
  const names = await readNames(references, terminal);
  if (names.length === 0)
    throw new UsageError(`name the ${kind} to remove, or several; - reads standard input`);
  const now = new Date().toISOString();
  const lines = await changeCatalogue(writersFor(config, terminal), dryRun, async (writer) => {
    const entries = new Map<string, SavedEntry>();
    for (const name of names) {
      const entry = await findEntry(writer, kind, name);
      entries.set(entry.id, entry);
    }
    const removed: string[] = [];
    for (const entry of entries.values()) {
      const images = await removeEntry(writer, entry, { block, now });
      const blocked = block ? ', and blocked its name' : '';
      removed.push(`removed the ${kind} "${entry.name}" from ${count(images, 'image')}${blocked}`);
    }
    const [only] = removed;
    writer.changeLog.describe(removed.length === 1 && only ? only : `removed ${count(removed.length, kind)}`);
    return removed;
  });
  const start = `${DRY_RUN}; this would result in:`;
  if (lines.length === 1) printLines(terminal, [dryRun ? `${start} ${lines[0]}` : (lines[0] as string)]);
  else printLines(terminal, dryRun ? [start, ...lines] : lines);
}

async function removeEmptyCommand(
  config: Config,
  kind: Kind,
  { dryRun = false }: EntryFlags,
  terminal: Terminal,
): Promise<void> {
  const removed = await changeCatalogue(writersFor(config, terminal), dryRun, async (writer) => {
    // The writer has the lock, so the catalogue stays as the snapshot shows it.
    await using snapshot = await openSnapshot(config);
    const entries = await removeEmptyEntries(writer, snapshot, kind);
    writer.changeLog.describe(`removed ${count(entries.length, kind)} that no image has`);
    return entries;
  });
  const what = `${count(removed.length, kind)} that no image has`;
  const title = dryRun ? `${DRY_RUN}; would remove ${what}` : `removed ${what}`;
  const names = removed.map(({ name }) => name);
  printLines(terminal, names.length === 0 ? [title] : list(title, names));
}

/** `-` reads names or ids from standard input, one per line. */
async function readNames(references: string[], { stdin }: Pick<Terminal, 'stdin'>): Promise<string[]> {
  const names: string[] = [];
  for (const reference of references)
    if (reference === '-') for (const line of (await text(stdin)).split(/\r?\n/)) names.push(line.trim());
    else names.push(reference);
  return [...new Set(names.filter(Boolean))];
}

// `zukan entries`: lists the artists, categories, characters or albums with their number of images.

export async function entriesCommand(
  config: Config,
  kindName: string,
  { empty, json }: { empty: boolean; json: boolean },
  terminal: Terminal,
): Promise<void> {
  const kind = readKind(kindName);
  await using snapshot = await openSnapshot(config);
  const found = (await findEntries(snapshot, kind)).filter(({ images }) => !empty || images === 0);
  const entries = found.map(({ entry: { id, name, aliases }, images }) => {
    return { id, name, aliases: formerNames(aliases), images };
  });
  const rows = entries.map(({ id, images, name }) => [id, String(images), name]);
  const lines = json
    ? [JSON.stringify(entries)]
    : terminal.stdout.isTTY
      ? formatTable(['id', 'images', 'name'], rows)
      : entries.map(({ id }) => id);
  await printStream(terminal, toStream(lines));
}

async function* toStream(lines: string[]): AsyncGenerator<string, void> {
  for (const line of lines) yield printable(line);
}

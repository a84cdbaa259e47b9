/** `zukan entry`: shows, changes, merges and removes artists, categories, characters and albums. */
import { entryDifferences } from '../../catalogue/documents/differences.ts';
import { formerNames } from '../../catalogue/names.ts';
import type { Kind } from '../../catalogue/types.ts';
import type { CatalogueWriter, SavedEntry } from '../../catalogue/writer.ts';
import { blockNames, editEntry, mergeEntries } from '../../changes/entries.ts';
import { createEntry, findEntry, matchEntries } from '../../changes/references.ts';
import { changeCatalogue } from '../../changes/transaction.ts';
import type { Config } from '../../config/config.ts';
import type { EntryLine } from '../../import/records/record.ts';
import { newId } from '../../lib/random.ts';
import { openSnapshot, openStore } from '../../server/engines.ts';
import { CommandError, UsageError } from '../terminal/errors.ts';
import { printLine, printLines, type Terminal } from '../terminal/terminal.ts';
import { count, formatDifference, formatTable } from '../terminal/text.ts';
import { writersFor } from '../writer.ts';
import { readIds } from './image-ids.ts';
import { removeEmptyCommand, removeEntriesCommand } from './remove-entries.ts';

export interface EntryFlags {
  name?: string;
  url?: string;
  description?: string;
  nsfw?: string;
  source?: string;
  gender?: string;
  age?: string[];
  birthDate?: string;
  nationality?: string;
  occupation?: string[];
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

const kinds: Kind[] = ['artist', 'category', 'character', 'album'];
/** The options that set a field, and the kinds that have it. */
const fieldOptions: Record<string, { field: string; kinds: Kind[] }> = {
  url: { field: 'url', kinds: ['artist'] },
  description: { field: 'description', kinds: ['category', 'character', 'album'] },
  nsfw: { field: 'nsfw', kinds: ['category'] },
  source: { field: 'source', kinds: ['character'] },
  gender: { field: 'gender', kinds: ['character'] },
  age: { field: 'ages', kinds: ['character'] },
  birthDate: { field: 'birth_date', kinds: ['character'] },
  nationality: { field: 'nationality', kinds: ['character'] },
  occupation: { field: 'occupations', kinds: ['character'] },
  images: { field: 'images', kinds: ['album'] },
};
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
  const result = await changeCatalogue(writersFor(config, terminal), dryRun, async (writer) => {
    const done = await change(writer);
    writer.changeLog.describe(done);
    return done;
  });
  printLine(terminal, dryRun ? `dry run, nothing was changed; this would result in: ${result}` : result);
}

export function readKind(name: string): Kind {
  const kind = kinds.find((kind) => kind === name);
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
  if (json) printLine(terminal, JSON.stringify(shown));
  else {
    const rows = Object.entries(shown).map(([field, value]) => [field, [value].flat().join(', ')]);
    printLines(terminal, formatTable([kind, name], rows));
  }
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
    const value = flags[option as keyof EntryFlags];
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

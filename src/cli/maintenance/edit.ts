/** `zukan edit`: changes images. Imports of folders keep what was changed. */
import {
  EDITABLE_FIELDS,
  type EditableField,
  isEditableField,
} from '../../catalogue/documents/edit-image.ts';
import type { Rating } from '../../catalogue/types.ts';
import { describeEdit } from '../../changes/describe.ts';
import { type EditedImage, editImages } from '../../changes/images.ts';
import { changeCatalogue } from '../../changes/transaction.ts';
import type { Config } from '../../config/config.ts';
import { newId } from '../../lib/random.ts';
import { UsageError } from '../terminal/errors.ts';
import { printLine, printLines, type Terminal } from '../terminal/terminal.ts';
import { count, formatDifference } from '../terminal/text.ts';
import { writersFor } from '../writer.ts';
import { readIds } from './image-ids.ts';

export interface EditFlags {
  title?: string;
  description?: string;
  takenAt?: string;
  rating?: Rating;
  artist?: string;
  sourceName?: string;
  sourceUrl?: string;
  addCategory?: string[];
  removeCategory?: string[];
  addCharacter?: string[];
  removeCharacter?: string[];
  addAlbum?: string[];
  removeAlbum?: string[];
  reset?: string[];
  create: boolean;
  dryRun: boolean;
}

export async function editCommand(
  config: Config,
  parameters: string[],
  flags: EditFlags,
  terminal: Terminal,
): Promise<void> {
  const { create, dryRun, reset, ...changes } = flags;
  if (Object.keys(changes).length === 0 && !reset)
    throw new UsageError('nothing to change: name an option, such as --rating nsfw');
  const edit = {
    rating: flags.rating,
    artist: flags.artist,
    title: flags.title,
    description: flags.description,
    takenAt: flags.takenAt,
    create,
    sourceName: flags.sourceName,
    sourceUrl: flags.sourceUrl,
    addCategories: flags.addCategory ?? [],
    removeCategories: flags.removeCategory ?? [],
    addCharacters: flags.addCharacter ?? [],
    removeCharacters: flags.removeCharacter ?? [],
    addAlbums: flags.addAlbum ?? [],
    removeAlbums: flags.removeAlbum ?? [],
    reset: parseReset(reset ?? []),
  };
  const both = edit.reset.find((field) => isSet(field, flags));
  if (both) throw new UsageError(`--reset ${both} cannot be combined with an option that sets it`);
  const ids = await readIds(parameters, terminal);
  const defaults = { now: new Date().toISOString(), newId: () => newId() };
  const changed = await changeCatalogue(writersFor(config, terminal), dryRun, async (writer) => {
    const edited = await editImages(writer, ids, edit, defaults);
    writer.changeLog.describe(await describeEdit(writer, edit, edited.length));
    return edited;
  });
  printLines(terminal, changed.flatMap(describe));
  const result = `${count(changed.length, 'image')} changed, ${ids.length - changed.length} unchanged`;
  printLine(terminal, dryRun ? `dry run, nothing was changed; this would result in: ${result}` : result);
}

/** Whether an option decides the field. */
function isSet(field: EditableField, flags: EditFlags): boolean {
  const values: Record<EditableField, unknown[]> = {
    artist: [flags.artist],
    categories: [flags.addCategory, flags.removeCategory],
    characters: [flags.addCharacter, flags.removeCharacter],
    rating: [flags.rating],
    description: [flags.description],
    source: [flags.sourceName, flags.sourceUrl],
    takenAt: [flags.takenAt],
    title: [flags.title],
  };
  return values[field].some((value) => value !== undefined);
}

function describe({ id, differences }: EditedImage): string[] {
  return differences().map((difference) => `${id}  ${formatDifference(difference)}`);
}

function parseReset(names: string[]): EditableField[] {
  if (names.includes('all')) return [...EDITABLE_FIELDS];
  return names.map((name) => {
    if (isEditableField(name)) return name;
    throw new UsageError(`--reset ${name}: must be ${EDITABLE_FIELDS.join(', ')} or all`);
  });
}

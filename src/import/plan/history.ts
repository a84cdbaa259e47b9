/** What the lines of the change log and of the trash become. Pure. */

import type { Change, ItemKind, StoredItem, TrashedImage } from '../../catalogue/change-log.ts';
import {
  type Details,
  MAX_FILE_NAME_LENGTH,
  MAX_TITLE_LENGTH,
  takenAtPattern,
} from '../../catalogue/documents/details.ts';
import { composeDocument, dimensions } from '../../catalogue/documents/document.ts';
import { type EditableField, formatEdited } from '../../catalogue/documents/edit-image.ts';
import { formatPreviews } from '../../catalogue/documents/thumbnails.ts';
import { withoutTitle } from '../../catalogue/history-line.ts';
import { isId, normaliseLogged, normaliseName } from '../../catalogue/names.ts';
import { ETag, Rating, Uuid, WebAddress } from '../../catalogue/schemas.ts';
import * as Schema from '../../lib/json-schema.ts';
import { compile, type Validator } from '../../lib/validator.ts';
import { RecordError, withSubject } from '../records/problems.ts';
import { artistOf, checkSavedRecord, type ImageLine, isStorable, parseJson } from '../records/record.ts';
import { describeErrors } from '../sources/describe-errors.ts';
import {
  ChangeLine,
  HistoryHeader,
  type HistoryLine,
  ItemLine,
  TrashLine,
} from '../sources/history-lines.ts';
import type { Picture } from './image.ts';

const closed = { additionalProperties: false };
const Text = Schema.String({ maxLength: 10_000 });
const Time = Schema.String({ format: 'date-time' });
const Ids = Schema.Array(Uuid);
const Kind = Schema.Union([
  Schema.Literal('artist'),
  Schema.Literal('category'),
  Schema.Literal('character'),
  Schema.Literal('album'),
]);

/** `checkEntry` checks more of it. */
const entryFields = { name: Text, createdAt: Time, document: Schema.String(), aliases: Schema.Array(Text) };
const Entry = compile(Schema.Object(entryFields, closed));
const Album = compile(Schema.Object({ ...entryFields, images: Ids }, closed));
const lines: Record<HistoryLine['type'], Validator> = {
  history: compile(HistoryHeader),
  change: compile(ChangeLine),
  'change-item': compile(ItemLine),
  trash: compile(TrashLine),
};
const validators: Record<ItemKind, Validator> = {
  image: compile(
    Schema.Object(
      {
        rating: Schema.Optional(Rating),
        artist: Schema.Optional(Uuid),
        categories: Schema.Optional(Ids),
        characters: Schema.Optional(Ids),
        source: Schema.Optional(Schema.Object({ name: Text, url: WebAddress }, closed)),
        title: Schema.Optional(Schema.String({ maxLength: MAX_TITLE_LENGTH })),
        description: Schema.Optional(Text),
        takenAt: Schema.Optional(Schema.String({ pattern: takenAtPattern })),
        fileName: Schema.Optional(Schema.String({ maxLength: MAX_FILE_NAME_LENGTH })),
        edited: Schema.Optional(Text),
        createdAt: Schema.Optional(Time),
        file: Schema.Optional(ETag),
      },
      closed,
    ),
  ),
  artist: Entry,
  category: Entry,
  character: Entry,
  album: Album,
  blocked: compile(
    Schema.Object(
      { kind: Kind, name: Text, blockedAt: Time, skips: Schema.Optional(Schema.Literal(true)) },
      closed,
    ),
  ),
  removed: compile(Schema.Object({ hash: ETag, image: Uuid, removedAt: Time, reason: Text }, closed)),
  'taken-down': compile(Schema.Object({ hash: ETag }, closed)),
};

/** Undefined if it is no line of the change log or of the trash. */
export function checkHistory(value: unknown): HistoryLine | undefined {
  const { type } = (value ?? {}) as { type?: unknown };
  const validator = Object.hasOwn(lines, String(type)) ? lines[type as HistoryLine['type']] : undefined;
  if (!validator) return undefined;
  if (!validator.Check(value)) throw new RecordError(describeErrors(validator, value));
  if (!isStorable(value)) throw new RecordError('a text contains a NUL character or an unpaired surrogate');
  const line = value as HistoryLine;
  if (line.type === 'change-item') planItem(line);
  return line;
}

export function planChange({ type, ...change }: ChangeLine): Change {
  return { ...change, summary: withoutTitle(change.summary) };
}

/** Undoing a change writes what its items say into the catalogue, so that has to be valid. */
export function planItem({ type, ...item }: ItemLine): StoredItem {
  const { kind, id } = item;
  // Of a file that somebody edited.
  const hasNames = kind === 'blocked' || isEntry(kind);
  const json = (name: 'before' | 'after') => {
    const fields = item[name];
    if (fields === null) return null;
    return withSubject(name, () => {
      checkFields(kind, fields);
      return JSON.stringify(hasNames ? normaliseLogged(fields) : fields);
    });
  };
  return {
    ...item,
    id: kind === 'blocked' ? normaliseName(id) : id,
    before: json('before'),
    after: json('after'),
  };
}

const isEntry = (kind: ItemKind): boolean => validators[kind] === Entry || validators[kind] === Album;

function checkFields(kind: ItemKind, fields: object): void {
  if (!validators[kind].Check(fields))
    throw new RecordError(`is not what the log has of this kind (${kind})`);
  if (!isEntry(kind)) return;
  const { name, document, ...others } = fields as Record<'name' | 'document', string>;
  const record = checkSavedRecord({ type: kind, ...(parseJson(document) as object), ...others }) as {
    name: string;
  };
  if (record.name !== normaliseName(name)) throw new RecordError('name: is not that of the document');
}

function detailsOf({ title = '', description = '', takenAt = '', fileName = '' }: ImageLine): Details {
  return { title, description, takenAt, fileName };
}

/** The image of a line of the trash. */
export function checkTrashed(value: object): ImageLine {
  const image = checkSavedRecord({ ...value, type: 'image' }) as ImageLine;
  const { id, key, meta, createdAt, categories = [], characters = [] } = image;
  if (id === undefined || key === undefined || meta === undefined || createdAt === undefined)
    throw new RecordError('an image in the trash needs "id", "key", "meta" and "createdAt"');
  if (![artistOf(image), ...categories, ...characters].every(isId))
    throw new RecordError('an image in the trash needs the ids of its entries');
  return image;
}

/**
 * `image` is what `checkTrashed` returned. The entries of an image in the trash may not exist any more, and
 * restoring it looks them up: the document has only their ids.
 */
export function planTrashed(line: TrashLine, image: ImageLine, picture: Picture): TrashedImage {
  const { change, kind, removedAt, number } = line;
  const { id = '', createdAt = '', nsfw, source, categories = [], characters = [], edited = [] } = image;
  const { key, hash, eTag, size, mimetype, color, width, height, perceptualHash, previews } = picture;
  const artist = artistOf(image);
  const entry = (id: string) => JSON.stringify({ id, name: '' });
  const document = composeDocument(
    {
      id,
      artist,
      source: source ?? { name: '', url: '' },
      nsfw,
      createdAt,
      ...detailsOf(image),
      meta: { eTag, size, mimetype, color, dimens: dimensions(width, height) },
    },
    key,
    entry(artist),
    categories.map(entry),
    characters.map(entry),
    previews && formatPreviews(previews),
  );
  const row = { number, id, key, eTag: hash, mimetype, document, perceptualHash };
  const trashed = { ...row, edited: formatEdited(edited as EditableField[]) };
  // The store knows it from the change.
  return { change, kind, removedAt, isByUndo: false, image: trashed };
}

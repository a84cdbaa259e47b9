/** The lines of the change log and of the trash: what they may contain, and what they become. Pure. */

import {
  Change,
  Count,
  ITEM_KINDS,
  type ItemKind,
  Position,
  type StoredItem,
  Time,
  type TrashedImage,
} from '../../catalogue/change-log.ts';
import { composeDocument, formatPreviews } from '../../catalogue/documents/document.ts';
import { type EditableField, formatEdited } from '../../catalogue/documents/edit-image.ts';
import { withoutTitle } from '../../catalogue/lines.ts';
import { isId, normaliseLogged, normaliseName } from '../../catalogue/names.ts';
import {
  ETag,
  KINDS,
  MAX_FILE_NAME_LENGTH,
  pickDetails,
  Rating,
  Uuid,
  WebAddress,
} from '../../catalogue/schemas.ts';
import type { TSchema } from '../../lib/json-schema.ts';
import * as Type from '../../lib/json-schema.ts';
import { compile, type Validator } from '../../lib/validator.ts';
import { detailFields, RecordError, withSubject } from '../records/lines.ts';
import { artistOf, checkSavedRecord, checkValid, type ImageLine, parseJson } from '../records/record.ts';
import { metaOf, type Picture } from './image.ts';

// What the lines of the change log and of the trash may contain, in a catalogue file and in a backup.

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** Comes first in a catalogue file: the numbers in the log are right if exactly so many images are imported. */
export const HistoryHeader = Type.Closed({ type: Type.Literal('history'), images: Count, trash: Count });
export type HistoryHeader = Type.Static<typeof HistoryHeader>;

const ChangeLine = Type.Closed({ type: Type.Literal('change'), ...Change.properties });
type ChangeLine = Type.Static<typeof ChangeLine>;

/** Its kind says what else `before` and `after` may contain (`validators`). */
const Fields = Type.Object({});

export const ItemLine = Type.Closed({
  type: Type.Literal('change-item'),
  change: Position,
  kind: Type.OneOf(ITEM_KINDS),
  id: Type.String({ minLength: 1, maxLength: 10_000 }),
  before: orNull(Fields),
  after: orNull(Fields),
  undoneBy: orNull(Position),
});
export type ItemLine = Type.Static<typeof ItemLine>;

const TrashLine = Type.Closed({
  type: Type.Literal('trash'),
  change: Position,
  kind: Type.OneOf(['image', 'file']),
  removedAt: Time,
  number: Count,
  /** The line of an image, which is checked as such. */
  image: Type.Object({}),
});
type TrashLine = Type.Static<typeof TrashLine>;

export type HistoryLine = HistoryHeader | ChangeLine | ItemLine | TrashLine;

const AnyText = Type.String({ maxLength: 10_000 });
const DateTime = Type.String({ format: 'date-time' });
const Ids = Type.Array(Uuid);

/** `checkEntry` checks more of it. */
const entryFields = {
  name: AnyText,
  createdAt: DateTime,
  document: Type.String(),
  aliases: Type.Array(AnyText),
};
const Entry = compile(Type.Closed(entryFields));
const Album = compile(Type.Closed({ ...entryFields, images: Ids }));
const lines: Record<HistoryLine['type'], Validator> = {
  history: compile(HistoryHeader),
  change: compile(ChangeLine),
  'change-item': compile(ItemLine),
  trash: compile(TrashLine),
};
const validators: Record<ItemKind, Validator> = {
  image: compile(
    Type.Closed({
      rating: Type.Optional(Rating),
      artist: Type.Optional(Uuid),
      categories: Type.Optional(Ids),
      characters: Type.Optional(Ids),
      source: Type.Optional(Type.Closed({ name: AnyText, url: WebAddress })),
      ...detailFields,
      fileName: Type.Optional(Type.String({ maxLength: MAX_FILE_NAME_LENGTH })),
      edited: Type.Optional(AnyText),
      createdAt: Type.Optional(DateTime),
      file: Type.Optional(ETag),
    }),
  ),
  artist: Entry,
  category: Entry,
  character: Entry,
  album: Album,
  blocked: compile(
    Type.Closed({
      kind: Type.OneOf(KINDS),
      name: AnyText,
      blockedAt: DateTime,
      skips: Type.Optional(Type.Literal(true)),
    }),
  ),
  removed: compile(Type.Closed({ hash: ETag, image: Uuid, removedAt: DateTime, reason: AnyText })),
  'taken-down': compile(Type.Closed({ hash: ETag })),
  site: compile(Type.Closed({ text: Type.String() })),
};

/** Undefined if it is no line of the change log or of the trash. */
export function checkHistory(value: unknown): HistoryLine | undefined {
  const { type } = (value ?? {}) as { type?: unknown };
  const validator = Object.hasOwn(lines, String(type)) ? lines[type as HistoryLine['type']] : undefined;
  if (!validator) return undefined;
  checkValid(validator, value);
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
      if (kind === 'site') checkSavedRecord({ type: kind, field: id, ...fields });
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
  const { key, hash, mimetype, perceptualHash, previews } = picture;
  const artist = artistOf(image);
  const entry = (id: string) => JSON.stringify({ id, name: '' });
  const document = composeDocument(
    {
      id,
      artist,
      source: source ?? { name: '', url: '' },
      nsfw,
      createdAt,
      ...pickDetails(image),
      fileName: image.fileName ?? '',
      meta: metaOf(picture),
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

/**
 * The format of a backup:
 *
 *     manifest.json            what there is, with the checksums of the lists; replaced when a backup is complete
 *     lists-<id>/              catalogue.ndjson, history.ndjson, sources.ndjson, tokens.ndjson, link.keys
 *     files/<ab>/<hash>.<ext>  the bytes of pictures and thumbnails, by their SHA-256
 *     lists-<id>/manifest.json of an older generation
 *
 * A picture's file is never changed, so that a backup into the same folder only adds to it until its manifest is in place.
 * All names of files follow from the id of the lists and from hashes: a backup cannot name a path.
 */
import { isScope, type TokenRecord } from '../access/tokens.ts';
import { extensionOf, readPreviews } from '../catalogue/documents/document.ts';
import { imageLine } from '../catalogue/lines.ts';
import { normaliseTexts } from '../catalogue/names.ts';
import { type Mimetype, Rating, uuidPattern } from '../catalogue/schemas.ts';
import type { CatalogueSnapshot, ImageRow } from '../catalogue/writer.ts';
import { type ChosenFolder, FOLDER_RULES, SOURCE_STATES, type SourceFile } from '../catalogue/writer.ts';
import { hashInKey, pictureKey } from '../import/files.ts';
import { checkHistory, checkTrashed, type HistoryLine } from '../import/plan/history.ts';
import { RecordError, withSubject } from '../import/records/lines.ts';
import { checkSavedRecord, type ImageLine, parseJson, type RecordLine } from '../import/records/record.ts';
import { checkRules, parseRule } from '../import/sources/files.ts';
import * as Schema from '../lib/json-schema.ts';
import { compile, type Validator } from '../lib/validator.ts';
import { BEFORE_1_0 } from '../lib/version.ts';

export const MANIFEST = 'manifest.json';
export const MAX_MANIFEST_BYTES = 1024 * 1024;
export const FILES = 'files';

const Hash = Schema.String({ pattern: '^[0-9a-f]{64}$' });
const Time = Schema.String({ format: 'date-time' });
const Count = Schema.Integer({ minimum: 0 });
const List = Schema.Object({ size: Count, sha256: Hash });
const lists = {
  'catalogue.ndjson': List,
  'history.ndjson': List,
  'sources.ndjson': List,
  'tokens.ndjson': List,
  'link.keys': List,
};
export type ListName = keyof typeof lists;
export const listNames = Object.keys(lists) as ListName[];

const Manifest = Schema.Object({
  format: Schema.Literal('zukan backup'),
  version: Schema.Integer({ minimum: 1 }),
  /** The version of the program. */
  zukan: Schema.String({ maxLength: 100 }),
  createdAt: Time,
  /** Its identity. Versions up to 1.0 had none. */
  catalogue: Schema.Optional(Schema.String({ pattern: uuidPattern })),
  /** How many generations the folder keeps. */
  keep: Schema.Integer({ minimum: 1 }),
  counts: Schema.Object({
    images: Count,
    artists: Count,
    categories: Count,
    characters: Count,
    tokens: Count,
    changes: Count,
    trash: Count,
    sources: Count,
  }),
  /** The folder of the lists. */
  folder: Schema.String({ pattern: '^lists-[0-9a-f-]{36}$' }),
  lists: Schema.Object(lists),
});
export type Manifest = Schema.Static<typeof Manifest>;
export type List = Schema.Static<typeof List>;

/** Files that an import did not store may be larger than those that it accepts, but a restore reads each as a whole. */
export const MAX_PICTURE_BYTES = 1024 * 1024 * 1024;
/** Shorter keys are not accepted as keys of links. */
export const MIN_KEY_LENGTH = 16;

/** The version of zukan 1.0.0. A later version is one that this program cannot read. */
export const FORMAT_VERSION = 2;

/** What the record of an image does not say about its picture. */
const Stored = Schema.Closed({
  /** The SHA-256 of its bytes. */
  hash: Hash,
  /** What identifies the bytes in the catalogue: the hash, or the entity tag that a record gave. */
  eTag: Schema.String({ pattern: '^[\\x21\\x23-\\x2b\\x2d-\\x7e]{1,256}$' }),
  perceptualHash: Schema.Union([Schema.String({ pattern: '^([0-9a-f]{32})?$' }), Schema.Null()]),
  thumbHash: Schema.Optional(Schema.String({ pattern: '^[0-9A-Za-z+/]{4,56}={0,2}$' })),
  isAnimated: Schema.Optional(Schema.Boolean()),
  /** Smallest first. */
  thumbnails: Schema.Optional(
    Schema.Array(Schema.Closed({ size: Schema.Integer({ minimum: 1, maximum: 999_999 }), hash: Hash })),
  ),
});
export type StoredThumbnail = NonNullable<Stored['thumbnails']>[number];
export type Stored = Schema.Static<typeof Stored>;

const Text = Schema.String({ maxLength: 10_000 });
const Token = Schema.Closed({
  id: Schema.String({ pattern: uuidPattern }),
  hash: Hash,
  owner: Text,
  purpose: Text,
  issuedBy: Text,
  scopes: Schema.Array(Text),
  createdAt: Time,
  expires: Time,
  revokedAt: Schema.Union([Time, Schema.Null()]),
});

const validators = {
  manifest: compile(Manifest),
  stored: compile(Stored),
  token: compile(Token),
};

/** The name of a picture's file. It has an extension for people who look at the folder. */
export const fileName = (hash: string, mimetype: Mimetype): string =>
  `${FILES}/${pictureKey(hash, extensionOf(mimetype))}`;

/** The fields come from `image`; `current` has the picture, which may have been replaced since. */
export function formatImage(
  image: ImageRow,
  current: ImageRow,
  { hash, thumbnails }: Pick<Stored, 'hash' | 'thumbnails'>,
): string {
  const { key, meta } = JSON.parse(imageLine(current)) as ImageLine;
  const { eTag, perceptualHash, document } = current;
  const stored: Stored = { hash, eTag, perceptualHash };
  const previews = readPreviews(document);
  if (previews) stored.thumbHash = previews.thumbHash;
  if (previews?.isAnimated !== undefined) stored.isAnimated = previews.isAnimated;
  if (thumbnails) stored.thumbnails = thumbnails;
  return JSON.stringify({ ...JSON.parse(imageLine(image)), key, meta, thumbnails: undefined, stored });
}

/** A line of the catalogue or of the history. One of an image, in the catalogue or in the trash, says how it is stored. */
export type ParsedLine = (RecordLine | HistoryLine) & { stored?: Stored };
/** The image of such a line. */
export type StoredImage = ImageLine & { key: string; meta: NonNullable<ImageLine['meta']> };

export function parseLine(text: string): ParsedLine {
  const value = parseJson(text) as { type?: unknown };
  if (value?.type !== 'image') return checkSavedRecord(value);
  const { stored, ...fields } = value as { stored?: unknown };
  const record = checkSavedRecord(fields) as ImageLine;
  if (record.key === undefined || record.id === undefined)
    throw new RecordError('an image needs "id", "key" and "meta"');
  return { ...record, stored: checkStored(record, stored) };
}

function checkStored({ key = '' }: ImageLine, stored: unknown): Stored {
  const file = check<Stored>(validators.stored, stored, 'stored');
  if ((hashInKey(key) ?? file.hash) !== file.hash) throw new RecordError('key: is not the hash of the file');
  return file;
}

export function parseHistory(text: string): ParsedLine {
  const line = checkHistory(parseJson(text));
  if (!line || line.type === 'history')
    throw new RecordError('"type" must be "change", "change-item" or "trash"');
  if (line.type !== 'trash') return line;
  const { stored, ...fields } = line.image as { stored?: unknown };
  const image = withSubject('image', () => checkTrashed(fields));
  return { ...line, image, stored: checkStored(image, stored) };
}

export function parseToken(text: string): TokenRecord {
  const token = check<TokenRecord>(validators.token, parseJson(text), 'the token');
  const unknown = token.scopes.find((scope) => !isScope(scope));
  if (unknown !== undefined) throw new RecordError(`the token has the unknown scope "${unknown}"`);
  return token;
}

export function parseManifest(text: string): Manifest {
  const value = withSubject(MANIFEST, () => parseJson(text)) as Partial<Manifest> | null;
  if (value?.format !== 'zukan backup') throw new RecordError(`${MANIFEST} is not that of a zukan backup`);
  if (typeof value.version === 'number' && value.version > FORMAT_VERSION)
    throw new RecordError('the backup was made by a later version of zukan; use that version to restore it');
  if (String(value.zukan).startsWith('0.')) throw new RecordError(`the backup ${BEFORE_1_0}`);
  return check<Manifest>(validators.manifest, value, MANIFEST);
}

function check<T>(validator: Validator, value: unknown, subject: string): T {
  if (validator.Check(value)) return value as T;
  const [, [error]] = validator.Errors(value);
  throw new RecordError(`${subject}: ${error?.instancePath.slice(1)} ${error?.message}`);
}

// The lines of sources.ndjson: the files that images came from, and what was chosen for their folders.

const File = compile(
  Schema.Closed({
    folder: Text,
    path: Text,
    image: Schema.String({ pattern: uuidPattern }),
    state: Schema.OneOf(SOURCE_STATES),
    fingerprint: Schema.String({ pattern: '^([0-9a-f]{64})?$' }),
  }),
);

const Folder = compile(
  Schema.Closed({
    folder: Text,
    choice: Schema.Closed({
      folderCategories: Schema.Optional(
        Schema.Union([
          ...FOLDER_RULES.map((name) => Schema.Literal(name)),
          Schema.Integer({ minimum: 1, maximum: 99 }),
        ]),
      ),
      exclude: Schema.Optional(Schema.Array(Schema.String())),
      defaultRating: Schema.Optional(Rating),
      albumsFrom: Schema.Optional(Schema.OneOf(['folders', 'none'])),
    }),
  }),
);

export async function* sourceLines(snapshot: CatalogueSnapshot): AsyncGenerator<string, void> {
  for await (const { folder, choice } of snapshot.chosenFolders()) yield JSON.stringify({ folder, choice });
  for await (const { folder, path, image, state, fingerprint } of snapshot.sourceFiles())
    yield JSON.stringify({ folder, path, image, state, fingerprint });
}

/** Older versions stored paths in the form that the disk gave. */
export function parseSource(text: string): SourceFile | ChosenFolder {
  const value = normaliseTexts(parseJson(text)) as object | null;
  if (!value || !('choice' in value)) return check<SourceFile>(File, value, 'the source file');
  const chosen = check<ChosenFolder>(Folder, value, 'the source folder');
  checkRules((chosen.choice.exclude ?? []).map((glob) => parseRule(glob)));
  return chosen;
}

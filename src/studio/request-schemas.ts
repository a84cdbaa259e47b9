/** What requests to the studio may contain. Everything is bounded. contract.ts says which address takes what. */
import { EDITABLE_FIELDS } from '../catalogue/documents/edit-image.ts';
import { Rating, uuidPattern } from '../catalogue/schemas.ts';
import { MAX_ALBUM_IMAGES } from '../catalogue/writer.ts';
import * as Type from '../lib/json-schema.ts';

const MAX_IMAGES = 200_000;
const MAX_TILES = 500;
const MAX_NAMES = 100;
const MAX_TEXT = 10_000;
/** Of pictures that one request reads to compare them with a text. */
const MAX_SEARCHED = 2000;
/** Of pictures whose neighbours are looked at. */
const MAX_NEAR = 20;
/** Of a request. */
export const MAX_EDITS = 500;
const MAX_SIDE = 1_000_000;

export const closed = { additionalProperties: false };
export const Id = Type.String({ pattern: uuidPattern });
const ids = (maxItems: number) => Type.Array(Id, { minItems: 1, maxItems });
export const Ids = ids(MAX_IMAGES);
export const SearchedIds = ids(MAX_SEARCHED);
export const TileIds = ids(MAX_TILES);
export const NearIds = ids(MAX_NEAR);
export const AlbumIds = ids(MAX_ALBUM_IMAGES);
/** PostgreSQL cannot store the character NUL. */
export const Text = Type.String({ maxLength: MAX_TEXT, pattern: '^[^\\0]*$' });
export const Texts = Type.Array(Text, { maxItems: MAX_NAMES });
const mentioned = [Type.Literal('artist'), Type.Literal('category'), Type.Literal('character')] as const;
const MentionedKind = Type.Union([...mentioned]);
export const Kind = Type.Union([...mentioned, Type.Literal('album')]);
export const Origin = Type.Union([Type.Literal('import'), Type.Literal('shell'), Type.Literal('studio')]);
const Flag = Type.Optional(Type.Literal(''));
/** The number of a change, and the same in a query. */
export const ChangeNumber = Type.Integer({ minimum: 1, maximum: 999_999_999 });
export const Digits = Type.String({ pattern: '^[1-9]\\d{0,8}$' });
export const Time = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' });
const EntryIds = Type.Optional(Type.Array(Id, { maxItems: MAX_NAMES }));

export const Nothing = Type.Object({}, closed);
export const Selection = Type.Object({ ids: Ids }, closed);
export const ImageFilter = Type.Object(
  {
    rating: Type.Optional(Rating),
    artist: EntryIds,
    category: EntryIds,
    character: EntryIds,
    album: EntryIds,
    without: Type.Optional(Type.Array(MentionedKind, { maxItems: 3 })),
    unrated: Flag,
    fileChanged: Flag,
    edited: Flag,
    alike: Flag,
    outdated: Flag,
    run: Type.Optional(Digits),
    like: Type.Optional(Type.String({ pattern: '^[0-9a-f]{32}$' })),
  },
  closed,
);
/** What no shelf tells. Texts are parts of the title, or of the path of the source file. */
export const RecordFilter = Type.Object(
  {
    title: Type.Optional(Text),
    path: Type.Optional(Text),
    since: Type.Optional(Time),
    before: Type.Optional(Time),
    minSide: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_SIDE })),
    maxSide: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_SIDE })),
  },
  closed,
);
const Field = Type.Union(EDITABLE_FIELDS.map((field) => Type.Literal(field)));
export const ImageEdit = Type.Object(
  {
    rating: Type.Optional(Rating),
    artist: Type.Optional(Text),
    sourceName: Type.Optional(Text),
    sourceUrl: Type.Optional(Text),
    title: Type.Optional(Text),
    description: Type.Optional(Text),
    takenAt: Type.Optional(Text),
    addCategories: Type.Optional(Texts),
    removeCategories: Type.Optional(Texts),
    addCharacters: Type.Optional(Texts),
    removeCharacters: Type.Optional(Texts),
    addAlbums: Type.Optional(Texts),
    removeAlbums: Type.Optional(Texts),
    reset: Type.Optional(Type.Array(Field, { maxItems: EDITABLE_FIELDS.length })),
    create: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type ImageEdit = Type.Static<typeof ImageEdit>;
/** What a page calls its edit: a UUID of the page, and the number of the edit. */
const EditId = Type.String({ pattern: `${uuidPattern.slice(0, -1)}-\\d{1,9}$` });
/** `base` is the last change that the page knew. `undoes` is the number of a change, or an edit that may be on its way. */
export const WaitingEdit = Type.Union([
  Type.Object({ id: EditId, base: Type.Integer({ minimum: 0 }), ids: Ids, edit: ImageEdit }, closed),
  Type.Object({ id: EditId, undoes: Type.Union([ChangeNumber, EditId]) }, closed),
]);
export type WaitingEdit = Type.Static<typeof WaitingEdit>;
export const WaitingEdits = Type.Array(WaitingEdit, { minItems: 1, maxItems: MAX_EDITS });
/** Those of a catalogue record; they are validated like one. */
export const EntryFields = Type.Object(
  {
    name: Type.Optional(Text),
    url: Type.Optional(Text),
    description: Type.Optional(Text),
    nsfw: Type.Optional(Type.Boolean()),
    source: Type.Optional(Text),
    gender: Type.Optional(Text),
    ages: Type.Optional(Type.Array(Type.Integer(), { maxItems: MAX_NAMES })),
    birth_date: Type.Optional(Text),
    nationality: Type.Optional(Text),
    occupations: Type.Optional(Texts),
  },
  closed,
);
/** The fields of a new picture, the names of the folders it is in and which of them are categories, the import that it continues, and whether to ask if it looks like others. */
export const NewPicture = Type.Object(
  {
    name: Text,
    rating: Type.Optional(Rating),
    artist: Type.Optional(Text),
    category: Type.Optional(Texts),
    character: Type.Optional(Texts),
    folder: Type.Optional(Texts),
    folderCategories: Type.Optional(
      Type.Union([Type.Literal('all'), Type.Literal('last'), Type.Literal('none')]),
    ),
    run: Type.Optional(Digits),
    alike: Type.Optional(Type.Literal('ask')),
  },
  closed,
);

/** The nouns of the catalogue: TypeBox schemas of everything the API returns. Types, validation and the API reference are derived from them. */
import * as Type from '../lib/json-schema.ts';

// What an image is called, and where it came from. Its document has these behind the public JSON (document.ts), and none of
// them if all are empty, as those of versions up to 0.5. `include=details` adds all but the file name, which never leaves the server.

/** Texts are empty if unknown. */
export interface Details {
  title: string;
  description: string;
  /** When it was taken or published, as ISO 8601: a date, or a date and time, with an offset if that is known. */
  takenAt: string;
  /** As one text (lib/licence.ts). */
  licence: string;
  /** Whom to name with the image. */
  credit: string;
  /** What it shows, for those who do not see it. */
  alt: string;
  /** Of its source file, without folders. */
  fileName: string;
}

export type DetailField = Exclude<keyof Details, 'fileName'>;
/** Those that an operator can change. */
export const DETAIL_FIELDS = ['title', 'description', 'takenAt', 'licence', 'credit', 'alt'] as const;

export function isDetailField(name: string): name is DetailField {
  return (DETAIL_FIELDS as readonly string[]).includes(name);
}

export const MAX_TITLE_LENGTH = 255;
export const MAX_DESCRIPTION_LENGTH = 10_000;
export const MAX_FILE_NAME_LENGTH = 255;

const NO_TEXTS = { title: '', description: '', takenAt: '' };
export const NO_DETAILS: Details = { ...NO_TEXTS, licence: '', credit: '', alt: '', fileName: '' };

/** Empty for none. What is undefined stays as it is. */
export type GivenDetails = { [Field in DetailField]?: string | undefined };

/** Those that an operator can change: as they are given, or else as they were. */
export function pickDetails(given: GivenDetails, before: Details = NO_DETAILS): Pick<Details, DetailField> {
  return {
    title: given.title ?? before.title,
    description: given.description ?? before.description,
    takenAt: given.takenAt ?? before.takenAt,
    licence: given.licence ?? before.licence,
    credit: given.credit ?? before.credit,
    alt: given.alt ?? before.alt,
  };
}

/** The public JSON of an image without any. */
export const EMPTY_DETAILS_JSON = JSON.stringify(NO_TEXTS);

/**
 * Two parts of a document: what responses contain as it is, and the file name, both as JSON. None if all are empty. An image
 * that states rights has an object of them and the file name as the second part: responses complete these (rights.ts).
 */
export function formatDetails(details: Details): string[] {
  const { title, description, takenAt, licence, credit, alt, fileName } = details;
  const stated = Object.entries({ licence, credit, alt }).filter(([, text]) => text);
  if (!title && !description && !takenAt && !fileName && stated.length === 0) return [];
  const others = stated.length > 0 ? { fileName, ...Object.fromEntries(stated) } : fileName;
  return [JSON.stringify({ title, description, takenAt }), JSON.stringify(others)];
}

export function parseDetails([details, others]: string[]): Details {
  if (details === undefined || others === undefined) return NO_DETAILS;
  return { ...NO_DETAILS, ...JSON.parse(details), ...parseOthers(others) };
}

/** The file name and the rights. */
export function parseOthers(others: string): Partial<Details> {
  return others.startsWith('{') ? JSON.parse(others) : { fileName: JSON.parse(others) };
}

export const takenAtPattern =
  '^(\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-]\\d{2}:\\d{2})?)?)?$';
const takenAtShape = new RegExp(takenAtPattern);

/** Whether it is empty, or a date that exists. A time without an offset stays local: nobody knows where it was. */
export function isTakenAt(text: string): boolean {
  if (text === '') return true;
  if (!takenAtShape.test(text)) return false;
  const day = Date.parse(`${text.slice(0, 10)}T00:00:00Z`);
  const exists = !Number.isNaN(day) && new Date(day).toISOString().startsWith(text.slice(0, 10));
  return exists && !Number.isNaN(Date.parse(text));
}

/** The first characters, without half of the last one. */
export function cutText(text: string, maxLength: number): string {
  const cut = text.slice(0, maxLength);
  return cut.isWellFormed() ? cut : cut.slice(0, -1).toWellFormed();
}

const Text = Type.String();
const text = (description: string) => Type.String({ description });
const TextOrEmpty = text('empty if unknown');
export const timestampPattern = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$';
const Timestamp = Type.String({
  pattern: timestampPattern,
  description: 'ISO 8601 in UTC, with milliseconds',
});

export const uuidPattern = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';
export const Uuid = Type.String({ pattern: uuidPattern, description: 'a UUID' });
export const WebAddress = Type.String({
  maxLength: 2048,
  pattern: '^([hH][tT][tT][pP][sS]?://[^\\s]+)?$',
  description: 'an http or https URL; empty if unknown',
});

/** From the mildest to the strictest. */
export const RATINGS = ['sfw', 'questionable', 'nsfw'] as const;
export const Rating = Type.OneOf(RATINGS);
export const Orientation = Type.OneOf(['landscape', 'portrait', 'square']);
export const fileTypes = ['jpeg', 'png', 'webp', 'gif', 'avif'] as const;
export const Mimetype = Type.Union(fileTypes.map((type) => Type.Literal(`image/${type}` as const)));
export const Colour = Type.String({ pattern: '^#[0-9a-f]{6}$', description: 'the dominant colour' });
export const ETag = Type.String({
  pattern: '^[\\x21\\x23-\\x2b\\x2d-\\x7e]{1,256}$',
  description: 'an entity tag without quotes or commas',
});
const Pixels = Type.Integer({ minimum: 1, maximum: 1_000_000 });
export const Source = Type.Object(
  { name: TextOrEmpty, url: WebAddress },
  { description: 'where the image was found; both texts are empty if unknown' },
);
/** The parts of an image that a response contains on request only. */
export const Include = Type.OneOf(['artist', 'thumbnails', 'details']);
/** The parts of an artist, character or category that a response contains on request only. */
export const EntryInclude = Type.OneOf(['count', 'cover']);
export const Count = Type.Integer({ minimum: 0 });

/** The body of every error response. */
export const ErrorBody = Type.Object({
  code: Type.Integer({ description: 'the HTTP status' }),
  message: text('what is wrong and how to fix it'),
  success: Type.Literal(false),
});

const artistFields = { id: Uuid, name: Text, url: WebAddress };
export const Artist = Type.Object(artistFields);
export const ArtistDetails = Type.Optional(
  Type.Object(artistFields, { description: 'the artist; only with `include=artist`' }),
);

export const Category = Type.Object({
  id: Uuid,
  name: text('the name to use in `categories` and `exclude`'),
  description: TextOrEmpty,
  nsfw: Type.Boolean({ description: 'whether the category is for adults' }),
  createdAt: Timestamp,
});

export const Character = Type.Object({
  id: Uuid,
  name: Text,
  description: TextOrEmpty,
  source: text('the work the character comes from; empty if unknown'),
  gender: TextOrEmpty,
  ages: Type.Array(Type.Integer(), { description: 'empty if unknown' }),
  birth_date: text('free text; empty if unknown'),
  nationality: TextOrEmpty,
  occupations: Type.Array(Text, { description: 'empty if unknown' }),
  createdAt: Timestamp,
});

export const Album = Type.Object({ id: Uuid, name: Text, description: TextOrEmpty, createdAt: Timestamp });

const FileLink = Type.String({
  format: 'uri',
  description: 'the link to the file, valid until `meta.expires`',
});
const Thumbnail = Type.Object({
  url: FileLink,
  width: Pixels,
  height: Pixels,
  mimetype: Mimetype,
});

const imageWith = <Dimens extends Type.TSchema>(dimens: Dimens) =>
  Type.Object({
    id: Uuid,
    url: FileLink,
    artist: Type.String({
      pattern: uuidPattern,
      description: 'the id of the artist; if unknown, that of the artist named "Unknown"',
    }),
    artistDetails: ArtistDetails,
    title: Type.Optional(text('only with `include=details`; empty if unknown')),
    description: Type.Optional(text('only with `include=details`; empty if unknown')),
    takenAt: Type.Optional(
      Type.String({
        pattern: takenAtPattern,
        description:
          'when it was taken or published, in ISO 8601, with an offset if that is known; only with `include=details`; ' +
          'empty if unknown',
      }),
    ),
    licence: Type.Optional(
      Type.Object(
        { name: TextOrEmpty, url: WebAddress },
        {
          description:
            'the licence that it is published under, of the image, its artist or else the whole site; only with ' +
            '`include=details`; both texts are empty if unknown',
        },
      ),
    ),
    credit: Type.Optional(text('whom to credit; only with `include=details`; empty if unknown')),
    alt: Type.Optional(
      text(
        'what it shows, for those who do not see it; only with `include=details`; empty if nobody wrote it',
      ),
    ),
    reportUrl: Type.Optional(
      text('where to report the image; only with `include=details`, if the operator has set an address'),
    ),
    source: Source,
    nsfw: Rating,
    categories: Type.Array(Category),
    characters: Type.Array(Character),
    createdAt: Timestamp,
    meta: Type.Object({
      eTag: ETag,
      size: Type.Integer({ minimum: 0, description: 'in bytes' }),
      mimetype: Mimetype,
      color: Colour,
      expires: Timestamp,
      dimens,
      thumbnails: Type.Optional(
        Type.Array(Thumbnail, { description: 'smallest first; only with `include=thumbnails`' }),
      ),
      thumbHash: Type.Optional(
        text('a preview of about 25 bytes, in base64; only with `include=thumbnails`, if known'),
      ),
      animated: Type.Optional(
        Type.Boolean({ description: 'whether it moves; only with `include=thumbnails`, if known' }),
      ),
    }),
  });

export const dimens = { width: Pixels, height: Pixels };
export const Image = imageWith(
  Type.Object({
    ...dimens,
    aspectRatio: Type.String({ pattern: '^\\d+:\\d+$', description: 'in lowest terms' }),
    orientation: Orientation,
  }),
);
/** `GET /artist/{id}/images` omits the aspect ratio. */
export const ArtistImage = imageWith(Type.Object({ ...dimens, orientation: Orientation }));

export const ImageChange = Type.Object({
  change: Type.OneOf(['added', 'changed', 'removed']),
  id: Uuid,
  image: Type.Optional(Image),
});

/** The parts of an image that show it. */
export const Cover = Type.Object(
  {
    id: Uuid,
    url: Image.properties.url,
    meta: Type.Object({
      ...Image.properties.meta.properties,
      thumbnails: Type.Array(Thumbnail, { description: 'smallest first' }),
      thumbHash: Type.Optional(text('a preview of about 25 bytes, in base64, if known')),
      animated: Type.Optional(Type.Boolean({ description: 'whether it moves, if known' })),
    }),
  },
  { description: 'the newest image rated sfw, if there is one; only with `include=cover`' },
);
export const OptionalCover = Type.Optional(Cover);
const cover = { cover: OptionalCover };

/** Added to an artist, character or category that is requested by its id. */
const imageCount = { images: Type.Integer({ minimum: 0, description: 'the number of images' }), ...cover };
export const ArtistWithImages = Type.Object({ ...artistFields, ...imageCount });
export const CharacterWithImages = Type.Object({ ...Character.properties, ...imageCount });
export const CategoryWithImages = Type.Object({ ...Category.properties, ...imageCount });
export const AlbumWithImages = Type.Object({ ...Album.properties, ...imageCount });

/** Added to those in a list. */
const optionalCount = {
  images: Type.Optional(
    Type.Integer({ minimum: 0, description: 'the number of images; only with `include=count`' }),
  ),
  ...cover,
};
export const ListedArtist = Type.Object({ ...artistFields, ...optionalCount });
export const ListedCharacter = Type.Object({ ...Character.properties, ...optionalCount });
export const ListedCategory = Type.Object({ ...Category.properties, ...optionalCount });
export const ListedAlbum = Type.Object({ ...Album.properties, ...optionalCount });

/** What one search for everything returns. */
export const SearchResult = Type.Object({
  artists: Type.Array(ArtistWithImages),
  characters: Type.Array(CharacterWithImages),
  categories: Type.Array(CategoryWithImages),
  albums: Type.Array(AlbumWithImages),
  images: Type.Array(Image, {
    description:
      'those that every word is about, the best ones first: an image is as good as its weakest word, and names count more ' +
      'than titles, and these more than other texts; the newest first among equals',
  }),
  total: Type.Integer({ minimum: 0, description: 'the number of images of all pages' }),
  words: Type.Array(
    Type.Object({
      text: text('as it was sent'),
      as: Type.Union(
        [
          ...(['word', 'phrase', 'artist', 'character', 'category', 'album', 'title'] as const),
          ...(['rating', 'orientation', 'type', 'animation', 'nothing'] as const),
        ].map((name) => Type.Literal(name)),
        { description: 'what it was taken for; `nothing` has neither letters nor digits' },
      ),
      kinds: Type.Array(Type.OneOf(['artist', 'character', 'category', 'album']), {
        description: 'the kinds of records with such a name',
      }),
      excluded: Type.Boolean({ description: 'whether images must not have it' }),
      found: Type.Boolean({ description: 'whether it is about any image' }),
    }),
    { description: 'one for each word or phrase of the text, in its order' },
  ),
  filters: Type.Object(
    {
      q: Type.Optional(Text),
      categories: Type.Optional(Type.Array(Text)),
      exclude: Type.Optional(Type.Array(Text)),
      artist: Type.Optional(Type.Array(Uuid)),
      excludeArtist: Type.Optional(Type.Array(Uuid)),
      character: Type.Optional(Type.Array(Uuid)),
      album: Type.Optional(Type.Array(Uuid)),
      nsfw: Type.Optional(Type.Array(Rating)),
      orientation: Type.Optional(Type.Array(Orientation)),
      type: Type.Optional(Type.Array(Type.OneOf(fileTypes))),
      animated: Type.Optional(Type.Boolean()),
    },
    {
      description:
        'the parameters for `/image/random` that say the same as the text; only those that are set',
    },
  ),
  suggestions: Type.Array(
    Type.Object({ q: Text, images: Type.Integer({ minimum: 1, description: 'how many it finds' }) }),
    { description: 'other spellings of the text, if a word is about no image' },
  ),
});

export const TokenInformation = Type.Object({
  owner: Text,
  purpose: Text,
  scopes: Type.Array(Text, { description: 'what the token allows' }),
  issuedBy: Text,
  createdAt: Timestamp,
  expires: Timestamp,
});

export const Statistics = Type.Object({
  images: Type.Object({
    count: Count,
    nsfw: Type.Object({ nsfw: Count, questionable: Count, sfw: Count }),
    orientation: Type.Object({ landscape: Count, portrait: Count, square: Count }),
  }),
  artists: Type.Object({ count: Count }),
  characters: Type.Object({ count: Count }),
  categories: Type.Object({ count: Count }),
});

export const Paths = Type.Array(Type.String({ pattern: '^/' }));
export const ServiceMeta = Type.Object({
  version: Type.String({ pattern: '^v\\d+\\.\\d+\\.\\d+' }),
  baseApiRoute: text('the prefix of the request'),
});

export type Rating = Type.Static<typeof Rating>;
export type Orientation = Type.Static<typeof Orientation>;
export type Include = Type.Static<typeof Include>;
export type Mimetype = Type.Static<typeof Mimetype>;
/** What follows `image/` in a mimetype. */
export type FileType = (typeof fileTypes)[number];
export type Artist = Type.Static<typeof Artist>;
export type Category = Type.Static<typeof Category>;
export type Character = Type.Static<typeof Character>;
export type Album = Type.Static<typeof Album>;
export type Image = Type.Static<typeof Image>;
export type Statistics = Type.Static<typeof Statistics>;

/** The kinds of entries that the documents of images mention. */
export const MENTIONED_KINDS = ['artist', 'category', 'character'] as const;
export type MentionedKind = (typeof MENTIONED_KINDS)[number];

/** The kinds of entries: records with a name that images belong to. An album also has an order of its images. */
export const KINDS = [...MENTIONED_KINDS, 'album'] as const;
export type Kind = (typeof KINDS)[number];

export const forEachKind = <T>(make: (kind: Kind) => T) =>
  Object.fromEntries(KINDS.map((kind) => [kind, make(kind)])) as Record<Kind, T>;

/** A stored image document: the public JSON with placeholders for its link, and more on request (see document.ts). */
export type Document = string;

export interface Window {
  offset: number;
  limit: number;
}

/** A slice of an ordered list, and the length of the whole list. */
export interface Page<Item> {
  total: number;
  items: Item[];
}

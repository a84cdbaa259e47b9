/**
 * The shapes of entries and images in a catalogue file. Unknown fields are rejected, because a misspelt field would be lost
 * silently.
 */
import * as Type from '../json-schema.ts';
import { Colour, Count, dimens, ETag, Mimetype, Rating, Uuid, WebAddress } from '../schemas.ts';

const closed = { additionalProperties: false };
const Name = Type.String({ minLength: 1, maxLength: 255, pattern: '^\\S([\\s\\S]*\\S)?$' });
const LongText = Type.String({ maxLength: 10_000 });
const ShortText = Type.String({ maxLength: 255 });
const EditableField = Type.String({ enum: ['artist', 'categories', 'characters', 'rating', 'source'] });
const optionalFields = {
  id: Type.Optional(Uuid),
  createdAt: Type.Optional(Type.String({ format: 'date-time' })),
};

const entryFields = { ...optionalFields, aliases: Type.Optional(Type.Array(Name, { maxItems: 1000 })) };

export const CategoryLine = Type.Object(
  {
    type: Type.Literal('category'),
    ...entryFields,
    name: Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\s,]([^,]*[^\\s,])?$' }),
    description: Type.Optional(LongText),
    nsfw: Type.Optional(Type.Boolean()),
  },
  closed,
);
export const ArtistLine = Type.Object(
  { type: Type.Literal('artist'), ...entryFields, name: Name, url: Type.Optional(WebAddress) },
  closed,
);
export const CharacterLine = Type.Object(
  {
    type: Type.Literal('character'),
    ...entryFields,
    name: Name,
    description: Type.Optional(LongText),
    source: Type.Optional(ShortText),
    gender: Type.Optional(ShortText),
    ages: Type.Optional(Type.Array(Type.Integer({ minimum: 0 }), { maxItems: 100 })),
    birth_date: Type.Optional(ShortText),
    nationality: Type.Optional(ShortText),
    occupations: Type.Optional(Type.Array(ShortText, { maxItems: 100 })),
  },
  closed,
);
export const ImageLine = Type.Object(
  {
    type: Type.Literal('image'),
    ...optionalFields,
    file: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
    key: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
    meta: Type.Optional(
      Type.Object(
        {
          eTag: ETag,
          size: Count,
          mimetype: Mimetype,
          color: Colour,
          dimens: Type.Object(dimens, closed),
        },
        closed,
      ),
    ),
    thumbnails: Type.Optional(
      Type.Object(
        {
          sizes: Type.Array(Type.Integer({ minimum: 1, maximum: 999_999 }), { maxItems: 8 }),
          thumbHash: Type.String({ pattern: '^[0-9A-Za-z+/]{4,56}={0,2}$' }),
          isAnimated: Type.Optional(Type.Boolean()),
        },
        closed,
      ),
    ),
    artist: Type.Optional(Type.Union([Type.String({ minLength: 1 }), Type.Null()])),
    source: Type.Optional(
      Type.Union([Type.Object({ name: ShortText, url: WebAddress }, closed), Type.Null()]),
    ),
    nsfw: Rating,
    categories: Type.Optional(Type.Array(Type.String(), { maxItems: 250 })),
    characters: Type.Optional(Type.Array(Type.String(), { maxItems: 250 })),
    edited: Type.Optional(Type.Array(EditableField)),
  },
  closed,
);

/**
 * Every parameter of the API. Its schema validates it (see query.ts) and describes it in the reference, with the first of
 * its `examples`.
 */

import { MIN_EXPIRY } from '../access/tokens.ts';
import type { Filter } from '../catalogue/catalogue.ts';
import { EntryInclude, fileTypes, Include, Orientation, Rating, uuidPattern } from '../catalogue/schemas.ts';
import * as Type from '../lib/json-schema.ts';
import * as examples from './examples.ts';

/** In the path. The reference describes it for each kind of record. */
export const id = Type.String({ pattern: uuidPattern });

export const limit = Type.Integer({
  minimum: 1,
  maximum: 25,
  default: 10,
  description: 'The maximum number of records to return.',
  examples: [10],
});
export const offset = Type.Integer({
  minimum: 0,
  default: 0,
  description: 'The number of records to skip.',
  examples: [0],
});
export const search = Type.Optional(
  Type.String({
    maxLength: 50,
    title: 'search query',
    description: 'A pattern that the whole name must match.',
    examples: ['%ink%'],
  }),
);
export const sort = Type.Union([Type.Literal('name'), Type.Literal('images')], {
  default: 'name',
  description: 'Whether to sort by name, or by the number of images: most first, then by name.',
  examples: ['images'],
});
export const q = Type.Optional(
  Type.String({
    maxLength: 100,
    description: 'What to search for.',
    examples: ['fox -night artist:"Hoshino Ink" rating:sfw'],
  }),
);
export const expiry = Type.Optional(
  Type.Integer({
    minimum: MIN_EXPIRY,
    description:
      'How long the links stay valid, in seconds. Requires a token with the scope `image:custom-expiry`.',
    examples: [86_400],
  }),
);
export const seed = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'Any text. The same seed returns the same images in the same order.',
    examples: ['2026-11-14'],
  }),
);
export const cursor = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 64,
    description:
      'The `X-Next-Cursor` of the previous response, to continue from there. Send it with the same filters, and the ' +
      'same `seed` if there was one.',
    examples: ['AAJiasLMtmKK5gn1iDFdLTXiK_iN'],
  }),
);

export const width = Type.Optional(
  Type.Integer({
    minimum: 1,
    description:
      'The width in pixels that you need. Redirects to the smallest thumbnail that is at least this wide, or else to ' +
      'the original.',
    examples: [480],
  }),
);

/** The parameters of every endpoint that returns images. */
export const imageParameters = {
  expiry,
  include: Type.Optional(
    Type.Array(Include, {
      description:
        'What to add to each image: `artist` adds `artistDetails`, the record of the artist; `details` adds `title`, ' +
        '`description`, `takenAt` and, if the operator has set one, `reportUrl`; `thumbnails` adds `meta.thumbnails`, smaller versions of the file, ' +
        '`meta.thumbHash`, a tiny preview, and `meta.animated`, whether it is an animation.',
      examples: [['artist', 'thumbnails']],
    }),
  ),
};

/** Of every endpoint that returns artists, characters, categories or albums. */
export const entryInclude = Type.Optional(
  Type.Array(EntryInclude, {
    description:
      'What to add to each record: `count` adds `images`, the number of images, which single records always have; ' +
      '`cover` adds `cover`, the newest image rated sfw, with its thumbnails.',
    examples: [['count', 'cover']],
  }),
);

/** The filters of lists. */
export const listFilters = {
  nsfw: Type.Optional(
    Type.Array(Rating, {
      description: 'Only images with one of these ratings, separated by commas.',
      examples: [['sfw']],
    }),
  ),
  orientation: Type.Optional(
    Type.Array(Orientation, {
      description: 'Only images with one of these orientations, separated by commas.',
      examples: [['portrait', 'square']],
    }),
  ),
  type: Type.Optional(
    Type.Array(Type.Union([...fileTypes, 'jpg' as const].map((name) => Type.Literal(name))), {
      description: 'Only files of one of these types, separated by commas. `jpg` is the same as `jpeg`.',
      examples: [['webp', 'gif']],
    }),
  ),
  animated: Type.Optional(
    Type.Boolean({
      description: 'Only animations (`true`), or only other images (`false`).',
      examples: [true],
    }),
  ),
  minWidth: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'Only images that are at least this wide, in pixels.',
      examples: [1920],
    }),
  ),
  minHeight: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'Only images that are at least this high, in pixels.',
      examples: [1080],
    }),
  ),
  maxWidth: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'Only images that are at most this wide, in pixels.',
      examples: [1920],
    }),
  ),
  maxHeight: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'Only images that are at most this high, in pixels.',
      examples: [1080],
    }),
  ),
  aspectRatio: Type.Optional(
    Type.String({
      pattern: '^[1-9][0-9]{0,4}:[1-9][0-9]{0,4}$',
      maxLength: 11,
      description: 'Only images with this ratio of width to height. It may differ by 2 %.',
      examples: ['16:9'],
    }),
  ),
  character: Type.Optional(
    Type.Array(Type.String({ pattern: uuidPattern }), {
      description: 'Only images that show one of these characters: ids, separated by commas.',
      examples: [[examples.character.id]],
    }),
  ),
  album: Type.Optional(
    Type.Array(Type.String({ pattern: uuidPattern }), {
      description: 'Only images in one of these albums: ids, separated by commas.',
      examples: [[examples.album.id]],
    }),
  ),
};

/** The filters of lists with images of several artists. */
export const artistFilters = {
  artist: Type.Optional(
    Type.Array(Type.String({ pattern: uuidPattern }), {
      description: 'Only images by one of these artists: ids, separated by commas.',
      examples: [[examples.artist.id]],
    }),
  ),
  excludeArtist: Type.Optional(
    Type.Array(Type.String({ pattern: uuidPattern }), {
      description: 'Only images by none of these artists: ids, separated by commas.',
      examples: [[examples.artist.id]],
    }),
  ),
};

/** The filters of random and of the latest images. They reach the catalogue under the same names. */
export const imageFilters = {
  categories: Type.Array(Type.String(), {
    default: [],
    description:
      'Only images in all of these categories, or with `match=any` in any of them: names, separated by commas.',
    examples: [['foxgirl', 'kimono']],
  }),
  match: Type.Union([Type.Literal('all'), Type.Literal('any')], {
    default: 'all',
    description: 'Whether an image must be in all of the `categories` or in any of them.',
    examples: ['any'],
  }),
  exclude: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Only images in none of these categories: names, separated by commas.',
      examples: [['night', 'rain']],
    }),
  ),
  ...listFilters,
  ...artistFilters,
} satisfies Record<keyof Filter, Type.TSchema>;

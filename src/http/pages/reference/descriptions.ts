/** What the reference says of each endpoint beyond what its route knows: words, and an example. */
import type Type from 'typebox';
import { ServiceMeta } from '../../../schemas.ts';
import * as samples from '../../api/examples.ts';

export interface Description {
  /** The name of the operation, which is that of the client's method. */
  name: string;
  group: string;
  summary: string;
  description: string;
  /** The query of the example, and the `data` that answers it. */
  query: Record<string, string>;
  data: unknown;
  meta?: { schema: Type.TSchema; example: object };
  isPaged?: true;
  /** Gives a cursor. */
  isWalked?: true;
  hasETag?: true;
}

export const groups = [
  { name: 'Images', description: 'Pictures: random ones, one by its id, all of them.' },
  { name: 'Artists', description: 'Who drew the pictures.' },
  { name: 'Characters', description: 'Whom the pictures show.' },
  { name: 'Categories', description: 'What the pictures are filed under.' },
  { name: 'Service', description: 'The service itself, what it holds, and your token.' },
];

/** Whom the path names. */
export const ids: Record<string, string> = {
  image: samples.image.id,
  artist: samples.artist.id,
  character: samples.character.id,
  category: samples.category.id,
};

const byName = 'They come by name, then id.';
const oldestFirst = 'They come in the order in which they were added, oldest first.';

export const descriptions: Record<string, Description> = {
  '/': {
    name: 'information',
    group: 'Service',
    summary: 'What this service is',
    description: 'The paths of all endpoints, the version, and the prefix that was called.',
    query: {},
    data: ['/', '/stats', '/token', '/image', '/image/random', '/image/{id}'],
    meta: { schema: ServiceMeta, example: { version: 'v0.1.0', baseApiRoute: '/api' } },
  },
  '/stats': {
    name: 'stats',
    group: 'Service',
    summary: 'How much there is of everything',
    description: 'Images are counted by rating and by orientation too.',
    query: {},
    data: samples.statistics,
    hasETag: true,
  },
  '/token': {
    name: 'token',
    group: 'Service',
    summary: 'What your token is for',
    description: 'Whose token was sent, its scopes, and until when it is valid. It needs no scope.',
    query: {},
    data: samples.token,
  },
  '/image': {
    name: 'images',
    group: 'Images',
    summary: 'List all images',
    description: oldestFirst,
    query: { limit: '2', offset: '40' },
    data: [samples.image],
    isPaged: true,
  },
  '/image/random': {
    name: 'random',
    group: 'Images',
    summary: 'Draw random images',
    description:
      'Each image that qualifies is as likely as any other, and none comes twice in one answer. Where fewer than ' +
      '`limit` qualify, all of them come; where none does, the list is empty. With a `seed` the same images come in the ' +
      'same order each time, and `cursor` goes on where the answer before stopped: no image comes twice until all ' +
      'were shown. A new image takes its place somewhere in that order; the others keep theirs.',
    query: { categories: 'foxgirl,kimono', nsfw: 'sfw', limit: '1' },
    data: [samples.image],
    isWalked: true,
  },
  '/image/{id}': {
    name: 'image',
    group: 'Images',
    summary: 'One image',
    description: 'The same record as in lists, with a link of its own.',
    query: {},
    data: samples.image,
  },
  '/artist': {
    name: 'artists',
    group: 'Artists',
    summary: 'List artists, or search for them',
    description: byName,
    query: { search: '%ink%', limit: '5' },
    data: [samples.artist],
    isPaged: true,
    hasETag: true,
  },
  '/artist/{id}': {
    name: 'artist',
    group: 'Artists',
    summary: 'One artist',
    description: 'With the count of the images by this artist.',
    query: {},
    data: { ...samples.artist, images: 7 },
    hasETag: true,
  },
  '/artist/{id}/images': {
    name: 'artistImages',
    group: 'Artists',
    summary: 'List the images of an artist',
    description: `${oldestFirst} Their \`meta.dimens\` has no \`aspectRatio\`.`,
    query: { limit: '1', offset: '2' },
    data: [samples.artistImage],
    isPaged: true,
  },
  '/character': {
    name: 'characters',
    group: 'Characters',
    summary: 'List characters, or search for them',
    description: byName,
    query: { search: 'ko%' },
    data: [samples.character],
    isPaged: true,
    hasETag: true,
  },
  '/character/{id}': {
    name: 'character',
    group: 'Characters',
    summary: 'One character',
    description: 'With the count of the images that show this character.',
    query: {},
    data: { ...samples.character, images: 4 },
    hasETag: true,
  },
  '/category': {
    name: 'categories',
    group: 'Categories',
    summary: 'List categories, or search for them',
    description: byName,
    query: { search: 'd__' },
    data: [samples.category],
    isPaged: true,
    hasETag: true,
  },
  '/category/{id}': {
    name: 'category',
    group: 'Categories',
    summary: 'One category',
    description: 'With the count of the images in this category.',
    query: {},
    data: { ...samples.category, images: 9 },
    hasETag: true,
  },
};

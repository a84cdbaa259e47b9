/**
 * The known catalogue: small enough to predict every response, and with every case: each format, rating and orientation,
 * an image without artist and source, an empty category, an artist without images, names that differ in case, order and
 * script.
 */
import { UNKNOWN_ARTIST } from '../../../src/catalogue/documents/document.ts';
import { type Drawing, drawInto } from '../pictures/pictures.ts';
import { writeLines } from './lines.ts';

export const uuid = (kind: number, index: number): string =>
  `${kind}0000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

const created = (day: number) => `2026-01-${String(day).padStart(2, '0')}T12:00:00.000Z`;

export const categories = [
  {
    id: uuid(1, 1),
    name: 'catgirl',
    description: 'With the ears of a cat.',
    nsfw: false,
    createdAt: created(1),
  },
  { id: uuid(1, 2), name: 'Kimono', description: 'Dressed in a kimono.', nsfw: false, createdAt: created(2) },
  { id: uuid(1, 3), name: 'night sky', description: '', nsfw: false, createdAt: created(3) },
  { id: uuid(1, 4), name: 'empty', description: 'Nothing is in it.', nsfw: true, createdAt: created(4) },
];

export const artists = [
  { id: uuid(2, 1), name: 'Mariko', url: 'https://example.org/mariko' },
  { id: uuid(2, 2), name: 'abe', url: 'https://example.org/abe' },
  { id: uuid(2, 3), name: 'Élodie', url: '' },
  { id: uuid(2, 4), name: 'Idle', url: 'https://example.org/idle' },
  UNKNOWN_ARTIST,
];

export const characters = [
  {
    id: uuid(3, 1),
    name: 'Yuki "Snow" Sato',
    description: 'Quiet.\nLikes snow.',
    source: 'Winter Tale',
    gender: 'female',
    ages: [19, 20],
    birth_date: 'in February',
    nationality: 'Japanese',
    occupations: ['student', 'waitress'],
    createdAt: created(5),
  },
  {
    id: uuid(3, 2),
    name: 'かえで',
    description: '',
    source: '',
    gender: '',
    ages: [],
    birth_date: '',
    nationality: '',
    occupations: [],
    createdAt: created(6),
  },
];

interface KnownImage {
  id: string;
  drawing: Drawing;
  artist: string;
  source: { name: string; url: string };
  nsfw: string;
  categories: string[];
  characters: string[];
  createdAt: string;
}

const drawing = (
  file: string,
  format: Drawing['format'],
  width: number,
  height: number,
  colour: string,
  frames = 1,
) => ({
  file,
  format,
  width,
  height,
  colour,
  frames,
});

const source = { name: 'A "site"', url: 'https://example.org/posts/1' };
const noSource = { name: '', url: '' };

/** In the order of adding. */
export const images: KnownImage[] = [
  {
    drawing: drawing('p/1.jpg', 'jpeg', 120, 80, '#c02020'),
    artist: 'Mariko',
    source,
    nsfw: 'sfw',
    categories: ['catgirl', 'Kimono'],
    characters: ['Yuki "Snow" Sato'],
  },
  {
    drawing: drawing('p/2.png', 'png', 80, 120, '#20c020'),
    artist: 'Mariko',
    source,
    nsfw: 'questionable',
    categories: ['catgirl'],
    characters: [],
  },
  {
    drawing: drawing('p/3.webp', 'webp', 64, 64, '#2020c0'),
    artist: 'abe',
    source: noSource,
    nsfw: 'nsfw',
    categories: ['Kimono', 'night sky'],
    characters: ['かえで', 'Yuki "Snow" Sato'],
  },
  {
    drawing: drawing('p/4.gif', 'gif', 90, 60, '#c0c020', 3),
    artist: 'Unknown',
    source: noSource,
    nsfw: 'sfw',
    categories: [],
    characters: [],
  },
  {
    drawing: drawing('p/5.avif', 'avif', 100, 50, '#20c0c0'),
    artist: 'Élodie',
    source,
    nsfw: 'sfw',
    categories: ['catgirl', 'Kimono', 'night sky'],
    characters: ['かえで'],
  },
  {
    drawing: drawing('p/6.webp', 'webp', 60, 90, '#c020c0', 2),
    artist: 'Mariko',
    source,
    nsfw: 'sfw',
    categories: ['Kimono'],
    characters: [],
  },
].map((image, index) => ({ ...image, id: uuid(4, index + 1), createdAt: created(10 + index) }));

/** In another order than that of adding. */
export const albums = [
  {
    id: uuid(5, 1),
    name: 'Favourites',
    description: 'The best ones.',
    createdAt: created(20),
    images: [5, 2, 4].map((index) => uuid(4, index)),
  },
];

/** Draws the pictures, writes the catalogue file and returns its path. */
export async function writeKnownCatalogue(folder: string): Promise<string> {
  for (const image of images) await drawInto(folder, image.drawing);
  const lines = [
    ...categories.map((category) => ({ type: 'category', ...category })),
    ...artists.filter((artist) => artist !== UNKNOWN_ARTIST).map((artist) => ({ type: 'artist', ...artist })),
    ...characters.map((character) => ({ type: 'character', ...character })),
    ...images.map(({ drawing: { file }, artist, source, ...image }) => ({
      type: 'image',
      file,
      ...image,
      artist: artist === 'Unknown' ? null : artist,
      source: source === noSource ? null : source,
    })),
    ...albums.map((album) => ({ type: 'album', ...album })),
  ];
  return writeLines(folder, 'catalogue.ndjson', lines);
}

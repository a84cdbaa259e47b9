/** A catalogue for the gallery tests: several pages of images of every orientation, some of them blurred. */
import { cpSync, rmSync } from 'node:fs';
import { atEnd } from '../at-end.ts';
import { type Drawing, drawInto } from '../pictures/pictures.ts';
import { newFolder, temporaryFolder } from '../workspace.ts';
import { importFiles } from '../zukan/import-files.ts';
import { configFor } from '../zukan/service.ts';
import { uuid } from './catalogue.ts';
import { writeLines } from './lines.ts';

const sizes = [
  [240, 160],
  [160, 240],
  [200, 200],
  [300, 120],
  [120, 300],
] as const;
/** Images share files, because drawing them takes time. */
const FILE_COUNT = 40;

export const artistId = uuid(2, 1);
export const characterId = uuid(3, 1);
export const seaCategoryId = uuid(1, 1);
export const albumId = uuid(5, 1);
export const sfwImageId = uuid(4, 1);
export const questionableImageId = uuid(4, 8);

function drawing(number: number): Drawing {
  const file = number % FILE_COUNT;
  const [width, height] = sizes[file % sizes.length] as (typeof sizes)[number];
  const colour = `#${(0x203040 + file * 0x050301).toString(16)}`;
  return { file: `images/${file}.webp`, format: 'webp', width, height, colour };
}

/** All images are in "sea" and by the first artist; every third is also in "city", every eighth is questionable. */
export async function writeGalleryCatalogue(folder: string, count: number): Promise<string> {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  for (const number of numbers.slice(0, FILE_COUNT)) await drawInto(folder, drawing(number));
  const images = numbers.map((number) => ({
    type: 'image',
    id: uuid(4, number),
    file: drawing(number).file,
    artist: artistId,
    source: { name: 'A book', url: 'https://example.org/book' },
    nsfw: number % 8 === 0 ? 'questionable' : 'sfw',
    categories: number % 3 === 0 ? ['sea', 'city'] : ['sea'],
    characters: [number % 2 === 0 ? 'Nami <b>Umi</b>' : 'かえで'],
  }));
  const lines = [
    { type: 'category', id: seaCategoryId, name: 'sea', description: 'By the sea.' },
    { type: 'category', name: 'city', description: '' },
    { type: 'category', name: 'moon', description: 'Has no images.' },
    { type: 'artist', id: artistId, name: 'Hokusai & Daughter', url: 'https://example.org/hokusai' },
    { type: 'artist', name: 'Idle', url: '' },
    {
      type: 'character',
      id: characterId,
      name: 'Nami <b>Umi</b>',
      description: 'Swims.',
      source: 'Waves',
      ages: [19],
      occupations: ['diver'],
    },
    { type: 'character', name: 'かえで' },
    ...images,
    {
      type: 'album',
      id: albumId,
      name: 'Holidays',
      description: 'A week by the sea.',
      images: images.map(({ id }) => id).reverse(),
    },
  ];
  return writeLines(folder, 'gallery.ndjson', lines);
}

const imported = new Map<number, Promise<string>>();

/** Imports the catalogue, once for each count. Returns a function that makes configurations for services on a copy of it. */
export async function importGalleryCatalogue(count = 30) {
  const original = imported.get(count) ?? importInto(newFolder('zukan-gallery-'), count);
  imported.set(count, original);
  const folder = temporaryFolder();
  cpSync(await original, folder, { recursive: true });
  return (environment: Record<string, string> = {}) => configFor(folder, environment);
}

async function importInto(folder: string, count: number): Promise<string> {
  atEnd(() => rmSync(folder, { recursive: true }));
  await importFiles(configFor(folder), [await writeGalleryCatalogue(folder, count)]);
  return folder;
}

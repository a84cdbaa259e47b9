/** A catalogue to browse: enough pictures for two pages or more, of every shape, some of them not for every eye. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { importFiles } from '../../src/commands/import.ts';
import { uuid } from './catalogue.ts';
import { type Drawing, drawInto } from './pictures.ts';
import { configFor } from './service.ts';
import { temporaryFolder } from './workspace.ts';

const shapes = [
  [240, 160],
  [160, 240],
  [200, 200],
  [300, 120],
  [120, 300],
] as const;

export const painter = uuid(2, 1);
export const heroine = uuid(3, 1);
export const sea = uuid(1, 1);
export const sfwImage = uuid(4, 1);
export const questionableImage = uuid(4, 8);

const drawingOf = (index: number): Drawing => {
  const [width, height] = shapes[index % shapes.length] as (typeof shapes)[number];
  const colour = `#${(0x203040 + (index % 40) * 0x050301).toString(16)}`;
  return { file: `p/${index}.webp`, format: 'webp', width, height, colour };
};

/** Images 1, 2, 3, …: every one by the first artist, at sea or (each third) in the city too, each eighth questionable. */
export async function writeGalleryCatalogue(folder: string, count: number): Promise<string> {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  for (const number of numbers) await drawInto(folder, drawingOf(number));
  const images = numbers.map((number) => ({
    ...{ type: 'image', id: uuid(4, number), file: drawingOf(number).file },
    artist: painter,
    source: { name: 'A book', url: 'https://example.org/book' },
    nsfw: number % 8 === 0 ? 'questionable' : 'sfw',
    categories: number % 3 === 0 ? ['sea', 'city'] : ['sea'],
    characters: [number % 2 === 0 ? 'Nami <b>Umi</b>' : 'かえで'],
  }));
  const lines = [
    { type: 'category', id: sea, name: 'sea', description: 'By the sea.' },
    { type: 'category', name: 'city', description: '' },
    { type: 'category', name: 'moon', description: 'Nobody has been there.' },
    { type: 'artist', id: painter, name: 'Hokusai & Daughter', url: 'https://example.org/hokusai' },
    { type: 'artist', name: 'Idle', url: '' },
    {
      ...{ type: 'character', id: heroine, name: 'Nami <b>Umi</b>', description: 'Swims.' },
      ...{ source: 'Waves', ages: [19], occupations: ['diver'] },
    },
    { type: 'character', name: 'かえで' },
    ...images,
  ];
  const path = join(folder, 'gallery.ndjson');
  await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return path;
}

/** Imports it, and gives configurations of services that serve it. */
export async function galleryCatalogue(count = 30) {
  const folder = temporaryFolder();
  await importFiles(configFor(folder), [await writeGalleryCatalogue(folder, count)]);
  return (environment: Record<string, string> = {}) => configFor(folder, environment);
}

/** A catalogue for the tests of the image dialog: a photo and its copies, a strip, a panorama and an animation. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { drawPhoto } from '../pictures/photo.ts';
import { drawInto } from '../pictures/pictures.ts';
import { temporaryFolder } from '../workspace.ts';
import { importFiles } from '../zukan/import-files.ts';
import { configFor } from '../zukan/service.ts';
import { uuid } from './catalogue.ts';
import { writeLines } from './lines.ts';

/** Newest first. */
export const [photoId, stripId, panoramaId, animationId, copyId, questionableCopyId] = [1, 2, 3, 4, 5, 6].map(
  (number) => uuid(4, number),
) as [string, string, string, string, string, string];

export async function importViewerCatalogue() {
  const folder = temporaryFolder();
  await mkdir(folder, { recursive: true });
  const photo = await drawPhoto(900, 600);
  await writeFile(join(folder, 'photo.jpg'), photo);
  for (const width of [450, 300])
    await writeFile(join(folder, `copy-${width}.png`), await sharp(photo).resize(width).png().toBuffer());
  const colour = '#204060';
  await drawInto(folder, { file: 'strip.png', format: 'png', width: 60, height: 1500, colour });
  await drawInto(folder, { file: 'panorama.png', format: 'png', width: 1500, height: 60, colour });
  await drawInto(folder, { file: 'moving.gif', format: 'gif', width: 80, height: 60, colour, frames: 2 });
  const files = {
    [questionableCopyId]: 'copy-300.png',
    [copyId]: 'copy-450.png',
    [animationId]: 'moving.gif',
    [panoramaId]: 'panorama.png',
    [stripId]: 'strip.png',
    [photoId]: 'photo.jpg',
  };
  const images = Object.entries(files).map(([id, file]) => ({
    type: 'image',
    id,
    file,
    artist: 'A/B: C',
    characters: ['Nami'],
    categories: [],
    nsfw: id === questionableCopyId ? 'questionable' : 'sfw',
    description: id === photoId ? 'A long description. '.repeat(40) : '',
  }));
  const lines = [{ type: 'artist', name: 'A/B: C' }, { type: 'character', name: 'Nami' }, ...images];
  const path = writeLines(folder, 'viewer.ndjson', lines);
  const makeConfig = (environment: Record<string, string> = {}) =>
    configFor(folder, { THUMBNAILS: '40,400', ...environment });
  await importFiles(makeConfig(), [path]);
  return { makeConfig, photo };
}

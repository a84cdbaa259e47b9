/** A small catalogue whose images have pictures of their own, and spare pictures to replace them with. */

import { writeTiny } from '../pictures/tiny.ts';
import type { Engine } from '../servers/engines.ts';
import { uuid } from './catalogue.ts';
import { sandbox } from './import.ts';

/** The record of an image with one of the pictures 1 to 4. */
export function image(id: number, picture: number) {
  return { type: 'image', id: uuid(4, id), file: `${picture}.png`, nsfw: 'sfw' };
}

/** Images 1 and 2 have the pictures 1 and 2. */
export async function importTwoImages(engine?: Engine) {
  const box = sandbox(engine);
  for (const picture of [1, 2, 3, 4]) writeTiny(box.folder, `${picture}.png`, picture);
  await box.import([image(1, 1), image(2, 2)]);
  return box;
}

/** Whether a backup would remove what only a lost or damaged catalogue can lack. */
import { isLargePart } from '../lib/large-part.ts';
import type { Manifest } from './format.ts';
import { type Generation, pictureHashes } from './generations.ts';
import type { PictureFiles } from './picture-files.ts';

const CONFIRM = 'use --yes if this is right';

/** Why removing outdated generations may be a mistake. `manifest` and `pictures` are what stays. */
export async function findDoubt(
  folder: string,
  outdated: Generation[],
  { counts }: Manifest,
  pictures: PictureFiles,
): Promise<string | undefined> {
  for (const generation of outdated) {
    const { createdAt, tokens } = generation;
    // Revoked ones stay, so that there are never fewer.
    if (tokens > counts.tokens)
      return `the backup of ${createdAt} has ${tokens} of the tokens, and the catalogue has ${counts.tokens}; ${CONFIRM}`;
    const { dropped, total } = await countDropped(folder, generation, pictures);
    if (isLargePart(dropped, total))
      return `${dropped} of the ${total} pictures in the backup of ${createdAt} are gone, more than a tenth; ${CONFIRM}`;
  }
  return undefined;
}

async function countDropped(folder: string, generation: Generation, pictures: PictureFiles) {
  let [dropped, total] = [0, 0];
  try {
    for await (const hash of pictureHashes(folder, generation)) {
      total++;
      if (!pictures.isNeeded(hash)) dropped++;
    }
  } catch {
    // The generation is damaged. What can be read counts.
  }
  return { dropped, total };
}

/** A catalogue with a change log and a trash, and comparing those of two catalogues. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeImages } from '../../../src/changes/remove.ts';
import { openFiles, openSnapshot, openWriter } from '../../../src/server/engines.ts';
import { writeTiny } from '../pictures/tiny.ts';
import { temporaryFolder } from '../workspace.ts';
import { configFor } from '../zukan/service.ts';
import { type Environment, succeed } from './backup.ts';
import { uuid } from './catalogue.ts';
import { toLines } from './lines.ts';

/** The id of the image that was added as this one. */
export const image = (index: number): string => uuid(4, index);

/** Moves images to the trash, as the studio does. */
export async function moveToTrash(environment: Environment, ids: string[]): Promise<void> {
  const config = configFor('/nowhere', environment);
  const open = { openWriter: () => openWriter(config), openSnapshot: () => openSnapshot(config) };
  const facts = { concurrency: 1, now: new Date().toISOString(), reason: '', allowAgain: true };
  const { signal } = new AbortController();
  const options = { isDryRun: false, toTrash: true, signal };
  await removeImages({ ids }, { files: openFiles(config), ...open, ...facts, ...options });
}

/**
 * Changes 1, 2 and 3 are imports of the images 1 to 4, 5 to 8 and 9 to 10. Image 2 was taken down, image 6 is in the trash
 * (change 5), and undoing change 3 moved its images there. Image 7 has another rating (change 7), and the category was
 * renamed (change 8).
 */
export async function makeHistory(
  engine: Environment,
): Promise<{ folder: string; environment: Environment }> {
  const folder = temporaryFolder();
  const environment = { DATA_DIR: join(folder, 'data'), THUMBNAILS: 'off', ...engine };
  for (const [first, last] of [
    [1, 4],
    [5, 8],
    [9, 10],
  ] as const) {
    const records: object[] = [];
    for (let index = first; index <= last; index++) {
      writeTiny(folder, `${index}.png`, index);
      const source = { name: '', url: `https://example.org/${index}` };
      const file = `${index}.png`;
      records.push({ type: 'image', id: image(index), file, nsfw: 'sfw', categories: ['cat'], source });
    }
    const category = { type: 'category', name: 'cat' };
    writeFileSync(join(folder, 'catalogue.ndjson'), toLines(first === 1 ? [category, ...records] : records));
    await succeed(['import', '--quiet', join(folder, 'catalogue.ndjson')], environment);
  }
  await succeed(['remove', '--yes', image(2)], environment);
  await moveToTrash(environment, [image(6)]);
  await succeed(['undo', '3'], environment);
  await succeed(
    ['edit', image(7), '--rating', 'nsfw', '--source-url', 'https://example.org/new'],
    environment,
  );
  await succeed(['entry', 'category', 'cat', '--name', 'cats'], environment);
  writeFileSync(join(folder, 'data/link.keys'), `${'a'.repeat(32)}\n`, { mode: 0o600 });
  return { folder, environment };
}

/** The change log and the trash, but for image numbers: those are other ones after a restore. */
export async function historyOf(environment: Environment): Promise<object> {
  await using snapshot = await openSnapshot(configFor('/nowhere', environment));
  const { changeLog } = snapshot;
  const changes = await Array.fromAsync(changeLog.changes());
  const trash = await Array.fromAsync(changeLog.trash());
  return {
    changes: changes.map(({ firstImage, lastImage, ...change }) => change),
    items: await Array.fromAsync(changeLog.storedItems(), (item) => ({ ...item })),
    trash: trash
      .map(({ image: { id, eTag, key, edited }, ...row }) => ({ ...row, id, eTag, key, edited }))
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

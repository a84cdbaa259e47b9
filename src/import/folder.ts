/**
 * A folder of pictures as a source. The names of the subfolders are categories, and a sidecar next to a picture gives its
 * other fields.
 */
import { readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { withSubject } from './problems.ts';
import { readInside } from './read-inside.ts';
import { checkPicture, type ImageLine } from './record.ts';
import { categoryNames, readSidecar } from './sidecar.ts';
import type { Source } from './source.ts';

const MAX_SIDECAR_BYTES = 1024 * 1024;
const pictureName = /\.(jpe?g|jfif|png|webp|gif|avif)$/i;

/** Called with each visible file that is neither a picture nor a sidecar. */
export type OnIgnored = (path: string) => void;

export function pictureFolder(folder: string, onIgnored: OnIgnored, signal: AbortSignal): Source {
  return {
    folder,
    isFolder: true,
    async *records() {
      let position = 0;
      for await (const picture of findPictures(folder, onIgnored)) {
        signal.throwIfAborted();
        const parse = await picture.read().then(
          (record) => () => record,
          (error) => () => {
            throw error;
          },
        );
        yield { position: position++, label: join(folder, picture.path), size: 1, parse };
      }
    },
  };
}

export async function countPictures(folder: string): Promise<number> {
  let count = 0;
  for await (const _ of findPictures(folder, () => {})) count++;
  return count;
}

interface FoundPicture {
  /** Relative to the folder. */
  path: string;
  read(): Promise<ImageLine>;
}

/** Sorted by name within each folder. */
async function* findPictures(
  root: string,
  onIgnored: OnIgnored,
  inside = '',
): AsyncGenerator<FoundPicture, void> {
  const entries = await readdir(join(root, inside), { withFileTypes: true });
  const names = new Set(entries.map(({ name }) => name));
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(inside, entry.name);
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) {
      yield* findPictures(root, onIgnored, path);
    } else if (pictureName.test(entry.name)) {
      const sidecar = sidecarNames(entry.name).find((name) => names.has(name));
      yield { path, read: () => readRecord(root, path, sidecar && join(inside, sidecar)) };
    } else if (!entry.name.endsWith('.json')) {
      onIgnored(join(root, path));
    }
  }
}

const sidecarNames = (name: string) => [`${name}.json`, name.replace(pictureName, '.json')];

async function readRecord(root: string, file: string, sidecar: string | undefined): Promise<ImageLine> {
  const folders = categoryNames(file.split(sep).slice(0, -1));
  if (!sidecar) {
    const record = checkPicture({ file, nsfw: 'sfw', categories: [...new Set(folders)] });
    return { ...record, openFields: ['artist', 'source', 'createdAt', 'categories', 'nsfw'] };
  }
  const { fields, openFields } = readSidecar(await readInside(root, sidecar, MAX_SIDECAR_BYTES));
  const categories = [...new Set([...folders, ...fields.categories])];
  const record = withSubject('sidecar', () => checkPicture({ ...fields, file, categories }));
  return { ...record, openFields };
}

/**
 * A folder of pictures as a source. The names of the subfolders are categories, and sidecars next to a picture give its
 * other fields.
 */
import { readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { readInside } from './read-inside.ts';
import type { ImageLine } from './record.ts';
import { mergeFields, type SidecarFields } from './sidecar/fields.ts';
import { readSidecar, sidecarNames } from './sidecar/read.ts';
import { toRecord } from './sidecar/to-record.ts';
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
  const names = new Map(entries.map(({ name }) => [name.toLowerCase(), name]));
  for (const { name } of entries) names.set(name, name);
  const pictures = entries.filter(({ name }) => pictureName.test(name));
  const sidecars = new Set(pictures.flatMap(({ name }) => sidecarsOf(name, names)));
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(inside, entry.name);
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) {
      yield* findPictures(root, onIgnored, path);
    } else if (pictureName.test(entry.name)) {
      const own = sidecarsOf(entry.name, names).map((name) => join(inside, name));
      yield { path, read: () => readRecord(root, path, own) };
    } else if (!entry.name.endsWith('.json') && !sidecars.has(entry.name)) {
      onIgnored(join(root, path));
    }
  }
}

/** The case of a name makes no difference, but a name in the same case comes first. */
function sidecarsOf(picture: string, names: Map<string, string>): string[] {
  const found = sidecarNames(picture).flatMap(
    (name) => names.get(name) ?? names.get(name.toLowerCase()) ?? [],
  );
  return [...new Set(found)];
}

async function readRecord(root: string, file: string, sidecars: string[]): Promise<ImageLine> {
  const read: SidecarFields[] = [];
  for (const path of sidecars)
    read.push(await readSidecar(path, await readInside(root, path, MAX_SIDECAR_BYTES)));
  return toRecord(file, file.split(sep).slice(0, -1), mergeFields(read));
}

/**
 * A folder of pictures as people have them, as records: the names of the folders on the way to a picture are its
 * categories, and a sidecar beside it says the rest. Categories, artists and characters that are mentioned come first, and
 * are made where there are none of that name.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Kind } from '../catalogue/types.ts';
import { LineError } from './lines.ts';
import { isId } from './plan.ts';
import type { EntryLine, ImageLine } from './record.ts';
import { type Facts, readSidecar } from './sidecar.ts';
import type { Offer, Source } from './source.ts';

const pictureName = /\.(jpe?g|jfif|png|webp|gif|avif)$/i;

/** Called with each file that is no picture, no sidecar, and not hidden. */
export type OnIgnored = (path: string) => void;

export function pictureFolder(folder: string, onIgnored: OnIgnored): Source {
  return {
    folder,
    leavesOutCopies: true,
    async *offers() {
      const mentioned: Record<Kind, Set<string>> = {
        category: new Set(),
        artist: new Set(),
        character: new Set(),
      };
      for await (const picture of picturesIn(folder, onIgnored)) await mention(picture, mentioned);
      let number = 0;
      for (const [kind, names] of Object.entries(mentioned) as [Kind, Set<string>][]) {
        for (const name of names) yield entryOffer(number++, kind, name);
      }
      for await (const picture of picturesIn(folder, () => {})) {
        const read = await picture.read().then(
          (line) => () => line,
          (error) => () => {
            throw error;
          },
        );
        yield { number: number++, where: join(folder, picture.path), weight: 1, read };
      }
    },
  };
}

export async function countPictures(folder: string): Promise<number> {
  let count = 0;
  for await (const _ of picturesIn(folder, () => {})) count++;
  return count;
}

interface FoundPicture {
  /** Inside of the folder. */
  path: string;
  read(): Promise<ImageLine>;
}

/** In the order of their names, folder by folder. */
async function* picturesIn(
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
      yield* picturesIn(root, onIgnored, path);
    } else if (pictureName.test(entry.name)) {
      const sidecar = sidecarNames(entry.name).find((name) => names.has(name));
      yield { path, read: () => readLine(root, path, sidecar && join(inside, sidecar)) };
    } else if (!entry.name.endsWith('.json')) {
      onIgnored(join(root, path));
    }
  }
}

const sidecarNames = (name: string) => [`${name}.json`, name.replace(pictureName, '.json')];

async function readLine(root: string, file: string, sidecar: string | undefined): Promise<ImageLine> {
  const facts: Facts = sidecar ? readSidecar(await readText(join(root, sidecar)), file) : { nsfw: 'sfw' };
  const folders = file.split(sep).slice(0, -1).map(categoryName);
  const categories = [...new Set([...folders, ...(facts.categories ?? [])])];
  return { type: 'image', ...facts, file, categories };
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new LineError(`its sidecar: ${(error as Error).message}`);
  }
}

/** A category's name has no comma, since commas separate categories. */
const categoryName = (folder: string) => folder.replaceAll(',', ' ').trim();

/** Adds what a picture mentions. One that is wrong is told of when its turn comes. */
async function mention({ read }: FoundPicture, mentioned: Record<Kind, Set<string>>): Promise<void> {
  const line = await read().catch(() => undefined);
  const add = (kind: Kind, name: string) => {
    if (!isId(name)) mentioned[kind].add(name);
  };
  if (line?.artist) add('artist', line.artist);
  for (const name of line?.categories ?? []) add('category', name);
  for (const name of line?.characters ?? []) add('character', name);
}

function entryOffer(number: number, kind: Kind, name: string): Offer {
  const read = () => {
    if (name.length > 255) throw new LineError('a name may have at most 255 characters');
    return { type: kind, name, isOnlyNamed: true } as EntryLine;
  };
  return { number, where: `${kind} "${name}"`, weight: 0, read };
}

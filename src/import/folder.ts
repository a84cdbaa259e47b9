/**
 * A folder of pictures as a source. The names of the subfolders are categories, and a sidecar next to a picture gives its
 * other fields. The categories, artists and characters that the pictures mention come first, so that missing ones are
 * created.
 */
import { readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Kind } from '../catalogue/types.ts';
import { withSubject } from './problems.ts';
import { readInside } from './read-inside.ts';
import { artistOf, checkRecord, type EntryLine, type ImageLine, isId } from './record.ts';
import { categoryNames, readSidecar } from './sidecar.ts';
import type { PendingRecord, Source } from './source.ts';

const MAX_SIDECAR_BYTES = 1024 * 1024;
const pictureName = /\.(jpe?g|jfif|png|webp|gif|avif)$/i;

/** Called with each visible file that is neither a picture nor a sidecar. */
export type OnIgnored = (path: string) => void;

type Mentions = Record<Kind, Set<string>>;

export function pictureFolder(folder: string, onIgnored: OnIgnored, signal: AbortSignal): Source {
  return {
    folder,
    skipsDuplicates: true,
    async *records() {
      const mentions: Mentions = { category: new Set(), artist: new Set(), character: new Set() };
      for await (const picture of findPictures(folder, onIgnored)) {
        signal.throwIfAborted();
        await addMentions(picture, mentions);
      }
      let position = 0;
      for (const [kind, names] of Object.entries(mentions) as [Kind, Set<string>][]) {
        for (const name of names) yield implicitEntry(position++, kind, name);
      }
      for await (const picture of findPictures(folder, () => {})) {
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
  if (!sidecar) return checkPicture({ file, nsfw: 'sfw', categories: [...new Set(folders)] });
  const fields = readSidecar(await readInside(root, sidecar, MAX_SIDECAR_BYTES));
  const categories = [...new Set([...folders, ...fields.categories])];
  return withSubject('sidecar', () => checkPicture({ ...fields, file, categories }));
}

/** Validates the record of a picture, and the names that it mentions, as if a catalogue file had them. */
function checkPicture(fields: object): ImageLine {
  const record = checkRecord({ type: 'image', ...fields }) as ImageLine;
  for (const [type, name] of mentionedNames(record))
    withSubject(`${type} "${name}"`, () => checkRecord({ type, name }));
  return record;
}

/** Without references by id. */
function mentionedNames(record: ImageLine): [Kind, string][] {
  const references: [Kind, string[]][] = [
    ['artist', [artistOf(record)]],
    ['category', record.categories ?? []],
    ['character', record.characters ?? []],
  ];
  return references.flatMap(([kind, names]) =>
    names.filter((name) => !isId(name)).map((name): [Kind, string] => [kind, name]),
  );
}

/** Adds the names that a picture mentions. An invalid sidecar is reported later, with its picture. */
async function addMentions({ read }: FoundPicture, mentions: Mentions): Promise<void> {
  const record = await read().catch(() => undefined);
  if (record) for (const [kind, name] of mentionedNames(record)) mentions[kind].add(name);
}

function implicitEntry(position: number, kind: Kind, name: string): PendingRecord {
  const parse = () => ({ type: kind, name, isImplicit: true }) as EntryLine;
  return { position, label: `${kind} "${name}"`, size: 0, parse };
}

/** Reads the sidecars of a picture: files next to it, in the formats of several tools. */
import { readXmp } from '../../media/metadata/read.ts';
import { RecordError, withSubject } from '../problems.ts';
import { type SidecarFields, sourceOf } from './fields.ts';
import { readJson } from './json.ts';
import { readXmpSidecar } from './metadata.ts';
import { rateByMarkers } from './rating.ts';
import { Tags } from './tags.ts';
import { titleText } from './texts.ts';

/** The first one counts for a field that several state. */
const endings = ['json', 'xmp', 'txt', 'tags.txt', 'urls.txt'];

/** The names that the sidecars of a picture can have, such as `a.jpg.json` and `a.json`. */
export function sidecarNames(picture: string): string[] {
  const stem = picture.replace(/\.[^.]*$/, '');
  return endings.flatMap((ending) => [`${picture}.${ending}`, `${stem}.${ending}`]);
}

export async function readSidecar(path: string, bytes: Buffer): Promise<SidecarFields> {
  const text = withSubject(path, () => decodeText(bytes));
  if (/\.xmp$/i.test(path)) {
    const metadata = await readXmp(text);
    return withSubject(path, () => readXmpSidecar(metadata));
  }
  return withSubject(path, () => (/\.json$/i.test(path) ? readJson(text) : readText(text)));
}

/** UTF-8, or UTF-16 with a byte order mark, as some editors of Windows write it. */
export function decodeText(bytes: Buffer): string {
  const mark = bytes.toString('hex', 0, 2);
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new RecordError(`not valid ${encoding.toUpperCase()}`);
  }
}

/** A text file of tags: one per line or separated by commas, as Hydrus, gallery-dl and training sets have them. */
function readText(text: string): SidecarFields {
  const items = splitItems(text);
  const source = items.map(sourceOf).find((item) => item !== undefined);
  const names = items.filter((item) => sourceOf(item) === undefined);
  const tags = new Tags();
  tags.add(names);
  return {
    artist: [...tags.artist][0],
    source,
    title: titleText([...tags.title][0]),
    categories: names.length > 0 ? [...tags.category] : undefined,
    characters: tags.character.size > 0 ? [...tags.character] : undefined,
    marked: rateByMarkers(tags.markers),
  };
}

function splitItems(text: string): string[] {
  const items = text
    .split(/[\r\n,]+/)
    // Image generators read brackets as weights, so training sets escape those of names.
    .map((item) => item.replace(/\\([()])/g, '$1').trim())
    .filter(Boolean);
  // Several words in a single line are one tag, unless they look like those of image boards.
  const [only = ''] = items;
  return items.length === 1 && only.includes('_') ? only.split(/\s+/) : items;
}

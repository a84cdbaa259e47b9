/** Reads the sidecars of a picture: files next to it, in the formats of several tools. */
import { readXmp } from '../../media/metadata/read.ts';
import { RecordError, withSubject } from '../records/problems.ts';
import type { SidecarFields } from './fields.ts';
import { readJson } from './json.ts';
import { readXmpSidecar } from './metadata.ts';
import { isPhotoPrism, readPhotoPrism } from './photoprism.ts';
import { readText } from './text.ts';

/** The first one counts for a field that several state. */
const endings = ['json', 'xmp', 'yml', 'txt', 'tags.txt', 'urls.txt'];

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
  return withSubject(path, () => {
    if (/\.json$/i.test(path)) return readJson(text);
    if (!/\.yml$/i.test(path)) return readText(text, !/\.(?:tags|urls)\.txt$/i.test(path));
    return isPhotoPrism(text) ? readPhotoPrism(text) : { marked: { rating: undefined, unknown: [] } };
  });
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

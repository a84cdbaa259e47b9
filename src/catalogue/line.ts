/** Writes stored records as lines of a catalogue file, which an import reads. */

import { readDocument } from './document.ts';
import type { Entry, ImageRow } from './writer.ts';

export function entryLine({ kind, createdAt, document }: Entry): string {
  return JSON.stringify({ type: kind, ...JSON.parse(document), createdAt });
}

/** With `file`, the line names that file. Without it, the line has the key and the facts of the stored bytes. */
export function imageLine({ key, document }: ImageRow, file?: string): string {
  const { id, artist, source, nsfw, categories, characters, createdAt, meta } = readDocument(document);
  const { width, height } = meta.dimens;
  const bytes = file === undefined ? { key, meta: { ...meta, dimens: { width, height } } } : { file };
  const ids = (entries: { id: string }[]) => entries.map((entry) => entry.id);
  return JSON.stringify({
    ...{ type: 'image', id, ...bytes, artist, source, nsfw },
    ...{ categories: ids(categories), characters: ids(characters), createdAt },
  });
}

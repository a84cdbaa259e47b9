/** Writes stored records as lines of a catalogue file, which an import reads. */

import type { BlockedName, RemovedFile } from './decisions.ts';
import { readDocument } from './document.ts';
import { parseEdited } from './edited.ts';
import type { ImageRow, SavedEntry } from './writer.ts';

export function entryLine({ kind, createdAt, document, aliases }: SavedEntry): string {
  return JSON.stringify({ type: kind, ...JSON.parse(document), createdAt, aliases });
}

export function blockedLine({ kind, name, blockedAt }: BlockedName): string {
  return JSON.stringify({ type: 'blocked', kind, name, createdAt: blockedAt });
}

export function removedLine({ hash, image, removedAt, reason }: RemovedFile): string {
  return JSON.stringify({ type: 'removed', hash, image, reason, createdAt: removedAt });
}

/** With `file`, the line names that file. Without it, the line has the key and the facts of the stored bytes. */
export function imageLine({ key, document, edited }: ImageRow, file?: string): string {
  const { id, artist, source, nsfw, categories, characters, createdAt, meta } = readDocument(document);
  const { width, height } = meta.dimens;
  const bytes = file === undefined ? { key, meta: { ...meta, dimens: { width, height } } } : { file };
  const ids = (entries: { id: string }[]) => entries.map((entry) => entry.id);
  return JSON.stringify({
    ...{ type: 'image', id, ...bytes, artist, source, nsfw },
    ...{ categories: ids(categories), characters: ids(characters), createdAt, edited: parseEdited(edited) },
  });
}

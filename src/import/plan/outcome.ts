/** The result of planning a record: a row to save, or nothing to do; and what an update changes, for people. Pure. */

import { parseStored, readDocument } from '../../catalogue/documents/document.ts';
import type { Document } from '../../catalogue/types.ts';
import { shorten } from '../../lib/text.ts';
import type { Entry } from '../../store/contract/writer.ts';

export type Outcome<Row> =
  | { outcome: 'added'; row: Row }
  /** `formerIdentities` identified the record before the update. */
  | { outcome: 'updated'; row: Row; formerIdentities: string[] }
  | { outcome: 'unchanged' };

/** The id and creation time of new records that do not give their own. */
export interface NewRecordDefaults {
  now: string;
  newId: () => string;
}

/** Longer values are cut when they are shown. */
const MAX_LENGTH = 60;

type Fields = Record<string, unknown>;
type EntryFields = Pick<Entry, 'document' | 'images'>;

/** What an update changes, such as `nsfw: sfw → questionable`: of an artist, category, character or album. */
export function entryChanges(before: EntryFields, after: EntryFields): string[] {
  const fields = compareFields(JSON.parse(before.document), JSON.parse(after.document));
  return after.images ? [...fields, describeOrder(before.images ?? [], after.images)] : fields;
}

/** How the images of an album change. */
function describeOrder(before: string[], after: string[]): string {
  const added = new Set(after).difference(new Set(before)).size;
  const removed = before.length + added - after.length;
  const parts = [...(added > 0 ? [`${added} added`] : []), ...(removed > 0 ? [`${removed} removed`] : [])];
  return `images: ${parts.join(', ') || 'in another order'}`;
}

export function imageChanges(before: Document, after: Document): string[] {
  return compareFields(readableFields(before), readableFields(after));
}

function readableFields(document: Document): Fields {
  const { source, nsfw, categories, characters, createdAt, ...image } = readDocument(document);
  const { key, artist, previews } = parseStored(document);
  const { name } = JSON.parse(artist) as { name: string };
  const names = (entries: { name: string }[]) => entries.map((entry) => entry.name);
  return {
    artist: name,
    source: source.url === '' ? source.name : `${source.name} ${source.url}`,
    nsfw,
    categories: names(categories),
    characters: names(characters),
    createdAt,
    title: image.title,
    description: image.description,
    takenAt: image.takenAt,
    fileName: image.fileName,
    file: key,
    thumbnails: (previews ?? '').split(' ')[0]?.split(','),
  };
}

function compareFields(before: Fields, after: Fields): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => {
    const [old, now] = [describe(before[name]), describe(after[name])];
    return old === now ? [] : [`${name}: ${shorten(old, MAX_LENGTH)} → ${shorten(now, MAX_LENGTH)}`];
  });
}

function describe(value: unknown): string {
  const text = Array.isArray(value) ? value.join(', ') : String(value ?? '');
  return text === '' ? '(none)' : text;
}

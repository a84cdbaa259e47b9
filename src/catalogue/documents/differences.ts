/** What changed, field by field, as the history, commands and imports show it. Pure. */
import type { Difference } from '../change-log.ts';
import { formerNames } from '../names.ts';
import type { Entry, ImageRow } from '../writer.ts';
import { parseStored, readDocument } from './document.ts';
import { imageFields, listEdited } from './edit-image.ts';

type Fields = Record<string, unknown>;
type Row = Pick<ImageRow, 'document' | 'edited' | 'eTag'>;

export function imageDifferences(before: Row, after: Row): Difference[] {
  const names = new Map([...namesIn(before), ...namesIn(after)]);
  return compareFields(readableImage(imageFields(before), names), readableImage(imageFields(after), names));
}

function namesIn({ document }: Row): [id: string, name: string][] {
  const { artist, categories, characters } = readDocument(document);
  const { name } = JSON.parse(parseStored(document).artist) as { name: string };
  return [
    [artist, name],
    ...[...categories, ...characters].map(({ id, name }) => [id, name] as [string, string]),
  ];
}

/** Of an artist, category, character or album. */
export function entryDifferences(
  before: Pick<Entry, 'document' | 'aliases' | 'images'>,
  after: Pick<Entry, 'document' | 'aliases' | 'images'>,
): Difference[] {
  return compareFields(readableEntry(before), readableEntry(after));
}

/** Of the fields that the change log has of an image, some or all. `names` are those of entries, by id. */
export function readableImage(fields: Fields, names: Map<string, string>): Fields {
  const readable = { ...fields };
  for (const field of ['artist', 'categories', 'characters'] as const)
    if (field in fields)
      readable[field] = [fields[field] as string | string[]]
        .flat()
        .map((id) => names.get(id) ?? id)
        .sort();
  const source = fields.source as { name?: string; url?: string } | undefined;
  if (source) readable.source = [source.name, source.url].filter(Boolean).join(' ');
  if ('edited' in fields) readable.edited = listEdited(fields.edited as string).join(' ');
  return readable;
}

/** Of the fields that the change log has of an entry. */
export function readableEntry({
  document,
  aliases,
  images,
}: Pick<Entry, 'document' | 'aliases' | 'images'>): Fields {
  const { id, ...facts } = JSON.parse(document);
  return { ...facts, aliases: formerNames(aliases ?? []), ...(images && { images }) };
}

export function compareFields(before: Fields, after: Fields): Difference[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((field) => {
      const [old, now] = [before[field], after[field]];
      return {
        field,
        ...(field === 'images' ? compareOrder(old, now) : { before: show(old), after: show(now) }),
      };
    })
    .filter(({ before, after }) => before !== after);
}

const show = (value: unknown): string => [value ?? ''].flat().map(String).join(', ');

/** The images of an album are counted: there may be thousands. */
function compareOrder(before: unknown = [], after: unknown = []): Omit<Difference, 'field'> {
  const [old, now] = [before as string[], after as string[]];
  const added = new Set(now).difference(new Set(old)).size;
  const removed = old.length + added - now.length;
  const parts = [...(added > 0 ? [`${added} added`] : []), ...(removed > 0 ? [`${removed} removed`] : [])];
  if (parts.length === 0 && show(old) !== show(now)) parts.push('in another order');
  const change = old.length > 0 && now.length > 0 && parts.length > 0 ? ` (${parts.join(', ')})` : '';
  return { before: show(old.length || ''), after: show(now.length || '') + change };
}

/** Reads a text file of tags: one per line or separated by commas, as Hydrus, gallery-dl and training sets have them. */
import { type SidecarFields, sourceOf } from './fields.ts';
import { rateByMarkers } from './rating.ts';
import { Tags } from './tags.ts';

export function readText(text: string): SidecarFields {
  const items = splitItems(text);
  const source = items.map(sourceOf).find((item) => item !== undefined);
  const names = items.filter((item) => sourceOf(item) === undefined);
  const tags = new Tags();
  tags.add(names);
  return {
    artist: [...tags.artist][0],
    source,
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

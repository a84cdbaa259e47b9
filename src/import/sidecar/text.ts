/** Reads a text file of tags: one per line or separated by commas, as Hydrus, gallery-dl and training sets have them. */
import { type SidecarFields, sourceOf } from './fields.ts';
import { rateByMarkers, tagMarkers } from './rating.ts';
import { Tags } from './tags.ts';
import { titleText } from './texts.ts';

/** `isPlain` is whether only its content can tell that it is a list of tags, and not a diary or a licence. */
export function readText(text: string, isPlain: boolean): SidecarFields {
  const items = splitItems(text);
  if (isPlain && !looksLikeTags(items))
    // Whatever it is, what it says about the rating counts.
    return { marked: rateByMarkers(items.flatMap((item) => [...tagMarkers(item)])) };
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

export function splitItems(text: string): string[] {
  const items = text
    .split(/[\r\n,]+/)
    // Image generators read brackets as weights, so training sets escape those of names.
    .map((item) => item.replace(/\\([()])/g, '$1').trim())
    .filter(Boolean);
  // Several words in a single line are one tag, unless they look like those of image boards.
  const [only = ''] = items;
  return items.length === 1 && only.includes('_') ? only.split(/\s+/) : items;
}

const MAX_WORDS = 8;
const MAX_LENGTH = 100;
/** Four words and the end of a sentence, or an end in the middle: names such as "K-On!" and "Dr. Mario" are no sentences. */
const sentence = /^(?:\S+\s+){3,}\S*\p{L}{2,}[.!?…:;]["')\]]?$|\p{Ll}{3,}[.!?]["')\]]?\s+\p{Lu}/u;

const legal =
  /\bcopyright\s*(?:\(c\)|©|\d{4})|©|\ball rights reserved\b|\blicen[cs]ed? (?:under|to|by)\b|\bpermission is\b/i;

/** Whether the items of a text are tags: none is of a licence, and at most one in eight is a sentence or longer than a name. */
export function looksLikeTags(items: string[]): boolean {
  if (items.some((item) => legal.test(item))) return false;
  const prose = items.filter(
    (item) =>
      sourceOf(item) === undefined &&
      (item.length > MAX_LENGTH || item.split(/\s+/).length > MAX_WORDS || sentence.test(item)),
  );
  return prose.length * 8 <= items.length;
}

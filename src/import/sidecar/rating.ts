/**
 * How explicit a picture is, by the markers of sites and tools: one table of fields and of the values that each of them has. All
 * markers of a picture count together: the strictest wins, and one whose value is not in the table counts as explicit.
 */
import { cleanName } from '../../catalogue/names.ts';
import { RATINGS, type Rating } from '../../catalogue/schemas.ts';
import type { UnknownMarker } from '../records/record.ts';

/** `rating` is undefined if the value is not understood. */
export interface Marker {
  field: string;
  value: string;
  rating: Rating | undefined;
}

/** Longer names are not in the table, and would take long to normalise. */
const MAX_FIELD_LENGTH = 40;

type Values = ReadonlyMap<string, Rating>;

/** Words separated by spaces. Inside a value, spaces, `-` and `_` make no difference: `r18` is also `R-18`. */
function values(sfw: string, questionable: string, nsfw: string, others: Values = new Map()): Values {
  const list = (rating: Rating, words: string) =>
    words
      .split(' ')
      .filter(Boolean)
      .map((word) => [word, rating] as const);
  return new Map([
    ...others,
    ...list('sfw', sfw),
    ...list('questionable', questionable),
    ...list('nsfw', nsfw),
  ]);
}

const scale = values(
  'g general generalaudiences s safe sfw all allages everyone clean pg',
  'q questionable sensitive suggestive sketchy t teen r15 r15+ pg13 moderate sexualfigurative',
  'e explicit m mature a adult adultsonly nsfw unsafe r18 r18+ r18g 18 18+ r x xxx nc17 restricted erotica erotic ecchi ' +
    'porn pornographic hentai nudity nude lewd sexual sexualthemes violence graphicviolence graphicmedia gore adultcontent ' +
    'strict 18禁 成人向け',
);
const flag = values('0 false no none', 'soft', '1 true yes', scale);
const opposite = values('1 true yes', '', '0 false no');

const plus = 'http://ns.useplus.org/ldf/vocab/';

const fields: [names: string, Values][] = [
  ['rating ratings rated ratingname contentrating maturityrating agerating safety purity', scale],
  ['nsfw over18 mature adult adults adultsonly sensitive possiblysensitive r18 r18g explicit unsafe', flag],
  ['porn hentai agerestricted maturelevel matureclassification contentwarning contentwarnings', flag],
  ['warning cw spoilertext nudity nsfwrating adminadult hideasadult toomature channelnsfw', flag],
  ['sfw safe', opposite],
  // Pixiv.
  ['xrestrict', values('0', '', '1 2')],
  ['sanitylevel', values('0 2 4', '6', '')],
  // Inkbunny, Flickr, Civitai, yt-dlp.
  ['ratingid', values('0', '', '1 2')],
  ['safetylevel', values('0 safe', '1 moderate', '2 3 restricted')],
  ['nsfwlevel', values('1 none', '2 3 soft', '4 7 8 15 16 28 31 32', scale)],
  ['agelimit', values('0', '13 15 16', '17 18 21')],
  // The terms of the PLUS coalition in XMP.
  ['adultcontentwarning', values(`cwnr ${plus}cwnr`, '', `cwaw ${plus}cwaw`)],
];
const valuesOf = new Map(fields.flatMap(([names, values]) => names.split(' ').map((name) => [name, values])));

/** Sites that use a field in their own way, by the `category` that gallery-dl writes. Null: it is no marker there. */
const sites: Record<string, Record<string, Values | null>> = {
  // Everyone, teen, mature, adult.
  newgrounds: { rating: values('e', 't', 'm a') },
  // Here, `s` is "sensitive": swimwear, underwear and the like.
  danbooru: { rating: values('', 's', '', scale) },
  aibooru: { rating: values('', 's', '', scale) },
  // Scores.
  '500px': { rating: null },
  wikifeet: { rating: null },
  wikifeetx: { rating: null },
};

/** What labels of Bluesky say that are not about the content. */
const emptyLabels = new Set(['!no-unauthenticated']);

/** Tags that are markers on their own. There is none for safe pictures, because a safe is also a thing. */
const tagWords = values(
  '',
  'questionable suggestive ecchi r15 r15+',
  'nsfw explicit notsafeforwork r18 r18+ r18g 18+ porn pornographic hentai',
);

const normaliseValue = (text: string) =>
  cleanName(text)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/(?<=[\p{L}\p{N}])[\s_-]+(?=[\p{L}\p{N}])/gu, '');

/** `is_mature`, `isMature` and `mature_content` are the same field. */
function normaliseField(name: string): string {
  if (name.length > MAX_FIELD_LENGTH) return '';
  const plain = name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
  if (valuesOf.has(plain)) return plain;
  return plain.replace(/^(is|has|contains|possibly)+/, '').replace(/(content|flags?)+$/, '');
}

function valuesFor(field: string, site: string): Values | null | undefined {
  const name = normaliseField(field);
  const own = Object.hasOwn(sites, site) ? sites[site] : undefined;
  return own && Object.hasOwn(own, name) ? own[name] : valuesOf.get(name);
}

/** The markers of a field. Nothing, an empty text and an empty list say nothing. */
export function* fieldMarkers(field: string, value: unknown, site = ''): Generator<Marker> {
  const values = valuesFor(field, site);
  if (!values) return;
  for (const item of Array.isArray(value) ? value : [value]) {
    if (item === null || item === undefined) continue;
    if (typeof item === 'object') yield { field, value: 'a structure', rating: undefined };
    else if (String(item).trim() !== '')
      yield { field, value: String(item), rating: values.get(normaliseValue(String(item))) };
  }
}

/** A label of Bluesky, such as `porn`. */
function* labelMarkers(value: unknown): Generator<Marker> {
  if (typeof value !== 'string' || emptyLabels.has(value)) return;
  yield { field: 'labels', value, rating: scale.get(normaliseValue(value)) };
}

/** `rating:explicit`, or another field with its value. */
export function* namespaceMarkers(tag: string): Generator<Marker> {
  const text = tag.trim();
  const end = text.slice(0, MAX_FIELD_LENGTH).search(/[:=]/);
  if (end > 0) yield* fieldMarkers(text.slice(0, end), text.slice(end + 1));
}

export function* tagMarkers(tag: string): Generator<Marker> {
  yield* namespaceMarkers(tag);
  const rating = ratingTag(tag.trim());
  if (rating === 'sfw') yield { field: 'rating', value: tag, rating };
  yield* textMarkers(tag);
}

/** As image generators are taught: `rating_explicit`. */
function ratingTag(name: string): Rating | undefined {
  const [, value = ''] = /^rating[\s_-]+(\w+)$/i.exec(name) ?? [];
  return scale.get(normaliseValue(value));
}

/** What separates names within a text: `#nsfw #fox`, `fox (explicit)`, `Content|nsfw`. */
const separators = /[,;|/\\#()[\]{}"\r\n\t]+|(?:^|\s)[-–—*]\s/;
/** `solo rating: explicit`. */
const pair = /(?<![\p{L}\p{N}_-])([\p{L}\p{N}_-]{1,40})\s?[:=]\s?([^\s,;|]+)/gu;
/** Words that are markers wherever they stand: `NSFW art`, `fox_nsfw`. */
const anywhere =
  /(?<![\p{sc=Latin}\p{N}])(?:nsfw|r[\p{Pd}_ ]?18[+g]?|18\+|hentai|nude|lewd|adults?[-_ ]only)(?![\p{sc=Latin}\p{N}])/iu;
/** Japanese has no spaces. */
const anywhereInJapanese = /(?<!\p{N})18禁|成人向/u;

/** A tag, a title or the name of a file makes a picture more explicit by what stands anywhere in it, never less. */
export function* textMarkers(text: string): Generator<Marker> {
  const plain = cleanName(text).normalize('NFKC');
  const isMarked = anywhere.test(plain) || anywhereInJapanese.test(plain);
  let rating: Rating | undefined = isMarked ? 'nsfw' : undefined;
  for (const part of plain.split(separators))
    rating = strictest(rating, tagWords.get(normaliseValue(part)) ?? ratingTag(part.trim()));
  for (const [, field = '', value] of plain.matchAll(pair))
    for (const marker of fieldMarkers(field, value)) rating = strictest(rating, marker.rating);
  if (rating !== undefined && rating !== 'sfw') yield { field: 'tags', value: text, rating };
}

/** Without recursion: a sidecar of 1 MiB can be nested half a million times. */
export function* findMarkers(root: object): Generator<Marker> {
  const { category } = root as { category?: unknown };
  // The API of danbooru names no site.
  const unnamed = Object.hasOwn(root, 'media_asset') ? 'danbooru' : '';
  const site = typeof category === 'string' ? category : unnamed;
  const open: { value: object; isLabel: boolean }[] = [{ value: root, isLabel: false }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, isLabel } = next;
    const isList = Array.isArray(value);
    for (const [key, item] of Object.entries(value)) {
      if (!isList) yield* fieldMarkers(key, item, value === root ? site : '');
      if (isLabel && key === 'val') yield* labelMarkers(item);
      if (isList && typeof item === 'string') yield* tagMarkers(item);
      if (typeof item === 'object' && item !== null)
        open.push({ value: item, isLabel: isLabel || (!isList && key === 'labels') });
    }
  }
}

/** `rating` is undefined if there is no marker. */
export interface MarkedRating {
  rating: Rating | undefined;
  unknown: UnknownMarker[];
}

const MAX_UNKNOWN = 5;
const MAX_SHOWN_LENGTH = 60;

export function isStricter(a: Rating, b: Rating): boolean {
  return RATINGS.indexOf(a) > RATINGS.indexOf(b);
}

export function strictest(a: Rating | undefined, b: Rating | undefined): Rating | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return isStricter(a, b) ? a : b;
}

export function rateByMarkers(markers: Iterable<Marker>): MarkedRating {
  let marked: MarkedRating = { rating: undefined, unknown: [] };
  for (const { field, value, rating } of markers) {
    const unknown = rating === undefined ? [{ field: cut(field), value: cut(value) }] : [];
    marked = combine(marked, { rating: rating ?? 'nsfw', unknown });
  }
  return marked;
}

export function combine(a: MarkedRating, b: MarkedRating): MarkedRating {
  const isNew = (marker: UnknownMarker) =>
    !a.unknown.some(({ field, value }) => field === marker.field && value === marker.value);
  const unknown = [...a.unknown, ...b.unknown.filter(isNew)].slice(0, MAX_UNKNOWN);
  return { rating: strictest(a.rating, b.rating), unknown };
}

function cut(text: string): string {
  const shown = text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
  return shown.toWellFormed();
}

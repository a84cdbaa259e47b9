/** Reads the sidecars of a picture: files next to it, in the formats of several tools, and the metadata in the picture itself. */
import { type Metadata, readXmp } from '../../media/metadata/read.ts';
import { RecordError, withSubject } from '../records/lines.ts';
import { type ImageLine, isoTime, isValidRecord, OPEN_FIELDS } from '../records/record.ts';
import {
  altText,
  categoryNames,
  descriptionText,
  isBoilerplate,
  limitNames,
  readRights,
  type SidecarFields,
  sourceOf,
  statedBy,
  Tags,
  titleText,
  validName,
} from './fields.ts';
import { readJson } from './json.ts';
import {
  combine,
  fieldMarkers,
  type MarkedRating,
  type Marker,
  namespaceMarkers,
  rateByMarkers,
  tagMarkers,
  textMarkers,
} from './rating.ts';

export async function readSidecar(path: string, bytes: Buffer): Promise<SidecarFields> {
  const text = withSubject(path, () => decodeText(bytes));
  if (/\.xmp$/i.test(path)) {
    const metadata = await readXmp(text);
    return withSubject(path, () => readXmpSidecar(metadata));
  }
  return withSubject(path, () => {
    if (/\.json$/i.test(path)) return readJson(text);
    if (!/\.yml$/i.test(path)) return readText(text, !/\.(?:tags|urls)\.txt$/i.test(path));
    return isPhotoPrism(text) ? readPhotoPrism(text) : { marked: rateTexts(splitItems(text)) };
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

// What metadata says about a picture: that of an XMP sidecar, and that of the picture itself, which fills what is left open.

function readXmpSidecar(metadata: Metadata | undefined): SidecarFields {
  if (!metadata) throw new RecordError('not valid XMP');
  const tags = new Tags();
  tags.add(metadata.keywords);
  const { creator, takenAt } = metadata;
  const stated = statedBy(tags, metadata.keywords.length > 0);
  return {
    ...stated,
    artist: validName('artist', creator) ?? stated.artist,
    title: titleText(metadata.title) ?? stated.title,
    description: descriptionOf(metadata),
    takenAt,
    ...rightsIn(metadata),
    marked: rateByMarkers(metadataMarkers(metadata)),
  };
}

function* metadataMarkers({ keywords, properties, title = '' }: Metadata): Generator<Marker> {
  yield* textMarkers(title);
  for (const keyword of keywords) yield* tagMarkers(keyword);
  for (const [name, value] of properties) yield* fieldMarkers(name, value);
}

function rightsIn({ copyright: notice, copyrightUrl: address, usageTerms: terms, credit, alt }: Metadata) {
  return { ...readRights({ terms, address, notice, credit }), alt: altText(alt) };
}

/** Cameras fill the field with their name. */
function descriptionOf({ description = '' }: Metadata): string | undefined {
  return isBoilerplate(description) ? undefined : descriptionText(description);
}

const MAX_KEYWORDS = 100;
/** Some programs write the place as keywords, such as `geo:lat=48.1`. */
const PLACE = /^geo:/i;

/**
 * Fills the fields that a folder and its sidecars leave open. Each value is used only if it is valid: a picture with odd metadata
 * is no reason to stop an import.
 */
export function addMetadata(record: ImageLine, metadata: Metadata): ImageLine {
  const { openFields = [], unknownMarkers, atLeast, folder, ...closed } = record;
  const { categories: stated = [] } = record;
  const title = titleText(metadata.title);
  const names = keywordNames(metadata.keywords);
  const found: Record<string, unknown> = {
    artist: validName('artist', metadata.creator),
    title: isBoilerplate(title ?? '') ? undefined : title,
    description: descriptionOf(metadata),
    takenAt: metadata.takenAt,
    ...rightsIn(metadata),
    categories: names.length > 0 ? limitNames([...stated, ...names], stated.length) : undefined,
  };
  const open = new Set(openFields);
  let result: ImageLine = closed;
  for (const field of OPEN_FIELDS) {
    const added = { ...result, [field]: found[field] };
    if (!found[field] || !open.has(field) || !isValidRecord(added)) continue;
    result = added;
    open.delete(field);
  }
  return addRating({ ...record, ...result, openFields: [...open] }, open.has('nsfw'), metadata);
}

/** Metadata makes a picture more explicit, never less. */
function addRating(record: ImageLine, isOpen: boolean, metadata: Metadata): ImageLine {
  const { nsfw, atLeast, unknownMarkers = [] } = record;
  const before: MarkedRating = { rating: isOpen ? atLeast : nsfw, unknown: unknownMarkers };
  const found = rateByMarkers(metadataMarkers(metadata));
  if (found.rating === undefined || found.rating === 'sfw') return record;
  const { rating = 'nsfw', unknown } = combine(before, found);
  const markers = unknown.length > 0 ? { unknownMarkers: unknown } : {};
  return { ...record, ...(isOpen ? { atLeast: rating } : { nsfw: rating }), ...markers };
}

/** Keywords as categories. */
function keywordNames(keywords: string[]): string[] {
  const plain = keywords.filter((keyword) => !PLACE.test(keyword) && namespaceMarkers(keyword).next().done);
  const names = categoryNames(plain);
  return [...new Set(names.filter((name) => validName('category', name)))].slice(0, MAX_KEYWORDS);
}

// Reads a text file of tags: one per line or separated by commas, as Hydrus, gallery-dl and training sets have them.

/** `isPlain` is whether only its content can tell that it is a list of tags, and not a diary or a licence. */
function readText(text: string, isPlain: boolean): SidecarFields {
  const items = splitItems(text);
  if (isPlain && !looksLikeTags(items)) return { marked: rateTexts(items) };
  const source = items.map(sourceOf).find((item) => item !== undefined);
  const names = items.filter((item) => sourceOf(item) === undefined);
  const tags = new Tags();
  tags.add(names);
  return {
    ...statedBy(tags, names.length > 0),
    source,
    // The words of a single line may be tags.
    marked: items.length === 1 ? rateTexts([...items, ...text.split(/\s+/)]) : rateByMarkers(tags.markers),
  };
}

/** Whatever a text is, what it says about the rating counts. */
const rateTexts = (items: string[]) => rateByMarkers(items.flatMap((item) => [...tagMarkers(item)]));

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

// Reads the YAML that PhotoPrism keeps for each picture. People and places stay private.

/** Other programs write YAML too. */
function isPhotoPrism(text: string): boolean {
  return /^UID: \S/m.test(text) && /^(?:Type|TakenAt|CreatedAt|Quality): \S/m.test(text);
}

export function readPhotoPrism(text: string): SidecarFields {
  const fields = readFlatYaml(text);
  const get = (name: string) => fields.get(name)?.trim() || undefined;
  // What has no source was composed by PhotoPrism: texts of the names of people and of the place, keywords of the place.
  const written = (name: string) => get(`${name}Src`) && get(name);
  const hasPlace = ['Lat', 'Lng', 'PlaceSrc', 'CellID'].some((name) => get(name) !== undefined);
  const keywords = (hasPlace ? written : get)('Details.Keywords')?.split(',') ?? [];
  const names = categoryNames(keywords).filter((name) => validName('category', name));
  const isEstimated = /^(?:estimate|name|auto)?$/.test(get('TakenSrc') ?? '');
  const takenAt = get('TakenAt') ?? '';
  const isKnown = !isEstimated && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(takenAt);
  return {
    artist: validName('artist', get('Details.Artist')),
    ...readRights({ notice: get('Details.Copyright'), terms: get('Details.License') }),
    categories: names.length > 0 ? [...new Set(names)] : undefined,
    takenAt: isKnown ? isoTime(new Date(takenAt)) : undefined,
    title: titleText(written('Title')),
    description: descriptionText(written('Caption') ?? written('Description')),
    marked: rateByMarkers(names.flatMap((name) => [...tagMarkers(name)])),
    hidden: hiddenReason(get),
  };
}

function hiddenReason(get: (name: string) => string | undefined): string | undefined {
  if ((get('Private') ?? 'false') !== 'false') return 'private in PhotoPrism';
  return get('DeletedAt') === undefined ? undefined : 'archived in PhotoPrism';
}

// Reads the YAML that PhotoPrism writes: texts under names, some of them one level deep, as go-yaml prints them. Nothing else of
// YAML is needed, and a library for all of it would have to be kept from its anchors, tags and cycles.

/** One space before the value: with any number, a line that `.*` does not match to its end would take quadratic time. */
const line = /^( {0,2})([A-Za-z][A-Za-z0-9]*):(?: (.*))?$/;
const escapes: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '0': '\0',
  a: '\x07',
  b: '\b',
  e: '\x1b',
};

/** A text by its name, such as `Title` or `Details.Keywords`. Lists are left out. */
export function readFlatYaml(yaml: string): Map<string, string> {
  const fields = new Map<string, string>();
  const lines = yaml.replace(/^\ufeff/, '').split(/\r?\n/);
  let parent = '';
  for (let at = 0; at < lines.length; ) {
    const current = lines[at++] as string;
    if (/^\s*(#.*)?$/.test(current) || current === '---') continue;
    const [, indent = '', name, text = ''] = line.exec(current) ?? [];
    const value = text.trim();
    if (name === undefined) throw new RecordError(`not YAML of PhotoPrism, in line ${at}`);
    // What is indented more belongs to this name; so do the items of a list.
    const start = at;
    while (at < lines.length && isContinued(lines[at] as string, indent)) at++;
    const more = lines.slice(start, at);
    if (indent === '') parent = name;
    const isParent = value === '' && more.some((item) => line.test(item));
    if (isParent && indent === '') at = start;
    else if (!more.some((item) => /^\s*- /.test(item)) || /^[|>]/.test(value))
      fields.set(indent === '' ? name : `${parent}.${name}`, scalar(value, more));
  }
  return fields;
}

function isContinued(text: string, indent: string): boolean {
  return text.trim() === '' || text.startsWith(`${indent} `) || text.startsWith(`${indent}- `);
}

function scalar(value: string, more: string[]): string {
  if (/^[|>][+-]?\d?$/.test(value)) return block(value.startsWith('>') ? ' ' : '\n', more);
  // A line break inside a text is a space.
  const whole = [value, ...more]
    .map((part) => part.trim())
    .filter(Boolean)
    .join(' ');
  if (whole.startsWith("'") && whole.endsWith("'")) return whole.slice(1, -1).replaceAll("''", "'");
  if (whole.startsWith('"') && whole.endsWith('"'))
    return whole
      .slice(1, -1)
      .replace(/\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|(.))/g, (_, x, u, long, sign) =>
        sign === undefined ? codePoint(x ?? u ?? long) : (escapes[sign] ?? sign),
      );
  return whole === 'null' || whole === '~' ? '' : whole;
}

function codePoint(digits: string): string {
  const code = Number.parseInt(digits, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

function block(separator: string, more: string[]): string {
  return more
    .map((part) => part.trim())
    .join(separator)
    .trim();
}

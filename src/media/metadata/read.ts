/** What a picture's EXIF, IPTC and XMP say about it, read with ExifReader, and how they lose the location. */
import type { ExpandedTags } from 'exifreader';
import type { Mimetype } from '../../catalogue/schemas.ts';
import { cleanExif } from './exif.ts';
import { findMetadata } from './find.ts';
import { mayContainLocation, mentionsLocation, type PartKind, type Patch, PictureError } from './part.ts';
import { cleanPhotoshop } from './photoshop.ts';
import { cleanXmp } from './xmp.ts';

/** Texts as the picture gives them, not validated. */
export interface Metadata {
  creator: string | undefined;
  keywords: string[];
  copyright: string | undefined;
  /** The page that explains the copyright, or else that of who grants licences. */
  copyrightUrl: string | undefined;
  usageTerms: string | undefined;
  credit: string | undefined;
  alt: string | undefined;
  /** When the picture was made, in ISO 8601. Without a time zone, it is a local time. */
  takenAt: string | undefined;
  title: string | undefined;
  description: string | undefined;
  /** All texts of the XMP with the names of their properties, without namespaces and without the stars of `xmp:Rating`. */
  properties: [name: string, value: string][];
}

/** The most that fits into a segment of a JPEG. What is longer is no name or keyword. */
const MAX_PART_BYTES = 65_000;
const MAX_XMP_TAGS = 5000;
const headers: Partial<Record<PartKind, { marker: number; prefix: string }>> = {
  exif: { marker: 0xe1, prefix: 'Exif\0\0' },
  xmp: { marker: 0xe1, prefix: 'http://ns.adobe.com/xap/1.0/\0' },
  photoshop: { marker: 0xed, prefix: 'Photoshop 3.0\0' },
};

/** Undefined if the picture has none, or none that can be read. */
export async function readMetadata(bytes: Buffer, mimetype: Mimetype): Promise<Metadata | undefined> {
  try {
    const parts = new Map<PartKind, Buffer>();
    for (const { kind, data: found } of findMetadata(bytes, mimetype)) {
      const data = kind === 'xmp' ? withoutAncestors(found) : found;
      if (headers[kind] && !parts.has(kind) && data.length <= MAX_PART_BYTES) parts.set(kind, data);
    }
    if (parts.size === 0) return undefined;
    const { default: ExifReader } = await import('exifreader');
    return interpret(ExifReader.load(asJpeg(parts), { expanded: true }));
  } catch {
    // Damaged metadata is no reason to reject a picture.
    return undefined;
  }
}

/** Reads a file of XMP. Undefined if it is not well-formed, has a document type, or more elements than any program writes. */
export async function readXmp(text: string): Promise<Metadata | undefined> {
  const content = readableXmp(Buffer.from(text)).toString().trim();
  const { default: ExifReader } = await import('exifreader');
  try {
    // ExifReader recognises a file of XMP by its first characters.
    const tags = ExifReader.load(Buffer.from(`<?xpacket begin=""?>${content}`), { expanded: true });
    // It tells of errors only by finding nothing, but even an empty description has a subject.
    return Object.keys(tags.xmp ?? {}).some((name) => name !== '_raw') ? interpret(tags) : undefined;
  } catch {
    return undefined;
  }
}

/** A JPEG of nothing but the metadata: ExifReader gets little to parse, and the same for every format. */
function asJpeg(parts: Map<PartKind, Buffer>): Buffer {
  const pieces = [Buffer.from([0xff, 0xd8])];
  for (const [kind, data] of parts) {
    const { marker, prefix } = headers[kind] as { marker: number; prefix: string };
    const hasPrefix = data.toString('latin1', 0, prefix.length) === prefix;
    const content = kind === 'xmp' ? readableXmp(data) : data;
    const head = Buffer.from([0xff, marker, 0, 0]);
    const body = Buffer.concat([Buffer.from(hasPrefix ? '' : prefix, 'latin1'), content]);
    head.writeUInt16BE(body.length + 2, 2);
    pieces.push(head, body);
  }
  return Buffer.concat([...pieces, Buffer.from([0xff, 0xd9])]);
}

/** Photoshop lists the ids of everything that was ever pasted: often more than all else, which would not be read then. */
function withoutAncestors(xmp: Buffer): Buffer {
  const [start, end] = ['<photoshop:DocumentAncestors', '</photoshop:DocumentAncestors>'];
  const [from, to] = [xmp.indexOf(start), xmp.lastIndexOf(end)];
  return from >= 0 && to > from ? Buffer.concat([xmp.subarray(0, from), xmp.subarray(to + end.length)]) : xmp;
}

/** Comments, processing instructions and CDATA sections. */
const notElements = /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[([\s\S]*?)\]\]>/g;
const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Without XML that takes ExifReader seconds: cleaning empties a packet that is nested deeply or not well-formed. ExifReader
 * reads only elements and text, and looks for the instruction that ends the packet in cubic time.
 */
function readableXmp(data: Buffer): Buffer {
  const content = cleanXmp(data) ?? data;
  const [text = ''] = content.toString('latin1').split('\0', 1);
  if (text.split('<').length > MAX_XMP_TAGS) return Buffer.alloc(0);
  const plain = text.replace(notElements, (_, data = '') =>
    data.replace(/[&<>]/g, (sign: string) => escapes[sign]),
  );
  return Buffer.from(plain, 'latin1');
}

type Tags = Record<string, unknown>;
type Groups = [Tags, Tags, Tags];

/** XMP comes first: it is what programs edit, and the only one with a defined encoding. */
function interpret(tags: ExpandedTags): Metadata {
  const [xmp, iptc, exif] = [tags.xmp, tags.iptc, tags.exif].map((group) => (group ?? {}) as Tags) as Groups;
  const first = (...lists: string[][]) => lists.find((texts) => texts.length > 0) ?? [];
  const exifDate = [texts(exif.DateTimeOriginal)[0], texts(exif.OffsetTimeOriginal)[0]];
  const iptcDate = [texts(iptc['Date Created'])[0], texts(iptc['Time Created'])[0]].filter(Boolean);
  const dates = [
    exifDate.join('').replace(/^(\d{4}):(\d\d):(\d\d) /, '$1-$2-$3T'),
    ...[xmp.DateTimeOriginal, xmp.DateCreated, xmp.CreateDate].flatMap(texts),
    iptcDate.join('T'),
  ];
  // Licensors are structures, of which the first one counts.
  const [licensor = {}] = ((xmp.Licensor as { value?: unknown } | undefined)?.value ?? []) as Tags[];
  return {
    creator: first(texts(xmp.creator), texts(iptc['By-line']), texts(exif.Artist))[0],
    keywords: allKeywords(
      [...texts(xmp.subject), ...texts(iptc.Keywords), ...splitKeywords(exif.XPKeywords)],
      [
        ...texts(xmp.TagsList).map((path) => path.split('/')),
        ...texts(xmp.hierarchicalSubject).map((path) => path.split('|')),
      ],
    ),
    copyright: first(texts(xmp.rights), texts(iptc['Copyright Notice']), texts(exif.Copyright))[0],
    copyrightUrl: first(texts(xmp.WebStatement), texts(licensor.LicensorURL))[0],
    usageTerms: texts(xmp.UsageTerms)[0],
    credit: first(texts(xmp.Credit), texts(iptc.Credit), texts(licensor.LicensorName))[0],
    alt: texts(xmp.AltTextAccessibility)[0],
    takenAt: dates.find(isTime),
    title: first(texts(xmp.title), texts(iptc['Object Name']), texts(exif.XPTitle))[0],
    description: first(
      texts(xmp.description),
      texts(iptc['Caption/Abstract']),
      texts(exif.ImageDescription),
    )[0],
    properties: Object.entries(xmp)
      .filter(([name]) => !/^(_raw|Rating|RatingPercent)$/.test(name))
      .flatMap(([name, tag]) => texts(tag).map((text): [string, string] => [name, text])),
  };
}

/** The texts of a tag: of the items if its value is a list. IPTC repeats tags instead. */
function texts(tag: unknown): string[] {
  if (Array.isArray(tag)) return tag.flatMap(texts);
  const { value, description } = (tag ?? {}) as { value?: unknown; description?: unknown };
  const isList = Array.isArray(value) && value.some((item) => typeof item === 'object' && item !== null);
  if (isList) return value.flatMap(texts);
  return typeof description === 'string' && description.trim() !== '' ? [description.trim()] : [];
}

/** Windows stores keywords as one text. */
const splitKeywords = (tag: unknown) =>
  texts(tag)
    .flatMap((text) => text.split(';'))
    .map((text) => text.trim())
    .filter(Boolean);

function isTime(text: string): boolean {
  const [, date, time = 'T00:00:00', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? [];
  return !Number.isNaN(Date.parse(`${date}${time}${zone}`));
}

const MAX_RIGHTS_LENGTH = 300;
const namespaces = Object.entries({
  x: 'adobe:ns:meta/',
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  dc: 'http://purl.org/dc/elements/1.1/',
  xmpRights: 'http://ns.adobe.com/xap/1.0/rights/',
  photoshop: 'http://ns.adobe.com/photoshop/1.0/',
}).map(([prefix, uri]) => ` xmlns:${prefix}="${uri}"`);

/** What a thumbnail keeps, as XMP: the copyright notice, the terms, the page about them and the credit. Empty without any. */
export function rightsPacket(metadata: Metadata | undefined): string {
  const element = (name: string, text = '', isInLanguages = false) => {
    const plain = text
      .slice(0, MAX_RIGHTS_LENGTH)
      .toWellFormed()
      .replace(/\p{Cc}/gu, ' ')
      .trim();
    const value = plain.replace(/[&<>]/g, (sign) => escapes[sign] ?? '');
    const list = isInLanguages ? `<rdf:Alt><rdf:li xml:lang="x-default">${value}</rdf:li></rdf:Alt>` : value;
    return value && `<${name}>${list}</${name}>`;
  };
  const { copyright, usageTerms, copyrightUrl, credit } = metadata ?? {};
  const elements =
    element('dc:rights', copyright, true) +
    element('xmpRights:UsageTerms', usageTerms, true) +
    element('xmpRights:WebStatement', copyrightUrl) +
    element('photoshop:Credit', credit);
  const description = `<rdf:Description${namespaces.slice(2).join('')}>${elements}</rdf:Description>`;
  const root = (content: string) => `<x:xmpmeta${namespaces[0]}>${content}</x:xmpmeta>`;
  return elements && root(`<rdf:RDF${namespaces[1]}>${description}</rdf:RDF>`);
}

// Keywords with a place in a tree, as digiKam, Lightroom, darktable and Immich write them: `Animals/Fox`. Each level is a keyword.
// People stay private, also where the flat list repeats their names.

/** The branches for people, in lower case. */
const people = new Set([
  'people',
  'person',
  'persons',
  'personen',
  'personnes',
  'personas',
  'persone',
  'faces',
]);
/** What programs keep for themselves. */
const isInternal = (root: string) => root.startsWith('_digikam') || root === 'darktable';

export function allKeywords(flat: string[], paths: string[][]): string[] {
  const rootOf = (path: string[]) => (path[0] ?? '').trim().toLowerCase();
  const secret = new Set(
    paths
      .filter((path) => path.length > 1 && people.has(rootOf(path)))
      .flat()
      .map((name) => name.trim()),
  );
  const open = paths.filter((path) => !people.has(rootOf(path)) && !isInternal(rootOf(path)));
  const names = [...flat, ...open.flat()].map((name) => name.trim());
  return [...new Set(names)].filter((name) => name !== '' && !secret.has(name));
}

// Removes the location from the metadata of a picture, without decoding it. The pixels and all other metadata stay. The
// result for a picture must never change, or an import would take the same picture for another one.

/** Each returns undefined if there is no location. */
const cleaners: Record<PartKind, (data: Buffer) => Buffer | undefined> = {
  exif: cleanExif,
  xmp: cleanXmp,
  photoshop: cleanPhotoshop,
  unknown: (data) => (mentionsLocation(data) ? Buffer.alloc(data.length) : undefined),
  unreadable: () => Buffer.alloc(0),
  trailer: (data) => (mayContainLocation(data) ? Buffer.alloc(0) : undefined),
};

/** Returns the same buffer if the picture has no location. */
export function removeLocation(bytes: Buffer, mimetype: Mimetype): Buffer {
  const patches: Patch[] = [];
  for (const { kind, data, replace } of findMetadata(bytes, mimetype)) {
    const cleaned = cleaners[kind](data);
    if (cleaned) for (const patch of replace(cleaned)) patches.push(patch);
  }
  return patches.length === 0 ? bytes : applyPatches(bytes, patches);
}

function applyPatches(bytes: Buffer, patches: Patch[]): Buffer {
  const pieces: Buffer[] = [];
  let position = 0;
  for (const patch of patches.sort((a, b) => a.start - b.start)) {
    if (patch.start < position) throw new PictureError('the metadata of the picture is damaged');
    pieces.push(bytes.subarray(position, patch.start), patch.bytes);
    position = patch.end;
  }
  return Buffer.concat([...pieces, bytes.subarray(position)]);
}

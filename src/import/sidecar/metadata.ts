/** What metadata says about a picture: that of an XMP sidecar, and that of the picture itself, which fills what is left open. */
import { cleanName } from '../../catalogue/hidden-characters.ts';
import type { Metadata } from '../../media/metadata/read.ts';
import { RecordError } from '../records/problems.ts';
import { type ImageLine, isValidRecord, type OpenField } from '../records/record.ts';
import { categoryNames, limitNames, type SidecarFields, sourceOf, validName } from './fields.ts';
import {
  combine,
  fieldMarkers,
  type MarkedRating,
  type Marker,
  namespaceMarkers,
  rateByMarkers,
  tagMarkers,
} from './rating.ts';
import { Tags } from './tags.ts';
import { descriptionText, isBoilerplate, titleText } from './texts.ts';

export function readXmpSidecar(metadata: Metadata | undefined): SidecarFields {
  if (!metadata) throw new RecordError('not valid XMP');
  const tags = new Tags();
  tags.add(metadata.keywords);
  const { creator, date, takenAt } = metadata;
  return {
    artist: validName('artist', creator) ?? [...tags.artist][0],
    source: copyrightOf(metadata),
    createdAt: date,
    title: titleText(metadata.title) ?? titleText([...tags.title][0]),
    description: descriptionOf(metadata),
    takenAt,
    categories: metadata.keywords.length > 0 ? [...tags.category] : undefined,
    characters: tags.character.size > 0 ? [...tags.character] : undefined,
    marked: rateByMarkers(metadataMarkers(metadata)),
  };
}

function* metadataMarkers({ keywords, properties }: Metadata): Generator<Marker> {
  for (const keyword of keywords) yield* tagMarkers(keyword);
  for (const [name, value] of properties) yield* fieldMarkers(name, value);
}

/** The copyright notice and the page that explains it: of all fields, the source is where people look for both. */
function copyrightOf({ copyright, copyrightUrl }: Metadata) {
  const page = sourceOf(copyrightUrl ?? '');
  if (copyright === undefined && !page) return undefined;
  const source = { name: cleanName(copyright ?? page?.name ?? ''), url: page ? new URL(page.url).href : '' };
  return isValidRecord({ type: 'image', file: 'any', nsfw: 'sfw', source }) ? source : undefined;
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
  const { creator, date, takenAt } = metadata;
  const open = new Set(openFields);
  let result: ImageLine = closed;
  const add = (field: OpenField, value: Partial<ImageLine>) => {
    if (!open.has(field) || !isValidRecord({ ...result, ...value })) return;
    result = { ...result, ...value };
    open.delete(field);
  };
  const artist = validName('artist', creator);
  if (artist) add('artist', { artist });
  if (date !== undefined) add('createdAt', { createdAt: date });
  const source = copyrightOf(metadata);
  if (source) add('source', { source });
  const [title, description] = [titleText(metadata.title), descriptionOf(metadata)];
  if (title && !isBoilerplate(title)) add('title', { title });
  if (description) add('description', { description });
  if (takenAt) add('takenAt', { takenAt });
  const names = keywordNames(metadata.keywords);
  const { categories: stated = [] } = result;
  const categories = limitNames([...stated, ...names], stated.length);
  if (names.length > 0) add('categories', { categories });
  const ratings = {
    ...(folder && { folder }),
    ...(atLeast && { atLeast }),
    ...(unknownMarkers && { unknownMarkers }),
  };
  return addRating({ ...result, ...ratings, openFields: [...open] }, open.has('nsfw'), metadata);
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

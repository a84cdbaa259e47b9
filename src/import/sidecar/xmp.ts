/** Reads an XMP sidecar. */
import type { Metadata } from '../../media/metadata/read.ts';
import { RecordError } from '../problems.ts';
import { isValidRecord } from '../sources/record.ts';
import { type SidecarFields, sourceOf, validName } from './fields.ts';
import { fieldMarkers, type Marker, tagMarkers } from './markers.ts';
import { rateByMarkers } from './rating.ts';
import { Tags } from './tags.ts';

export function readXmpSidecar(metadata: Metadata | undefined): SidecarFields {
  if (!metadata) throw new RecordError('not valid XMP');
  const tags = new Tags();
  tags.add(metadata.keywords);
  const { creator, date } = metadata;
  return {
    artist: validName('artist', creator) ?? [...tags.artist][0],
    source: copyrightOf(metadata),
    createdAt: date,
    categories: metadata.keywords.length > 0 ? [...tags.category] : undefined,
    characters: tags.character.size > 0 ? [...tags.character] : undefined,
    marked: rateByMarkers(metadataMarkers(metadata)),
  };
}

export function* metadataMarkers({ keywords, properties }: Metadata): Generator<Marker> {
  for (const keyword of keywords) yield* tagMarkers(keyword);
  for (const [name, value] of properties) yield* fieldMarkers(name, value);
}

/** The copyright notice and the page that explains it: of all fields, the source is where people look for both. */
export function copyrightOf({ copyright, copyrightUrl }: Metadata) {
  const page = sourceOf(copyrightUrl ?? '');
  if (copyright === undefined && !page) return undefined;
  const source = { name: copyright ?? page?.name ?? '', url: page ? new URL(page.url).href : '' };
  return isValidRecord({ type: 'image', file: 'any', nsfw: 'sfw', source }) ? source : undefined;
}

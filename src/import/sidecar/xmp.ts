/** Reads an XMP sidecar. */
import type { Metadata } from '../../media/metadata/read.ts';
import { RecordError } from '../problems.ts';
import { isId } from '../record.ts';
import { categoryNames, type SidecarFields, sourceOf } from './fields.ts';
import { fieldMarkers, type Marker, tagMarkers } from './markers.ts';
import { Tags } from './tags.ts';
import { judge } from './verdict.ts';

export function readXmpSidecar(metadata: Metadata | undefined): SidecarFields {
  if (!metadata) throw new RecordError('not valid XMP');
  const tags = new Tags();
  tags.add(metadata.keywords);
  const { creator, date } = metadata;
  return {
    artist: creator !== undefined && !isId(creator) ? creator : [...tags.artist][0],
    source: copyrightOf(metadata),
    createdAt: date,
    categories: metadata.keywords.length > 0 ? categoryNames(tags.category) : undefined,
    characters: tags.character.size > 0 ? [...tags.character] : undefined,
    verdict: judge(metadataMarkers(metadata)),
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
  return { name: copyright ?? page?.name ?? '', url: page ? new URL(page.url).href : '' };
}

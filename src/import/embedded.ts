/** Fills the fields that a folder and a sidecar leave open with what the picture's own metadata says. */
import type { Rating } from '../catalogue/types.ts';
import type { Metadata } from '../media/metadata/read.ts';
import { RecordError } from './problems.ts';
import { checkPicture, type ImageLine, isId, type OpenField } from './record.ts';
import { categoryNames } from './sidecar.ts';

const MAX_KEYWORDS = 100;

/** Keywords that say how explicit a picture is. None makes it safer than it would be without. */
const ratings: [Rating, RegExp][] = [
  ['nsfw', /^(rating[:= ]\s*(e|explicit|nsfw)|explicit|nsfw|r-?18)$/i],
  ['questionable', /^(rating[:= ]\s*(q|questionable)|questionable)$/i],
];

/** Each value is used only if it is valid: a picture with odd metadata is no reason to stop an import. */
export function addMetadata(record: ImageLine, metadata: Metadata): ImageLine {
  const { openFields = [], ...closed } = record;
  const { creator, keywords, date } = metadata;
  let result: ImageLine = closed;
  const add = (field: OpenField, value: Partial<ImageLine>) => {
    if (openFields.includes(field)) result = ifValid({ ...result, ...value }) ?? result;
  };
  // A UUID would be taken for the id of an entry.
  if (creator !== undefined && !isId(creator)) add('artist', { artist: creator });
  if (date !== undefined) add('createdAt', { createdAt: date });
  const source = sourceOf(metadata);
  if (source) add('source', { source });
  const names = new Set(categoryNames(keywords).filter((name) => !isId(name)));
  for (const name of [...names].slice(0, MAX_KEYWORDS))
    add('categories', { categories: [...new Set([...(result.categories ?? []), name])] });
  const rating = ratings.find(([, pattern]) => keywords.some((keyword) => pattern.test(keyword)))?.[0];
  if (rating) add('nsfw', { nsfw: rating });
  return result;
}

function ifValid(record: ImageLine): ImageLine | undefined {
  try {
    return checkPicture(record);
  } catch (error) {
    if (error instanceof RecordError) return undefined;
    throw error;
  }
}

/** The copyright notice and the page that explains it: of all fields, the source is where people look for both. */
function sourceOf({ copyright, copyrightUrl }: Metadata) {
  const url = URL.parse(copyrightUrl ?? '');
  const isWeb = url !== null && /^https?:$/.test(url.protocol);
  if (copyright === undefined && !isWeb) return undefined;
  return { name: copyright ?? url?.host ?? '', url: isWeb ? url.href : '' };
}

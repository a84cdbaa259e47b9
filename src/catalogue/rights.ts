/** Under which licence an image is published, whom to credit, and what it is called for those who do not see it. Pure. */
import { type Licence, readLicence } from '../lib/licence.ts';
import { listInEnglish } from '../lib/text.ts';
import { cutText, MAX_TITLE_LENGTH } from './schemas.ts';

export const MAX_CREDIT_LENGTH = 255;
export const MAX_ALT_LENGTH = 2000;

/** What an artist states for the images that state nothing themselves, in the JSON of the entry. Responses do not contain it. */
export interface ArtistRights {
  licence?: string;
  credit?: string;
}

export interface Rights {
  licence: Licence;
  credit: string;
  alt: string;
}

/** What the image states, or else its artist, or else the site. All texts are empty if unknown, `alt` if nobody wrote one. */
export function rightsOf(
  image: ArtistRights & { alt?: string },
  artist: ArtistRights,
  siteLicence = '',
): Rights {
  return {
    licence: readLicence(image.licence || artist.licence || siteLicence),
    credit: image.credit || artist.credit || '',
    alt: image.alt ?? '',
  };
}

/** They are last in the JSON of an artist. Quotes inside of a text are escaped, so that none has the pattern. */
const artistRights = /,"(?:licence|credit)":"/;

/** The JSON of an entry as responses have it. */
export function withoutRights(entry: string): string {
  const at = entry.search(artistRights);
  return at === -1 ? entry : `${entry.slice(0, at)}}`;
}

export const hasRights = (artist: string): boolean => artistRights.test(artist);

export function readArtistRights(artist: string): ArtistRights {
  if (!hasRights(artist)) return {};
  const { licence, credit }: ArtistRights = JSON.parse(artist);
  return { ...(licence && { licence }), ...(credit && { credit }) };
}

interface Described {
  title?: string;
  description?: string;
  alt?: string;
  characters: readonly { name: string }[];
  categories: readonly { name: string; nsfw: boolean }[];
}

const namesOf = (entries: readonly { name: string }[]) =>
  listInEnglish(
    entries.map(({ name }) => name),
    'and',
  );

/**
 * Its title, or else the first line of its description, or else what it shows, without categories that are not for everyone. Empty
 * if nothing is known.
 */
export function titleOf({ title, description = '', characters, categories }: Described): string {
  const [firstLine] = cutText(description.trim(), MAX_TITLE_LENGTH).split('\n', 1);
  const shown = [characters, categories.filter(({ nsfw }) => !nsfw)];
  return title || firstLine || shown.map(namesOf).find(Boolean) || '';
}

/** For those who do not see the image. */
export function altOf(image: Described): string {
  return image.alt || titleOf(image);
}

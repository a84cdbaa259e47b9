/**
 * The artist of all images whose artist is unknown. It is an entry like any other, made when the first of these images is
 * saved, so that every image has an artist.
 */

import type { Artist } from './types.ts';
import type { Entry } from './writer.ts';

export const UNKNOWN_ARTIST: Artist = {
  // Version 5: "zukan:artist:Unknown" in the namespace of URLs.
  id: 'b5657ad2-a33e-52b7-ae74-d238673dfd08',
  name: 'Unknown',
  url: '',
};

export function unknownArtistEntry(createdAt: string): Entry {
  const { id, name } = UNKNOWN_ARTIST;
  return { kind: 'artist', id, name, createdAt, document: JSON.stringify(UNKNOWN_ARTIST) };
}

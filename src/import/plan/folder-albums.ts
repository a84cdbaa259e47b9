/** The albums that folders become: one for each folder that has pictures, with its name. Pure. */
import { MAX_ALBUM_IMAGES } from '../../catalogue/writer.ts';

/** A picture of a folder. */
export interface AlbumFile {
  path: string;
  /** The id of its image. */
  image: string;
}

export interface FolderAlbum {
  /** All pictures of folders with the name of the album, also those whose images were removed. */
  files: AlbumFile[];
  /** The images that no folder of this name had before this import. */
  added: Set<string>;
  /** Whether this import is the first one that makes albums of one of the folders. */
  isFirst: boolean;
}

/** `2.png` comes before `10.png`. The first collator takes 14 ms, which other commands need not. */
function inNaturalOrder(files: AlbumFile[]): AlbumFile[] {
  const byNumbers = new Intl.Collator('en', { numeric: true });
  return files.toSorted((a, b) => byNumbers.compare(a.path, b.path) || (a.path < b.path ? -1 : 1));
}

/**
 * The images of the album after the import, and how many more it cannot have. Undefined if an operator removed the album. One
 * that exists only gets images that are new, at its end: what an operator removed or ordered stays as it is. `existing` are
 * the ids of images that are in the catalogue.
 */
export function planFolderAlbum(
  { files, added, isFirst }: FolderAlbum,
  before: string[] | undefined,
  existing: ReadonlySet<string>,
): { images: string[]; left: number } | undefined {
  const isNew = isFirst || files.every(({ image }) => added.has(image));
  if (!before && !isNew) return undefined;
  const candidates = before ? files.filter(({ image }) => added.has(image)) : files;
  const found = inNaturalOrder(candidates).flatMap(({ image }) => (existing.has(image) ? image : []));
  const images = [...new Set([...(before ?? []), ...found])];
  return { images: images.slice(0, MAX_ALBUM_IMAGES), left: Math.max(0, images.length - MAX_ALBUM_IMAGES) };
}

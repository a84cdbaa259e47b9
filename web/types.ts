/** The records that the page shows. */
import type { Artist, ArtistImage, Category, Character, Image } from '../client/index.ts';

export type Picture = Image | ArtistImage;
export type Entry = Artist | Character | Category;
/** An entry with its count of pictures, where that is known. */
export type Subject = Entry & { images?: number };

/** The data that the page shows. */
import type {
  Album,
  Artist,
  ArtistImage,
  Category,
  Character,
  FoundFilters,
  Image,
} from '../client/index.ts';
import type { EntryKind } from './route.ts';

export type GalleryImage = Image | ArtistImage;
/** What shows an image. A cover has nothing else. */
export type Shown = Pick<GalleryImage, 'id' | 'url' | 'meta'>;
export type Entry = Artist | Character | Category | Album;
/** An entry with its number of images and its cover, where they are known. */
export type Subject = Entry & { images?: number; cover?: Shown };

/** Some entries of one kind. */
export interface EntryGroup {
  kind: EntryKind;
  entries: Subject[];
}

/** The data of one view. */
export interface ViewData {
  /** What the view is about. */
  subject: Subject | undefined;
  images: GalleryImage[];
  groups: EntryGroup[];
  /** The filters that the text of a search means. */
  filters: FoundFilters;
  /** For the next images or names; undefined after the last ones. */
  cursor: string | undefined;
}

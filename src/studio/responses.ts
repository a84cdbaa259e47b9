/** What the server of the studio answers. The page gets these types through contract.ts. */
import type { Change, Kept } from '../catalogue/change-log.ts';
import type { EditableField } from '../catalogue/documents/edit-image.ts';
import type { GivenDetails, Image, Kind, Rating } from '../catalogue/schemas.ts';

/** A change that was made in the studio and can be undone. */
export interface Step {
  id: number;
  label: string;
  at: string;
}

/** What the page needs to know after a change. */
export interface Changed {
  /** One's own, the last one first. */
  steps: Step[];
  /** The number of the last change of all. */
  last: number;
}

/** What became of an edit. */
export interface Applied {
  id: string;
  /** Why it was not applied. */
  refused?: string;
  /** What it undid. */
  undone?: Omit<Undone, keyof Changed>;
}

/** How far a change is. */
export type Progress = { done: number; total: number } | { waiting: true };

/** What an error is sent with. */
export interface RefusalDetails {
  /** Of images that were changed meanwhile. */
  summary?: SelectionSummary;
  /** The ids of images that were removed meanwhile. */
  missing?: string[];
}

/** An entry, and how many images have it. */
export interface Counted {
  id: string;
  name: string;
  images: number;
}

export interface ListedEntry extends Counted {
  aliases: string[];
  version: string;
  /** Its other public fields. */
  fields: Record<string, unknown>;
}

export interface Tile {
  id: string;
  rating: Rating;
  label: string;
  fileName: string;
  isEdited: boolean;
  width: number;
  height: number;
  /** What is shown until the picture has loaded. */
  color: string;
  thumbHash?: string;
}

/** A picture to compare with others. */
export interface Alike extends Tile {
  size: number;
  mimetype: string;
}

/** A picture that a new one looks like, as it was when it was found. */
export type Found = Alike & { version: string };

export interface SelectionSummary extends GivenDetails {
  images: number;
  /** Of all the images together. What removes or replaces them names the one that it is based on. */
  version: string;
  /** The last change that this is based on. */
  base: number;
  ratings: Partial<Record<Rating, number>>;
  artists: Counted[];
  categories: Counted[];
  characters: Counted[];
  albums: Counted[];
  /** Undefined if there are several, and so are the details. */
  source: Image['source'] | undefined;
  /** By field. */
  edited: Partial<Record<EditableField, number>>;
  /** Of a single image. */
  details?: {
    createdAt: string;
    width: number;
    height: number;
    size: number;
    mimetype: string;
    fileName: string;
    /** When it got another file, if the trash has the former one. */
    replacedAt?: string | undefined;
  };
}

/** The first ones of a list, and how long it is. */
export interface Listed<T> {
  count: number;
  listed: T[];
}

/** What undoing a change did, or would do. */
export interface Undone extends Changed {
  /** The change. */
  number: number;
  undone: string;
  /** The ids of images. */
  removed: Listed<string>;
  restored: Listed<string>;
  changed: Listed<string>;
  /** How many pictures have another file now. */
  replaced: number;
  entries: number;
  kept: Listed<Kept>;
}

export interface RemovedPicture {
  id: string;
  removedAt: string;
  reason: string;
  /** Its title or file name, as long as it is in the trash. */
  name?: string;
  /** Whether it is the former file of a picture that has another one. */
  isFormer: boolean;
  /** Whether it can be restored. */
  isInTrash: boolean;
}

/** What needs attention. */
export interface Health {
  images: number;
  /** Of pictures. Undefined if counting them would take long. */
  unrated: number | undefined;
  withoutArtist: number;
  lacking: Record<'title' | 'licence' | 'alt' | 'category', number> | undefined;
  /** Entries without pictures. */
  unused: Record<Kind, number>;
  /** The last ones, the newest first. */
  imports: Change[];
  /** The last one that succeeded. */
  backup: { at: string; bytes: number; isOld: boolean } | undefined;
  disks: { folder: string; free: number; size: number; isNearlyFull: boolean }[];
}

/** What became of a picture that was sent to be added. */
export interface AddedPicture extends Changed {
  /** How many pictures were added or updated. */
  added: number;
  updated: number;
  /** What the import says, as sentences. */
  notes: string[];
  /** The import that it belongs to; undefined if nothing changed. */
  run: number | undefined;
}

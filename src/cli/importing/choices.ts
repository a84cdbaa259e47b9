/** What an operator chooses for a folder stays chosen for its next imports. Pure. */
import type { FolderChoice } from '../../catalogue/records.ts';

/** `exclude` is false if nothing is excluded any more. */
export type ChoiceFlags = Omit<FolderChoice, 'exclude'> & { exclude?: string[] | false };

/** What was chosen before, and what the command line chooses instead. */
export function choose(before: FolderChoice, flags: ChoiceFlags): FolderChoice {
  const {
    folderCategories = before.folderCategories,
    defaultRating = before.defaultRating,
    albumsFrom = before.albumsFrom,
  } = flags;
  const exclude = flags.exclude === false ? undefined : (flags.exclude ?? before.exclude);
  return {
    ...(folderCategories !== undefined && { folderCategories }),
    ...(exclude && { exclude }),
    ...(defaultRating !== undefined && { defaultRating }),
    ...(albumsFrom !== undefined && { albumsFrom }),
  };
}

export function isSameChoice(one: FolderChoice, other: FolderChoice): boolean {
  // In the order of `choose`.
  return JSON.stringify(choose(one, {})) === JSON.stringify(choose(other, {}));
}

/** The options that an import uses because they were chosen before, as one would type them. */
export function describeKept(before: FolderChoice, flags: ChoiceFlags): string {
  const { folderCategories, exclude = [], defaultRating, albumsFrom } = before;
  const words: string[] = [];
  if (folderCategories !== undefined && flags.folderCategories === undefined)
    words.push(`--folder-categories ${folderCategories}`);
  if (flags.exclude === undefined) words.push(...exclude.map((glob) => `--exclude '${glob}'`));
  if (defaultRating !== undefined && flags.defaultRating === undefined)
    words.push(`--default-rating ${defaultRating}`);
  if (albumsFrom !== undefined && flags.albumsFrom === undefined) words.push(`--albums-from ${albumsFrom}`);
  return words.join(' ');
}

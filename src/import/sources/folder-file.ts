/** What a folder says about the pictures below it: a file .zukan.json, and which of the folders' names are categories. Pure. */

import { cleanName } from '../../catalogue/hidden-characters.ts';
import { Rating } from '../../catalogue/schemas.ts';
import * as Type from '../../lib/json-schema.ts';
import { compile } from '../../lib/validator.ts';
import { RecordError } from '../records/problems.ts';
import { isReference, isStorable, parseJson } from '../records/record.ts';
import { describeErrors } from './describe-errors.ts';

export const FOLDER_FILE = '.zukan.json';

const MAX_CATEGORIES = 100;

const FolderFile = Type.Object(
  {
    rating: Type.Optional(Rating),
    categories: Type.Optional(Type.Array(Type.String(), { maxItems: MAX_CATEGORIES })),
    artist: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);
export type FolderFile = Type.Static<typeof FolderFile>;
const validator = compile(FolderFile);

export function parseFolderFile(text: string): FolderFile {
  const value = parseJson(text);
  if (!validator.Check(value)) throw new RecordError(describeErrors(validator, value));
  if (!isStorable(value)) throw new RecordError('a text contains a NUL character or an unpaired surrogate');
  const { categories: names, artist: person, ...others } = value as FolderFile;
  const categories = names?.map(cleanName);
  const artist = person && cleanName(person);
  const wrong = categories?.find((name) => !isReference('category', name));
  if (wrong !== undefined) throw new RecordError(`categories: "${wrong}" cannot be the name of a category`);
  if (artist !== undefined && !isReference('artist', artist))
    throw new RecordError(`artist: "${artist}" cannot be the name of an artist`);
  return { ...others, ...(categories && { categories }), ...(artist !== undefined && { artist }) };
}

/** For pictures of an inner folder: its rating and artist count, and categories add up. */
export function inherit(outer: FolderFile, inner: FolderFile): FolderFile {
  const categories = [...new Set([...(outer.categories ?? []), ...(inner.categories ?? [])])];
  return { ...outer, ...inner, ...(categories.length > 0 && { categories }) };
}

/** Which of the folders that lead to a picture are its categories: all, the last one, none, or so many from the first one on. */
export type FolderCategories = 'all' | 'last' | 'none' | number;

export function usedFolders(folders: string[], which: FolderCategories): string[] {
  if (which === 'all') return folders;
  if (which === 'last') return folders.slice(-1);
  return folders.slice(0, which === 'none' ? 0 : which);
}

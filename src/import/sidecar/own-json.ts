/** Checks JSON that somebody wrote by hand: no tool is known to write it, so that a wrong type or name is a mistake. Pure. */
import { editDistance } from '../../lib/edit-distance.ts';
import { RecordError } from '../records/problems.ts';
import { fieldMarkers } from './rating.ts';

type Fields = Record<string, unknown>;

const isText = (value: unknown) => typeof value === 'string';
const isTexts = (value: unknown) => isText(value) || (Array.isArray(value) && value.every(isText));
const isSource = (value: unknown) => isTexts(value) || (typeof value === 'object' && !Array.isArray(value));

/** The fields of an image record, and what each of them may be. All may be null. */
const own: Record<string, [isRight: (value: unknown) => boolean, hint: string]> = {
  artist: [isTexts, 'a name'],
  categories: [isTexts, 'a list of names'],
  characters: [isTexts, 'a list of names'],
  source: [isSource, '{"name":…,"url":…} or a URL'],
  createdAt: [isText, 'a text'],
  title: [isText, 'a text'],
  description: [isText, 'a text'],
  takenAt: [isText, 'a text'],
  fileName: [isText, 'a text'],
};
/** The names that people may have meant. */
const meant = [...Object.keys(own), 'nsfw', 'rating', 'tags'];
/** Others that have a meaning in the files of any tool. */
const others = ['id', 'type', 'file', 'sources', 'date'];

/** What only tools write. */
const toolKeys = [
  ...['category', 'subcategory', 'extractor', 'md5', 'checksum', 'sha512_hash', 'file_url', 'uploader'],
  ...['hashtags', 'metadata', 'urls', 'source_urls', 'post_url', 'safety', 'media_asset', 'creationTime'],
  ...['author', 'user', 'username', 'account', 'owner', 'creator', 'blog_name', 'tweet_id', 'created_at'],
];

export function checkOwnJson(fields: Fields): void {
  const keys = Object.keys(fields);
  if (keys.some((key) => toolKeys.includes(key) || /^(?:tags_|tag_string)/.test(key))) return;
  // Both people and tools write `tags`. Tools have other types, but spell right.
  const mayBeTool = Object.hasOwn(fields, 'tags');
  for (const [name, [isRight, hint]] of Object.entries(own)) {
    const value = Object.hasOwn(fields, name) && !mayBeTool ? fields[name] : null;
    if (value !== null && !isRight(value)) throw new RecordError(`${name}: must be ${hint}`);
  }
  for (const key of keys) {
    if (meant.includes(key) || others.includes(key) || isMarker(key)) continue;
    const near = meant.find((name) => isNear(key, name));
    if (near !== undefined) throw new RecordError(`unknown field "${key}"; did you mean "${near}"?`);
  }
}

const isMarker = (key: string) => !fieldMarkers(key, 'any').next().done;

/** Whether one letter of a name is wrong, missing, too many or swapped with the next one. In short names, that is too much. */
export function isNear(typed: string, name: string): boolean {
  const [a, b] = [typed.toLowerCase(), name.toLowerCase()];
  if (a === b) return true;
  if (b.length < 4 || Math.abs(a.length - b.length) > 1) return false;
  const isSwapped = [...a].some(
    (letter, at) => a.slice(0, at) + a.slice(at + 1, at + 2) + letter + a.slice(at + 2) === b,
  );
  return isSwapped || editDistance([...a], [...b], 1) <= 1;
}

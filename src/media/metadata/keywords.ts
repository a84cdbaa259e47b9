/**
 * Keywords with a place in a tree, as digiKam, Lightroom, darktable and Immich write them: `Animals/Fox`. Each level is a keyword.
 * People stay private, also where the flat list repeats their names. Pure.
 */

/** The branches for people, in lower case. */
const people = new Set([
  'people',
  'person',
  'persons',
  'personen',
  'personnes',
  'personas',
  'persone',
  'faces',
]);
/** What programs keep for themselves. */
const isInternal = (root: string) => root.startsWith('_digikam') || root === 'darktable';

export function allKeywords(flat: string[], paths: string[][]): string[] {
  const rootOf = (path: string[]) => (path[0] ?? '').trim().toLowerCase();
  const secret = new Set(
    paths
      .filter((path) => path.length > 1 && people.has(rootOf(path)))
      .flat()
      .map((name) => name.trim()),
  );
  const open = paths.filter((path) => !people.has(rootOf(path)) && !isInternal(rootOf(path)));
  const names = [...flat, ...open.flat()].map((name) => name.trim());
  return [...new Set(names)].filter((name) => name !== '' && !secret.has(name));
}

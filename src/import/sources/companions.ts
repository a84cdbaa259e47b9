/** Finds the sidecars of pictures among the files of a folder. Pure. */
import { basename } from 'node:path';
import { normaliseName } from '../../catalogue/names.ts';
import { sidecarNames } from '../sidecar/read.ts';
import { takeoutNames, takeoutSubject } from '../sidecar/takeout.ts';

/** Names that differ in case only are about the same pictures, so that each of these would read all of them. */
const MAX_SHARED = 8;

/** Names of files with the same folded form are about the same picture. */
export const foldFileName = (name: string): string => normaliseName(name).toLowerCase();

/**
 * Returns the sidecars of a picture, the first one that counts first. `names` may have files of an inner folder, which count only
 * where no other has the name. The form of Unicode makes no difference, and neither does the case, but the same case comes first.
 */
export function sidecarFinder(names: string[]): (picture: string) => string[] {
  const { inner = [], outer = [] } = Object.groupBy(names, (name) =>
    basename(name) === name ? 'outer' : 'inner',
  );
  const groupBy = (keyOf: (name: string) => string) =>
    new Map([inner, outer].flatMap((some) => [...Map.groupBy(some, (name) => keyOf(basename(name)))]));
  const [byName, byFolded] = [groupBy(normaliseName), groupBy(foldFileName)];
  const subjectOf = (name: string) => takeoutSubject(normaliseName(name));
  const bySubject = Map.groupBy(names, subjectOf);
  const byFoldedSubject = Map.groupBy(names, (name) => subjectOf(name)?.toLowerCase());
  const find = (name: string) =>
    byName.get(name) ?? byFolded.get(foldFileName(name))?.slice(0, MAX_SHARED) ?? [];
  return (picture) => {
    // The names of Takeout are cut in either form.
    const forms = ['NFC', 'NFD'].map((form) => picture.normalize(form));
    const takeout = new Set(forms.flatMap(takeoutNames).map(normaliseName))
      .values()
      .flatMap((name) => [
        ...find(`${name}.json`),
        ...(bySubject.get(name) ?? []),
        ...(byFoldedSubject.get(name.toLowerCase()) ?? []),
      ]);
    const own = new Set(sidecarNames(normaliseName(picture)).flatMap(find));
    return [...own.union(new Set(takeout.take(MAX_SHARED)))];
  };
}

/** Finds the sidecars of pictures among the files of a folder. Pure. */
import { basename } from 'node:path';
import { sidecarNames } from '../sidecar/read.ts';
import { takeoutNames, takeoutSubject } from '../sidecar/takeout.ts';

/** Names that differ in case only are about the same pictures, so that each of these would read all of them. */
const MAX_TAKEOUT = 8;

/**
 * Returns the sidecars of a picture, the first one that counts first. `names` may start with files of an inner folder, which count
 * less. The case of a name makes no difference, but a name in the same case comes first.
 */
export function sidecarFinder(names: string[]): (picture: string) => string[] {
  const byName = new Map(names.map((name) => [basename(name).toLowerCase(), name]));
  for (const name of names) byName.set(basename(name), name);
  const bySubject = Map.groupBy(names, takeoutSubject);
  const byFolded = Map.groupBy(names, (name) => takeoutSubject(name)?.toLowerCase());
  const find = (name: string) => byName.get(name) ?? byName.get(name.toLowerCase()) ?? [];
  return (picture) => {
    const takeout = takeoutNames(picture).flatMap((name) => [
      find(`${name}.json`),
      bySubject.get(name) ?? [],
      byFolded.get(name.toLowerCase()) ?? [],
    ]);
    const own = new Set(sidecarNames(picture).flatMap(find));
    return [...own.union(new Set(takeout.flat().slice(0, MAX_TAKEOUT)))];
  };
}

/** Finds the sidecars of pictures among the files of a folder. Pure. */
import { basename } from 'node:path';
import { sidecarNames } from '../sidecar/read.ts';
import { takeoutNames, takeoutSubject } from '../sidecar/takeout.ts';

/**
 * Returns the sidecars of a picture, the first one that counts first. `names` may start with files of an inner folder, which count
 * less. The case of a name makes no difference, but a name in the same case comes first.
 */
export function sidecarFinder(names: string[]): (picture: string) => string[] {
  const byName = new Map(names.map((name) => [basename(name).toLowerCase(), name]));
  for (const name of names) byName.set(basename(name), name);
  const bySubject = Map.groupBy(names, (name) => takeoutSubject(name)?.toLowerCase());
  const find = (name: string) => byName.get(name) ?? byName.get(name.toLowerCase()) ?? [];
  return (picture) => {
    const takeout = takeoutNames(picture).flatMap((name) => [
      find(`${name}.json`),
      bySubject.get(name.toLowerCase()) ?? [],
    ]);
    return [...new Set([...sidecarNames(picture).map(find), ...takeout].flat())];
  };
}

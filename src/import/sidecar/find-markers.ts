/** Finds the markers of a JSON value at any depth: tools put the records of sites under keys of their own. */
import { fieldMarkers, labelMarkers, type Marker, namespaceMarkers } from './markers.ts';

/** Without recursion: a sidecar of 1 MiB can be nested half a million times. */
export function* findMarkers(root: object): Generator<Marker> {
  const { category } = root as { category?: unknown };
  // The API of danbooru names no site.
  const unnamed = Object.hasOwn(root, 'media_asset') ? 'danbooru' : '';
  const site = typeof category === 'string' ? category : unnamed;
  const open: { value: object; isLabel: boolean }[] = [{ value: root, isLabel: false }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, isLabel } = next;
    const isList = Array.isArray(value);
    for (const [key, item] of Object.entries(value)) {
      if (!isList) yield* fieldMarkers(key, item, value === root ? site : '');
      if (isLabel && key === 'val') yield* labelMarkers(item);
      if (isList && typeof item === 'string') yield* namespaceMarkers(item);
      if (typeof item === 'object' && item !== null)
        open.push({ value: item, isLabel: isLabel || (!isList && key === 'labels') });
    }
  }
}

/** Caches API data, so going back and showing known records needs no request. */
import type { GalleryImage, Subject, ViewData } from './types.ts';

const MAX_VIEWS = 50;
const MAX_RECORDS = 5000;

/** By the key of the history entry. */
const views = new Map<string, ViewData>();
const images = new Map<string, GalleryImage>();
const subjects = new Map<string, Subject>();

export function cacheView(key: string, data: ViewData): void {
  put(views, key, data, MAX_VIEWS);
}

/** Undefined when it is not cached or one of its links has expired. */
export function getCachedView(key: string): ViewData | undefined {
  const data = views.get(key);
  return data?.images.some(isExpired) ? undefined : data;
}

export function cacheRecords({ images, entries, subject }: ViewData): void {
  images.forEach(cacheImage);
  entries.forEach(cacheSubject);
  if (subject) cacheSubject(subject);
}

export function cacheImage(image: GalleryImage): void {
  put(images, image.id, image, MAX_RECORDS);
  for (const entry of [...image.categories, ...image.characters]) cacheSubject(entry);
}

export function getCachedImage(id: string): GalleryImage | undefined {
  const image = images.get(id);
  return image && !isExpired(image) ? image : undefined;
}

/** Keeps the number of images, which entries in a list or an image do not have. */
function cacheSubject(entry: Subject): void {
  const count = subjects.get(entry.id)?.images;
  put(subjects, entry.id, count === undefined ? entry : { images: count, ...entry }, MAX_RECORDS);
}

export function getCachedSubject(id: string): Subject | undefined {
  return subjects.get(id);
}

export function isExpired({ meta }: GalleryImage): boolean {
  return Date.parse(meta.expires) <= Date.now();
}

function put<Value>(map: Map<string, Value>, key: string, value: Value, maxSize: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > maxSize && oldest !== undefined) map.delete(oldest);
}

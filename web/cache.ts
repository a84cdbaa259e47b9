/** Caches API data, so going back and showing known records needs no request. */
import type { GalleryImage, Shown, Subject, ViewData } from './types.ts';

const MAX_VIEWS = 50;
export const MAX_RECORDS = 5000;
const MAX_RESULTS = 300;

/** By the key of the history entry. */
const views = new Map<string, ViewData>();
const images = new Map<string, GalleryImage>();
const covers = new Map<string, Shown>();
const subjects = new Map<string, Subject>();

export function cacheView(key: string, data: ViewData): void {
  put(views, key, data, MAX_VIEWS);
}

/** Its links may have expired. */
export function getCachedView(key: string): ViewData | undefined {
  return views.get(key);
}

export function cacheEntries({ groups, subject }: Pick<ViewData, 'groups' | 'subject'>): void {
  for (const { entries } of groups) entries.forEach(cacheSubject);
  if (subject) cacheSubject(subject);
}

export function cacheImage(image: GalleryImage | Shown): void {
  if (!('categories' in image)) {
    put(covers, image.id, image, MAX_RECORDS);
    return;
  }
  put(images, image.id, image, MAX_RECORDS);
  for (const entry of [...image.categories, ...image.characters]) cacheSubject(entry);
  if (image.artistDetails) cacheSubject(image.artistDetails);
}

/** Its links may have expired. */
export function getCachedImage(id: string): GalleryImage | undefined {
  return images.get(id);
}

/** The image or the cover, whichever has the later links. */
export function getLatestLinks(id: string): Shown | undefined {
  const [image, cover] = [images.get(id), covers.get(id)];
  return image && !(cover && cover.meta.expires > image.meta.expires) ? image : cover;
}

/** Keeps the number of images, which the entries of an image do not have. */
function cacheSubject(entry: Subject): void {
  const count = subjects.get(entry.id)?.images;
  put(subjects, entry.id, count === undefined ? entry : { images: count, ...entry }, MAX_RECORDS);
}

/** What is loaded and has a name that contains the text: those that start with it first. */
export function findCachedSubjects(text: string): Subject[] {
  const indexIn = ({ name }: Subject) => name.toLowerCase().indexOf(text.toLowerCase());
  return [...subjects.values()]
    .filter((subject) => indexIn(subject) >= 0)
    .sort(
      (one, other) =>
        Number(indexIn(one) > 0) - Number(indexIn(other) > 0) || one.name.localeCompare(other.name),
    );
}

export function getCachedSubject(id: string): Subject | undefined {
  return subjects.get(id);
}

export function isExpired({ meta }: Shown): boolean {
  return Date.parse(meta.expires) <= Date.now();
}

/** Removes the oldest value if there are too many. */
export function put<Value>(map: Map<string, Value>, key: string, value: Value, maxSize: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > maxSize && oldest !== undefined) map.delete(oldest);
}

/** What the API returned, by key. Equal calls at the same time share a request. */
export class Results<Value> {
  readonly #known = new Map<string, Value>();
  readonly #pending = new Map<string, Promise<Value>>();

  get(key: string): Value | undefined {
    return this.#known.get(key);
  }

  async load(key: string, load: () => Promise<Value>): Promise<Value> {
    const known = this.#known.get(key);
    if (known) return known;
    const request = this.#pending.get(key) ?? load();
    this.#pending.set(key, request);
    try {
      const value = await request;
      put(this.#known, key, value, MAX_RESULTS);
      return value;
    } finally {
      this.#pending.delete(key);
    }
  }
}

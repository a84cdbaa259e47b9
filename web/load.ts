/** Asks the API for what a place shows. An action is one call; only a page of its own may take one more, for its facts. */
import { Zukan } from '../src/client/index.ts';
import { type Answer, knownSubject, type Picture, seenOf } from './memory.ts';
import { showWait } from './notice.ts';
import { pacedFetch } from './pace.ts';
import type { Place } from './place.ts';

export const PAGE = 25;

export const prefix = document.querySelector<HTMLMetaElement>('meta[name="zukan-api"]')?.content ?? '/api';
const zukan = new Zukan({ prefix, fetch: pacedFetch, onWait: showWait });

const nothing: Answer = { subject: undefined, pictures: [], entries: [], total: undefined };

/** What there is to show, the sooner the better: a later answer has all of the one before it, and more. */
export async function* load(place: Place, signal: AbortSignal): AsyncGenerator<Answer> {
  const calling = { signal };
  if (place.name === 'random') {
    const { categories } = place;
    const wanted = categories.length > 0 ? { categories, limit: PAGE } : { limit: PAGE };
    yield { ...nothing, pictures: await zukan.random(wanted, calling) };
  } else if (place.name === 'search') {
    const { kind, search } = place;
    const wanted = { limit: PAGE, offset: (place.page - 1) * PAGE, ...(search && { search }) };
    const { data, total } = await zukan[kind](wanted, calling);
    yield { ...nothing, entries: data, total };
  } else if (place.name === 'artist') yield* artistPage(place, calling);
  else if (place.name === 'category') yield* categoryPage(place.id, calling);
  else yield* characterPage(place.id, calling);
}

type Calling = { signal: AbortSignal };

/** The pictures come first: the name can follow. */
async function* artistPage({ id, page }: { id: string; page: number }, calling: Calling) {
  const window = { limit: PAGE, offset: (page - 1) * PAGE };
  const { data: pictures, total } = await zukan.artistImages(id, window, calling);
  const known = knownSubject(id);
  const answer = { ...nothing, pictures, total };
  yield { ...answer, subject: known && { ...known, images: total } };
  if (!known) yield { ...answer, subject: await zukan.artist(id, calling) };
}

/** Pictures are drawn by the category's name, and every picture brings its categories: so it is mostly known. */
async function* categoryPage(id: string, calling: Calling) {
  const known = knownSubject(id);
  const subject = known ?? (await zukan.category(id, calling));
  if (!known) yield { ...nothing, subject };
  const pictures = await zukan.random({ categories: [subject.name], limit: PAGE }, calling);
  yield { ...nothing, subject, pictures };
}

async function* characterPage(id: string, calling: Calling) {
  const pictures = seenOf(id);
  const known = knownSubject(id);
  if (known) yield { ...nothing, subject: known, pictures };
  if (known?.images === undefined)
    yield { ...nothing, subject: await zukan.character(id, calling), pictures };
}

export function loadPicture(id: string, signal: AbortSignal): Promise<Picture> {
  return zukan.image(id, {}, { signal });
}

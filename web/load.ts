/** Asks the API for what a place shows. An action is one call; only a page of its own may take one more, for its facts. */
import { Zukan } from '../client/index.ts';
import { type Answer, knownSubject } from './memory.ts';
import { showWait } from './notice.ts';
import { pacedFetch } from './pace.ts';
import { type Drawn, type Filter, isChosen, type Place } from './place.ts';
import type { Picture, Subject } from './types.ts';

export const PAGE = 25;
type PlaceOf<Name extends Place['name']> = Extract<Place, { name: Name }>;

export const prefix = document.querySelector<HTMLMetaElement>('meta[name="zukan-api"]')?.content ?? '/api';
const zukan = new Zukan({ prefix, fetch: pacedFetch, onWait: showWait });

const nothing: Answer = {
  ...{ subject: undefined, pictures: [], entries: [] },
  ...{ total: undefined, cursor: undefined },
};

/** What there is to show, the sooner the better: a later answer has all of the one before it, and more. */
export async function* load(place: Place, seed: string, signal: AbortSignal): AsyncGenerator<Answer> {
  const calling = { signal };
  if (place.name === 'random') yield loadMore(place, nothing, seed, signal);
  else if (place.name === 'search') {
    const { kind, search } = place;
    const wanted = { limit: PAGE, offset: (place.page - 1) * PAGE, ...(search && { search }) };
    const { data, total } = await zukan[kind](wanted, calling);
    yield { ...nothing, entries: data, total };
  } else if (place.name === 'artist') yield* artistPage(place, calling);
  else if (place.name === 'category') yield* categoryPage(place, seed, calling);
  else yield* characterPage(place, seed, calling);
}

/** The same answer with the next pictures, in the order of the seed. */
export async function loadMore(
  place: Drawn,
  answer: Answer,
  seed: string,
  signal: AbortSignal,
): Promise<Answer> {
  const { cursor } = answer;
  const wanted = { ...wantedOf(place, answer.subject), limit: PAGE, seed, cursor };
  const page = await zukan.randomPage(wanted, { signal });
  return { ...answer, pictures: [...answer.pictures, ...page.data], cursor: page.cursor };
}

function wantedOf(place: Drawn, subject: Subject | undefined) {
  const filter = chosenOf(place.filter);
  if (place.name === 'character') return { character: place.id, ...filter };
  const categories = place.name === 'random' ? place.categories : subject ? [subject.name] : [];
  return { ...(categories.length > 0 && { categories }), ...filter };
}

/** The API refuses a filter that lets nothing through. */
function chosenOf({ nsfw, orientation }: Filter): Partial<Filter> {
  return { ...(nsfw.length > 0 && { nsfw }), ...(orientation.length > 0 && { orientation }) };
}

type Calling = { signal: AbortSignal };

/** The pictures come first: the name can follow. */
async function* artistPage({ id, filter, page }: PlaceOf<'artist'>, calling: Calling) {
  const wanted = { ...chosenOf(filter), limit: PAGE, offset: (page - 1) * PAGE };
  const { data: pictures, total } = await zukan.artistImages(id, wanted, calling);
  const known = knownSubject(id);
  const answer = { ...nothing, pictures, total };
  yield { ...answer, subject: known && (isChosen(filter) ? known : { ...known, images: total }) };
  if (!known) yield { ...answer, subject: await zukan.artist(id, calling) };
}

/** Pictures are drawn by the category's name, and every picture brings its categories: so it is mostly known. */
async function* categoryPage(place: PlaceOf<'category'>, seed: string, calling: Calling) {
  const known = knownSubject(place.id);
  const answer = { ...nothing, subject: known ?? (await zukan.category(place.id, calling)) };
  if (!known) yield answer;
  yield loadMore(place, answer, seed, calling.signal);
}

/** Every picture brings its characters. Only one of whom there is no picture has to be asked for. */
async function* characterPage(place: PlaceOf<'character'>, seed: string, calling: Calling) {
  const answer = await loadMore(place, nothing, seed, calling.signal);
  const shown = answer.pictures[0]?.characters.find(({ id }) => id === place.id);
  const subject = knownSubject(place.id) ?? shown ?? (await zukan.character(place.id, calling));
  yield { ...answer, subject };
}

export function loadPicture(id: string, signal: AbortSignal): Promise<Picture> {
  return zukan.image(id, {}, { signal });
}

/** What a filter means: which shelves an image must be on, which it must not, and the size it must have. */
import { type Filter, type FilterProblem, MAX_UNKNOWN_NAMES } from '../../catalogue/catalogue.ts';
import { foldName } from '../../catalogue/names.ts';
import type { Kind } from '../../catalogue/schemas.ts';
import type { ValueFilter } from '../../catalogue/search/query.ts';
import { type Text, textKey } from '../../catalogue/search/words.ts';
import type { SizeTest } from '../../catalogue/sets/image-set.ts';
import { type Call, type CatalogueVersion, get, type Shelf, type ShelfSnapshot, type View } from '../view.ts';

/** Images that are on one of the shelves, or have one of the texts. */
export interface Choice {
  shelves: Shelf[];
  texts: Text[];
  /** The sum of the shelves' sizes: an image on two of them counts twice. Infinite with texts: nobody knows before reading them. */
  size: number;
}

/** The images that are in every choice, in no excluded one, not in the other selection and of the right size, as of one version. */
export interface Selection {
  catalogue: CatalogueVersion;
  /** The smallest one first. */
  choices: [Choice, ...Choice[]];
  excluded: Choice[];
  /** Without an `except` of its own. */
  except?: Selection;
  /** By the condition as text. */
  sizes: Map<string, SizeTest>;
}

/** The fields of a filter that name entries by id, and the kinds of these. */
const entryFields = {
  artist: 'artist',
  excludeArtist: 'artist',
  character: 'character',
  album: 'album',
} as const;
type EntryField = keyof typeof entryFields;
const fields = Object.keys(entryFields) as EntryField[];

/** The shelves of the entries that a filter names. One that does not exist is undefined. */
export type EntryShelves = Partial<Record<EntryField, (Shelf | undefined)[]>>;

/** What a text of a filter demands of an image. */
export interface Meaning {
  /** Undefined if nothing meets it. */
  values: ValueFilter | undefined;
  words: WordMeaning[];
}

/** The shelves of the entries that a word is about, and the texts. */
export interface WordMeaning {
  isNegated: boolean;
  shelves: Shelf[];
  texts: Text[];
}

/** Part of what a filter demands of an image. */
type Condition =
  | { oneOf: Shelf[]; texts?: Text[] }
  | { noneOf: Shelf[]; texts?: Text[] }
  | { size: SizeTest };

/** The snapshot that a filter is applied to, and what it names there. */
interface Named extends Required<Record<EntryField | 'categories' | 'exclude', Shelf[]>> {
  snapshot: ShelfSnapshot;
  match: Filter['match'];
  meaning: Meaning | undefined;
}

/** Ratios may differ by one part in this many: 2 %. */
const RATIO_PARTS = 50;

/** What each field of a filter demands. The compiler refuses a field without a line here; `match` says how `categories` are meant. */
const conditions: {
  [Field in Exclude<keyof Filter, 'match'>]-?: (
    given: NonNullable<Filter[Field]>,
    named: Named,
  ) => Condition | Condition[];
} = {
  q: (_, { meaning }) =>
    meaning?.values
      ? meaning.words.map(({ isNegated, shelves, texts }) =>
          isNegated ? { noneOf: shelves, texts } : { oneOf: shelves, texts },
        )
      : { oneOf: [] },
  nsfw: (ratings, { snapshot }) => oneOfAll(snapshot, snapshot.ratings, ratings),
  orientation: (names, { snapshot }) => oneOfAll(snapshot, snapshot.orientations, names),
  type: (types, { snapshot }) =>
    oneOfAll(
      snapshot,
      snapshot.types,
      types.map((type) => (type === 'jpg' ? 'jpeg' : type)),
    ),
  categories: (names, { match, categories }) =>
    match === 'any' && names.length > 0
      ? { oneOf: categories }
      : categories.map((shelf) => ({ oneOf: [shelf] })),
  exclude: (_, { exclude }) => ({ noneOf: exclude }),
  artist: (_, { artist }) => ({ oneOf: artist }),
  excludeArtist: (_, { excludeArtist }) => ({ noneOf: excludeArtist }),
  character: (_, { character }) => ({ oneOf: character }),
  album: (_, { album }) => ({ oneOf: album }),
  animated: (isAnimated, { snapshot }) =>
    isAnimated ? { oneOf: [snapshot.animated] } : { noneOf: [snapshot.animated] },
  minWidth: (least) => ({ size: (width) => width >= least }),
  minHeight: (least) => ({ size: (_, height) => height >= least }),
  maxWidth: (most) => ({ size: (width) => width <= most }),
  maxHeight: (most) => ({ size: (_, height) => height <= most }),
  aspectRatio: (ratio) => {
    // Whole numbers only, so that nothing is rounded.
    const [across, down] = ratio.split(':').map(Number) as [number, number];
    const size: SizeTest = (width, height) =>
      RATIO_PARTS * Math.abs(width * down - height * across) <= height * across;
    return { size };
  },
};
const conditionFields = Object.keys(conditions) as (keyof typeof conditions)[];

/** Looks up what the filter names, but for its text. */
export function* select(view: View, filter: Filter, meaning?: Meaning): Call<Selection | FilterProblem> {
  const entries: EntryShelves = {};
  for (const field of fields) {
    const ids = filter[field];
    if (ids) entries[field] = yield* get(view.entryShelves(entryFields[field], [...new Set(ids)]));
  }
  return selectShelves(view.snapshot, filter, entries, meaning);
}

/** Pure. Unknown categories are reported before other unknown entries. */
export function selectShelves(
  snapshot: ShelfSnapshot,
  filter: Filter,
  entries: EntryShelves,
  meaning?: Meaning,
): Selection | FilterProblem {
  const included = findCategories(snapshot, filter.categories);
  const excluded = findCategories(snapshot, filter.exclude);
  if (included.unknown.length + excluded.unknown.length > 0)
    return { problem: { categories: included.unknown, exclude: excluded.unknown } };
  for (const field of fields) if (entries[field]?.includes(undefined)) return { problem: entryFields[field] };
  const named: Named = {
    snapshot,
    match: filter.match,
    meaning,
    categories: included.shelves,
    exclude: excluded.shelves,
    artist: distinct(entries.artist),
    excludeArtist: distinct(entries.excludeArtist),
    character: distinct(entries.character),
    album: distinct(entries.album),
  };
  const selection = { choices: [] as Choice[], excluded: [] as Choice[], sizes: new Map<string, SizeTest>() };
  for (const part of [filter, meaning?.values ?? {}] as Filter[])
    for (const field of conditionFields) {
      const given = part[field];
      if (given === undefined) continue;
      const demand = conditions[field] as (given: unknown, named: Named) => Condition | Condition[];
      for (const condition of [demand(given, named)].flat()) {
        if ('oneOf' in condition) selection.choices.push(choose(condition.oneOf, condition.texts));
        else if ('size' in condition) selection.sizes.set(`${field}=${given}`, condition.size);
        else
          selection.excluded.push(
            ...[choose(condition.noneOf, condition.texts)].filter(({ size }) => size > 0),
          );
      }
    }
  const [smallest = choose([snapshot.all]), ...others] = selection.choices.sort((a, b) => a.size - b.size);
  return { ...selection, catalogue: snapshot, choices: [smallest, ...others] };
}

/** All images of an entry, if it exists. */
export function* onShelf(view: View, kind: Kind, id: string): Call<Selection | undefined> {
  const [shelf] = yield* get(view.entryShelves(kind, [id]));
  if (!shelf) return undefined;
  return { catalogue: view.snapshot, choices: [choose([shelf])], excluded: [], sizes: new Map() };
}

/** The images that have one of some texts. */
export function selectTexts(catalogue: CatalogueVersion, texts: Text[]): Selection {
  return { catalogue, choices: [choose([], texts)], excluded: [], sizes: new Map() };
}

/** The one shelf whose images are exactly the selection, if there is one. */
export function soleShelf({ choices, excluded, except, sizes }: Selection): Shelf | undefined {
  const [{ shelves, texts }, ...others] = choices;
  const isSole = sizes.size + others.length + excluded.length + texts.length === 0 && !except;
  return isSole && shelves.length === 1 ? shelves[0] : undefined;
}

/** Where images of a choice are. */
export type Source = Shelf | Text;
export const sourcesOf = ({ shelves, texts }: Choice): Source[] => [...shelves, ...texts];
export const sourceKey = (source: Source): number | string =>
  'words' in source ? textKey(source) : source.number;

/** All that a selection names. */
export function allSources({ choices, excluded, except }: Selection): Source[] {
  return [...choices, ...excluded].flatMap(sourcesOf).concat(except ? allSources(except) : []);
}

/** The same key for selections of the same shelves, texts and sizes. */
export function selectionKey({ choices, excluded, except, sizes }: Selection): string {
  const keys = (sources: Source[]) => sources.map(sourceKey).sort().join('|');
  const chosen = choices.map((choice) => keys(sourcesOf(choice))).sort();
  const others = except ? `(${selectionKey(except)})` : '';
  return `${chosen.join('&')}!${keys(excluded.flatMap(sourcesOf))}${others}@${[...sizes.keys()]}`;
}

/** An entry can be named by its id and by a former one. */
function distinct(shelves: (Shelf | undefined)[] = []): Shelf[] {
  return [...new Map(shelves.map((shelf) => [shelf?.number, shelf as Shelf])).values()];
}

function findCategories({ categories }: ShelfSnapshot, names: readonly string[] = []) {
  const shelves = new Set<Shelf>();
  const unknown: string[] = [];
  for (const name of names) {
    const shelf = categories.get(foldName(name));
    if (shelf) shelves.add(shelf);
    else if (unknown.push(name) > MAX_UNKNOWN_NAMES) break;
  }
  return { shelves: [...shelves], unknown };
}

/** Every image has one rating, one orientation and one type, so naming those of all images is no condition. */
function oneOfAll<Name>(
  { all }: ShelfSnapshot,
  shelves: Map<Name, Shelf>,
  names: readonly Name[],
): Condition[] {
  const named = [...new Set(names)].map((name) => shelves.get(name) as Shelf);
  return choose(named).size === all.size ? [] : [{ oneOf: named }];
}

export function choose(shelves: Shelf[], texts: Text[] = []): Choice {
  const size = texts.length > 0 ? Number.POSITIVE_INFINITY : shelves.reduce((sum, { size }) => sum + size, 0);
  return { shelves, texts, size };
}

/** Which pictures are listed: the fields of the filters, what the address says of them, and the search of records. */
import type { Change, Kind, Rating, RequestTo } from '../../src/studio/contract.ts';
import { byId, el } from '../dom.ts';
import { describeOption } from './changes/change-row.ts';
import { post } from './shared/api.ts';
import { Combobox } from './shared/combobox.ts';
import { button, choice, field } from './shared/elements.ts';
import type { IdList } from './shared/id-list.ts';
import { formatNumber, hideProgress, notify, showProgress } from './shared/notices.ts';
import type { EntryFilter } from './views/entries.ts';

// Which pictures are listed. The address has the filters, so that a reload keeps them.

const MAX_IMPORTS = 10;
const KINDS: Kind[] = ['category', 'artist', 'character', 'album'];

const importQuery = (change: number) => `run=${change}`;

/** What a list may be narrowed down to. */
interface Narrowed {
  /** Values of the list “Show”, which are queries. */
  shows?: string[];
  entries?: EntryFilter[];
  /** The perceptual hash of a picture. */
  like?: string;
}

/** What it says, and what removes its filter. */
type Chip = [name: string, remove: () => void];

export class Filters {
  readonly #show = byId<HTMLSelectElement>('show');
  readonly #rating = byId<HTMLSelectElement>('rating-filter');
  readonly #order = byId<HTMLSelectElement>('order');
  readonly #imports = el('optgroup', { label: 'One import' });
  readonly #kind = choice(Object.fromEntries(KINDS.map((kind) => [kind, kind])), {
    'aria-label': 'Filter by',
  });
  readonly #records = recordFields(() => this.#changed());
  readonly #onChange: () => void;
  #narrowed: Required<Narrowed> = { shows: [], entries: [], like: '' };

  /** `onOrder` is called when only the order has changed, `onPicture` with a picture whose look-alikes are wanted. */
  constructor(onChange: () => void, onOrder: () => void, onPicture: (file: File) => void) {
    this.#onChange = onChange;
    const combobox = new Combobox({
      label: 'Filter by name',
      kind: () => this.#kind.value as Kind,
      mayCreate: false,
      onChoose: async (choosing) => {
        const kind = this.#kind.value as Kind;
        const { id, name = '' } = (await choosing) ?? {};
        if (id !== undefined) this.add({ kind, id, name });
      },
    });
    this.#show.append(this.#imports);
    byId('entry-filter').append(this.#kind, combobox.element);
    byId('find').append(this.#records.element, pictureField(onPicture));
    this.#read();
    this.#show.addEventListener('change', () => this.#addShow(this.#show.value));
    this.#rating.addEventListener('change', () => this.#changed());
    this.#order.addEventListener('change', () => {
      this.#write();
      onOrder();
    });
  }

  /** The album whose order counts: the only one in the filters. */
  get album(): string | undefined {
    const [album, ...others] = this.#narrowed.entries.filter(({ kind }) => kind === 'album');
    return others.length > 0 ? undefined : album?.id;
  }

  get isReversed(): boolean {
    return this.#order.value === '' && this.album === undefined;
  }

  /** The query of the list. */
  get query(): RequestTo<'/data/images'> {
    const { shows, entries, like } = this.#narrowed;
    const shown = new URLSearchParams(shows.join('&'));
    const [without, lacks] = [shown.getAll('without'), shown.getAll('lacks')];
    const ids = Map.groupBy(entries, ({ kind }) => kind);
    const { q } = this.#records.values;
    return {
      ...Object.fromEntries(shown),
      ...(q && { q }),
      ...(without.length > 0 && { without }),
      ...(lacks.length > 0 && { lacks }),
      ...(this.#rating.value && { rating: this.#rating.value as Rating }),
      ...Object.fromEntries(Array.from(ids, ([kind, entries]) => [kind, entries.map(({ id }) => id)])),
      ...(like && { like }),
    } as RequestTo<'/data/images'>;
  }

  /** What the pictures of the list have to be read for; undefined if nothing. */
  get record(): RecordFilter | undefined {
    return toRecordFilter(this.#records.values);
  }

  add(filter: EntryFilter): void {
    const { entries } = this.#narrowed;
    this.#narrowed.entries = [...entries.filter(({ id }) => id !== filter.id), filter];
    this.#changed();
  }

  /** Nothing else counts any more. */
  only(narrowed: Narrowed): void {
    this.#rating.value = '';
    this.#records.values = {};
    this.#narrowed = { shows: [], entries: [], like: '', ...narrowed };
    this.#changed();
  }

  /** Only the pictures of one import. */
  onlyImport(run: Change): void {
    this.#offerImport(importQuery(run.number), describeOption(run));
    this.only({ shows: [importQuery(run.number)] });
  }

  /** Offers the last imports, and the one that is shown. */
  setImports(runs: Change[]): void {
    const { shows } = this.#narrowed;
    const offered = runs.filter(({ added, changed }) => added + changed > 0).slice(0, MAX_IMPORTS);
    const shown = runs.filter((run) => shows.includes(importQuery(run.number)) && !offered.includes(run));
    const options = [...offered, ...shown].map((run) =>
      el('option', { value: importQuery(run.number) }, describeOption(run)),
    );
    this.#imports.replaceChildren(...options);
    for (const query of shows) this.#offerImport(query);
    this.#render();
  }

  /** Its name may not be loaded yet, or the import is too old to be listed. */
  #offerImport(query: string, name = query.replace('run=', 'import ')): void {
    if (/^run=\d+$/.test(query) && !this.#optionOf(query))
      this.#imports.append(el('option', { value: query }, name));
  }

  #optionOf(query: string): HTMLOptionElement | undefined {
    return [...this.#show.options].find((option) => option.value === query);
  }

  /** Several are combined, except imports. The empty one stands for everything. */
  #addShow(query: string): void {
    const isImport = query.startsWith('run=');
    const others = this.#narrowed.shows.filter((show) => show !== query && !(isImport && /^run=/.test(show)));
    this.#narrowed.shows = query === '' ? [] : [...others, query];
    this.#changed();
  }

  #changed(): void {
    this.#write();
    this.#render();
    this.#onChange();
  }

  /** Chips that stay are the same elements: a click on one may end the input in a field first. */
  #render(): void {
    const { shows } = this.#narrowed;
    this.#show.value = shows.at(-1) ?? '';
    const box = byId('active-filters');
    const wanted = new Map(this.#chips());
    for (const chip of [...box.children] as HTMLElement[])
      if (!wanted.delete(chip.dataset.name ?? '')) chip.remove();
    for (const [name, remove] of wanted)
      box.append(
        button(
          `${name} ×`,
          () => {
            remove();
            this.#changed();
          },
          { class: 'chip', 'data-name': name, 'aria-label': `Remove the filter ${name}` },
        ),
      );
  }

  #chips(): Chip[] {
    const { shows, entries, like } = this.#narrowed;
    const looks: Chip = [
      'like your picture',
      () => {
        this.#narrowed.like = '';
      },
    ];
    return [
      // The list names a single one.
      ...(shows.length > 1 ? shows : []).map(
        (query): Chip => [
          this.#optionOf(query)?.text ?? query,
          () => {
            this.#narrowed.shows = this.#narrowed.shows.filter((other) => other !== query);
          },
        ],
      ),
      ...entries.map(
        ({ id, name }): Chip => [
          name,
          () => {
            this.#narrowed.entries = this.#narrowed.entries.filter((other) => other.id !== id);
          },
        ],
      ),
      ...this.#records.describe().map(
        ([field, text]): Chip => [
          text,
          () => {
            this.#records.values = { ...this.#records.values, [field]: '' };
          },
        ],
      ),
      ...(like ? [looks] : []),
    ];
  }

  #write(): void {
    const { shows, entries, like } = this.#narrowed;
    const query = new URLSearchParams();
    for (const show of shows) query.append('show', show);
    if (this.#rating.value) query.set('rating', this.#rating.value);
    if (this.#order.value) query.set('order', this.#order.value);
    for (const { kind, id, name } of entries) query.append(kind, `${id} ${name}`);
    for (const [name, value] of Object.entries(this.#records.values)) if (value) query.set(name, value);
    if (like) query.set('like', like);
    const search = query.toString();
    history.replaceState(history.state, '', `/${search ? `?${search}` : ''}${location.hash}`);
  }

  #read(): void {
    const query = new URLSearchParams(location.search);
    for (const show of query.getAll('show')) this.#offerImport(show);
    for (const [select, name] of [
      [this.#rating, 'rating'],
      [this.#order, 'order'],
    ] as const) {
      const value = query.get(name) ?? '';
      select.value = [...select.options].some((option) => option.value === value) ? value : '';
    }
    this.#records.values = Object.fromEntries(query);
    this.#narrowed = {
      shows: query.getAll('show').filter((show) => show !== '' && this.#optionOf(show)),
      entries: KINDS.flatMap((kind) =>
        query.getAll(kind).map((text) => ({ kind, id: text.slice(0, 36), name: text.slice(37) })),
      ),
      like: /^[0-9a-f]{32}$/.exec(query.get('like') ?? '')?.[0] ?? '',
    };
    this.#render();
  }
}

// Filters by what no shelf tells, such as a path: the pictures of a list are searched slice by slice.

export type RecordFilter = RequestTo<'/data/matches'>['filter'];

/** As many as the server reads at once. */
const SLICE_SIZE = 2000;
/** More than anyone looks at: the search ends there. */
const MAX_FOUND = 10_000;

/** By the name in the address: the label, the type, and what a chip says. */
const fields = {
  /** What the search of the gallery understands. Shelves and the index of texts tell it. */
  q: ['Search', 'search', 'search: '],
  path: ['File name or path', 'search', 'file: '],
  since: ['Added since', 'date', 'since '],
  until: ['Added until', 'date', 'until '],
  min: ['Longer side at least (px)', 'number', 'at least px: '],
  max: ['Longer side at most (px)', 'number', 'at most px: '],
} as const;
type Field = keyof typeof fields;
type Values = Partial<Record<Field, string>>;

function recordFields(onChange: () => void) {
  const names = Object.keys(fields) as Field[];
  const inputs = names.map((name) => {
    const [, type] = fields[name];
    const bounds = type === 'number' ? { min: 0, max: 1_000_000 } : { maxlength: name === 'q' ? 100 : 200 };
    return el('input', { type, name, ...bounds, change: onChange });
  });
  const labelled = inputs.map((input) => field(fields[input.name as Field][0], input));
  return {
    element: el('div', { class: 'fields' }, ...labelled),
    /** Only those that a browser accepts: a date of an address may be anything. */
    get values(): Values {
      const valid = inputs.filter((input) => input.value.trim() !== '' && input.checkValidity());
      return Object.fromEntries(valid.map(({ name, value }) => [name, value.trim()]));
    },
    set values(values: Values) {
      for (const input of inputs) input.value = values[input.name as Field] ?? '';
    },
    describe(): [Field, string][] {
      const values = Object.entries(this.values) as [Field, string][];
      return values.map(([name, value]) => [name, `${fields[name][2]}${value}`]);
    },
  };
}

/** For people who cannot drop a picture. */
function pictureField(onPicture: (file: File) => void): HTMLElement {
  const input = el('input', { type: 'file', accept: 'image/*', class: 'visually-hidden' });
  input.addEventListener('change', () => {
    const [file] = input.files ?? [];
    if (file) onPicture(file);
    // So that the same picture can be chosen again.
    input.value = '';
  });
  return el(
    'p',
    { class: 'by-picture quiet' },
    el('label', { class: 'button small' }, 'Look-alikes of a picture…', input),
    'or drop it on the filters',
  );
}

/** Days are those of this clock, and the last one counts. Undefined if nothing is filtered. */
export function toRecordFilter({ path, since, until, min, max }: Values): RecordFilter | undefined {
  const day = (text: string, plus: number) => {
    const date = new Date(`${text}T00:00`);
    date.setDate(date.getDate() + plus);
    return date.toISOString();
  };
  const filter = {
    ...(path && { path }),
    ...(since && { since: day(since, 0) }),
    ...(until && { before: day(until, 1) }),
    ...(min && { minSide: Number(min) }),
    ...(max && { maxSide: Number(max) }),
  };
  return Object.keys(filter).length > 0 ? filter : undefined;
}

/** The newest pictures of the list that the filter matches. */
export async function search(list: IdList, filter: RecordFilter, signal: AbortSignal): Promise<IdList> {
  byId('count').textContent = 'Searching…';
  let positions: number[] = [];
  let end = list.length;
  try {
    while (end > 0 && positions.length < MAX_FOUND) {
      showProgress({ done: list.length - end, total: list.length });
      const first = Math.max(0, end - SLICE_SIZE);
      const ids = Array.from({ length: end - first }, (_, offset) => list.at(first + offset));
      const matches = await post('/data/matches', { ids, filter }, signal);
      positions = [...matches.map((position) => first + position), ...positions];
      end = first;
    }
  } finally {
    // Otherwise another search has begun.
    if (!signal.aborted) hideProgress();
  }
  if (end > 0 || positions.length > MAX_FOUND)
    notify(`These are the newest ${formatNumber(MAX_FOUND)}. Use more filters to find others.`);
  return list.pick(positions.slice(-MAX_FOUND));
}

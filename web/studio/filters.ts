/** Which pictures are listed: the fields of the filters, what the address says of them, and the search of records. */
import type { Change, Kind, RequestTo } from '../../src/studio/contract.ts';
import { byId, el } from '../dom.ts';
import { describeOption } from './changes/history.ts';
import { post } from './shared/api.ts';
import { Combobox } from './shared/combobox.ts';
import { button, choice, field, fileButton } from './shared/elements.ts';
import type { IdList } from './shared/id-list.ts';
import { formatNumber, hideProgress, KINDS, notify, showProgress } from './shared/notices.ts';

// Which pictures are listed. The address has the filters, so that a reload keeps them.

const MAX_IMPORTS = 10;
const ID_LENGTH = 36;

const importQuery = (change: number) => `run=${change}`;
const isKind = (name: string) => KINDS.includes(name as Kind);
/** Pictures that have an entry: the value for its kind. */
export const entryValue = (id: string, name: string) => `${id} ${name}`;

type Input = HTMLInputElement | HTMLSelectElement;

export class Filters {
  /**
   * As the address has them. There may be several of `show`, whose values are queries, and of each kind. `like` is the perceptual
   * hash of a picture.
   */
  #query = new URLSearchParams();
  readonly #show = byId<HTMLSelectElement>('show');
  readonly #imports = el('optgroup', { label: 'One import' });
  readonly #kind = choice(
    { category: 'category', artist: 'artist', character: 'character', album: 'album' },
    { 'aria-label': 'Filter by' },
  );
  /** By the name in the address. */
  readonly #inputs = new Map<string, Input>([
    ['rating', byId<HTMLSelectElement>('rating-filter')],
    ['order', byId<HTMLSelectElement>('order')],
  ]);
  readonly #onChange: () => void;

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
        if (id !== undefined) this.#addEntry(kind, id, name);
      },
    });
    this.#show.append(this.#imports);
    this.#show.addEventListener('change', () => this.#addShow(this.#show.value));
    byId('entry-filter').append(this.#kind, combobox.element);
    const labelled = Object.entries(records).map(([name, { label, attributes }]) => {
      const input = el('input', { name, ...attributes });
      this.#inputs.set(name, input);
      return field(label, input);
    });
    byId('find').append(el('div.fields', ...labelled), pictureField(onPicture));
    for (const [name, input] of this.#inputs)
      input.addEventListener('change', () => {
        this.#take(name, input);
        this.#changed(name === 'order' ? onOrder : onChange);
      });
    this.#read();
  }

  /** The album whose order counts: the only one in the filters. */
  get album(): string | undefined {
    const [album, ...others] = this.#query.getAll('album');
    return others.length > 0 ? undefined : album?.slice(0, ID_LENGTH);
  }

  get isReversed(): boolean {
    return !this.#query.has('order') && this.album === undefined;
  }

  /** The query of the list. */
  get query(): URLSearchParams {
    const query = new URLSearchParams(this.#query.getAll('show').join('&'));
    for (const [name, value] of this.#query)
      if (isKind(name)) query.append(name, value.slice(0, ID_LENGTH));
      else if (['q', 'rating', 'like'].includes(name)) query.append(name, value);
    return query;
  }

  /** What the pictures of the list have to be read for; undefined if nothing. */
  get record(): RecordFilter | undefined {
    return toRecordFilter(Object.fromEntries(this.#query));
  }

  /** Nothing else counts any more, except the order. */
  only(filters: Record<string, string>): void {
    const order = this.#query.get('order');
    this.#query = new URLSearchParams({ ...filters, ...(order && { order }) });
    this.#fill();
    this.#changed();
  }

  /** Only the pictures of one import. */
  onlyImport(run: Change): void {
    this.#offerImport(importQuery(run.number), describeOption(run));
    this.only({ show: importQuery(run.number) });
  }

  /** Offers the last imports, and the one that is shown. */
  setImports(runs: Change[]): void {
    const shows = this.#query.getAll('show');
    const offered = runs.filter(({ added, changed }) => added + changed > 0).slice(0, MAX_IMPORTS);
    const shown = runs.filter(({ number }) => shows.includes(importQuery(number)));
    this.#imports.replaceChildren();
    for (const run of [...offered, ...shown]) this.#offerImport(importQuery(run.number), describeOption(run));
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
    for (const show of this.#query.getAll('show'))
      if (query === '' || show === query || (isImport && show.startsWith('run=')))
        this.#query.delete('show', show);
    if (query !== '') this.#query.append('show', query);
    this.#changed();
  }

  #addEntry(kind: Kind, id: string, name: string): void {
    for (const value of this.#query.getAll(kind)) if (value.startsWith(id)) this.#query.delete(kind, value);
    this.#query.append(kind, entryValue(id, name));
    this.#changed();
  }

  /** What a field has, if a browser accepts it: a date of an address may be anything. */
  #take(name: string, input: Input): void {
    const value = input.value.trim();
    if (value !== '' && input.checkValidity()) this.#query.set(name, value);
    else this.#query.delete(name);
  }

  #fill(): void {
    for (const [name, input] of this.#inputs) input.value = this.#query.get(name) ?? '';
  }

  #changed(listener = this.#onChange): void {
    const search = this.#query.toString();
    history.replaceState(history.state, '', `/${search && `?${search}`}${location.hash}`);
    this.#render();
    listener();
  }

  /** Chips that stay are the same elements: a click on one may end the input in a field first. */
  #render(): void {
    this.#show.value = this.#query.getAll('show').at(-1) ?? '';
    const box = byId('active-filters');
    const wanted = new Map(
      [...this.#query].map(([name, value]) => [this.#describe(name, value), { name, value }]),
    );
    wanted.delete('');
    for (const chip of [...box.children] as HTMLElement[])
      if (!wanted.delete(chip.dataset.name ?? '')) chip.remove();
    for (const [text, { name, value }] of wanted) {
      const remove = () => {
        this.#query.delete(name, value);
        this.#fill();
        this.#changed();
      };
      const attributes = { class: 'chip', 'data-name': text, 'aria-label': `Remove the filter ${text}` };
      box.append(button(`${text} ×`, remove, attributes));
    }
  }

  /** What a chip says; empty if the filter has none. */
  #describe(name: string, value: string): string {
    if (isKind(name)) return value.slice(ID_LENGTH + 1) || value;
    if (name === 'like') return 'like your picture';
    // The list names a single one.
    if (name === 'show')
      return this.#query.getAll(name).length > 1 ? (this.#optionOf(value)?.text ?? value) : '';
    const { chip = '' } = records[name] ?? {};
    return chip && `${chip} ${value}`;
  }

  /** From the address. */
  #read(): void {
    for (const [name, value] of new URLSearchParams(location.search)) {
      if (name === 'show') this.#offerImport(value);
      const input = this.#inputs.get(name);
      const isKnown =
        isKind(name) ||
        (name === 'show' && value !== '' && this.#optionOf(value)) ||
        (name === 'like' && /^[0-9a-f]{32}$/.test(value));
      if (isKnown) this.#query.append(name, value);
      else if (input) {
        input.value = value;
        this.#take(name, input);
      }
    }
    this.#fill();
    this.#render();
  }
}

// Filters by what no shelf tells, such as a path: the pictures of a list are searched slice by slice.

export type RecordFilter = RequestTo<'/data/matches'>['filter'];

/** As many as the server reads at once. */
const SLICE_SIZE = 2000;
/** More than anyone looks at: the search ends there. */
const MAX_FOUND = 10_000;

interface RecordField {
  label: string;
  /** What a chip says before the value. */
  chip: string;
  attributes: Record<string, string | number>;
}

const pixels = { type: 'number', min: 0, max: 1_000_000 };
/** By the name in the address. */
const records: Record<string, RecordField> = {
  /** What the search of the gallery understands. Shelves and the index of texts tell it. */
  q: { label: 'Search', chip: 'search:', attributes: { type: 'search', maxlength: 100 } },
  path: { label: 'File name or path', chip: 'file:', attributes: { type: 'search', maxlength: 200 } },
  since: { label: 'Added since', chip: 'since', attributes: { type: 'date' } },
  until: { label: 'Added until', chip: 'until', attributes: { type: 'date' } },
  min: { label: 'Longer side at least (px)', chip: 'at least px:', attributes: pixels },
  max: { label: 'Longer side at most (px)', chip: 'at most px:', attributes: pixels },
};

/** For people who cannot drop a picture. */
function pictureField(onPicture: (file: File) => void): HTMLElement {
  const choose = ([file]: File[]) => file && onPicture(file);
  const label = 'Look-alikes of a picture…';
  const picker = fileButton(label, 'button small', { accept: 'image/*' }, choose);
  return el('p.by-picture.quiet', picker, 'or drop it on the filters');
}

/** Days are those of this clock, and the last one counts. Undefined if nothing is filtered. */
export function toRecordFilter({
  path,
  since,
  until,
  min,
  max,
}: Record<string, string>): RecordFilter | undefined {
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

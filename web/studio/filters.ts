/** Which pictures are listed. The address has the filters, so that a reload keeps them. */
import type { Change, Kind, Rating, RequestTo } from '../../src/studio/contract.ts';
import { byId, el } from '../dom.ts';
import { describeOption } from './change.ts';
import { Combobox } from './combobox.ts';

const MAX_IMPORTS = 10;

const importQuery = (change: number) => `run=${change}`;

interface EntryFilter {
  kind: Kind;
  id: string;
  name: string;
}

export class Filters {
  readonly #show = byId<HTMLSelectElement>('show');
  readonly #rating = byId<HTMLSelectElement>('rating-filter');
  readonly #order = byId<HTMLSelectElement>('order');
  readonly #imports = el('optgroup', { label: 'One import' });
  readonly #kind = el('select', { 'aria-label': 'Filter by' });
  readonly #onChange: () => void;
  #entries: EntryFilter[] = [];

  /** `onOrder` is called when only the order has changed. */
  constructor(onChange: () => void, onOrder: () => void) {
    this.#onChange = onChange;
    for (const kind of ['category', 'artist', 'character'])
      this.#kind.append(el('option', { value: kind }, kind));
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
    this.#read();
    for (const select of [this.#show, this.#rating]) select.addEventListener('change', () => this.#changed());
    this.#order.addEventListener('change', () => {
      this.#write();
      onOrder();
    });
  }

  get isReversed(): boolean {
    return this.#order.value === '';
  }

  /** The query of the list. */
  get query(): RequestTo<'/data/images'> {
    const ids = Map.groupBy(this.#entries, ({ kind }) => kind);
    return {
      // The values of the list are queries.
      ...Object.fromEntries(new URLSearchParams(this.#show.value)),
      ...(this.#rating.value && { rating: this.#rating.value as Rating }),
      ...Object.fromEntries(Array.from(ids, ([kind, entries]) => [kind, entries.map(({ id }) => id)])),
    };
  }

  add(filter: EntryFilter): void {
    this.#entries = [...this.#entries.filter(({ id }) => id !== filter.id), filter];
    this.#changed();
  }

  /** Only the pictures of one entry. */
  only(filter: EntryFilter): void {
    this.#show.value = '';
    this.#rating.value = '';
    this.#entries = [];
    this.add(filter);
  }

  /** Offers the last imports, and the one that is shown. */
  setImports(runs: Change[]): void {
    const { value } = this.#show;
    const offered = runs.filter(({ added, changed }) => added + changed > 0).slice(0, MAX_IMPORTS);
    const shown = runs.filter((run) => importQuery(run.number) === value && !offered.includes(run));
    const options = [...offered, ...shown].map((run) =>
      el('option', { value: importQuery(run.number) }, describeOption(run)),
    );
    this.#imports.replaceChildren(...options);
    if (!options.some((option) => option.value === value)) this.#offerImport(value);
    this.#show.value = value;
  }

  /** Only the pictures of one import. */
  onlyImport(run: Change): void {
    this.#offerImport(importQuery(run.number), describeOption(run));
    this.#show.value = importQuery(run.number);
    this.#rating.value = '';
    this.#entries = [];
    this.#changed();
  }

  /** Its name may not be loaded yet, or the import is too old to be listed. */
  #offerImport(query: string, name = query.replace('run=', 'import ')): void {
    const isOffered = [...this.#show.options].some((option) => option.value === query);
    if (/^run=\d+$/.test(query) && !isOffered) this.#imports.append(el('option', { value: query }, name));
  }

  #changed(): void {
    this.#write();
    this.#render();
    this.#onChange();
  }

  #render(): void {
    byId('active-filters').replaceChildren(
      ...this.#entries.map((filter) =>
        el(
          'button',
          {
            type: 'button',
            class: 'chip',
            'aria-label': `Remove the filter ${filter.name}`,
            click: () => {
              this.#entries = this.#entries.filter((other) => other !== filter);
              this.#changed();
            },
          },
          `${filter.name} ×`,
        ),
      ),
    );
  }

  #write(): void {
    const query = new URLSearchParams();
    if (this.#show.value) query.set('show', this.#show.value);
    if (this.#rating.value) query.set('rating', this.#rating.value);
    if (this.#order.value) query.set('order', this.#order.value);
    for (const { kind, id, name } of this.#entries) query.append(kind, `${id} ${name}`);
    const search = query.toString();
    history.replaceState(null, '', `/${search ? `?${search}` : ''}${location.hash}`);
  }

  #read(): void {
    const query = new URLSearchParams(location.search);
    this.#offerImport(query.get('show') ?? '');
    for (const [select, name] of [
      [this.#show, 'show'],
      [this.#rating, 'rating'],
      [this.#order, 'order'],
    ] as const) {
      const value = query.get(name) ?? '';
      select.value = [...select.options].some((option) => option.value === value) ? value : '';
    }
    const kinds: Kind[] = ['category', 'artist', 'character'];
    this.#entries = kinds.flatMap((kind) =>
      query.getAll(kind).map((text) => ({ kind, id: text.slice(0, 36), name: text.slice(37) })),
    );
    this.#render();
  }
}

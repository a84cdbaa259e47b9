/** The list of artists, characters, categories or albums. */
import type { Kind, ListedEntry } from '../../src/studio/contract.ts';
import { byId, el } from '../dom.ts';
import { get } from './api.ts';
import { showDialog, textField } from './dialog.ts';
import { showEntry } from './entry-dialog.ts';
import { findNearEqual, nearKey } from './entry-names.ts';
import { explain } from './notices.ts';
import { makeStep } from './steps.ts';
import { formatNumber } from './text.ts';

/** More than anyone reads; the text field narrows it down. */
const MAX_SHOWN = 500;
const titles: Record<Kind, string> = {
  artist: 'Artists',
  category: 'Categories',
  character: 'Characters',
  album: 'Albums',
};

/** Pictures that have an entry. */
export interface EntryFilter {
  kind: Kind;
  id: string;
  name: string;
}

type ShowPictures = (filter: EntryFilter) => void;

export class EntryList {
  readonly #showPictures: ShowPictures;
  readonly #search = el('input', {
    type: 'search',
    placeholder: 'Find by name',
    'aria-label': 'Find by name',
  });
  readonly #which = el('select', { 'aria-label': 'Which entries' });
  readonly #rows = el('tbody', {});
  readonly #note = el('p', { class: 'quiet', role: 'status' });
  #kind: Kind = 'artist';
  #entries: ListedEntry[] = [];
  #request = new AbortController();

  constructor(showPictures: ShowPictures) {
    this.#showPictures = showPictures;
    const texts = { name: 'by name', images: 'most pictures first' };
    const filters = { unused: 'without pictures', near: 'with similar names' };
    for (const [value, text] of Object.entries({ ...texts, ...filters }))
      this.#which.append(el('option', { value }, text));
    this.#search.addEventListener('input', () => this.#render());
    this.#which.addEventListener('change', () => this.#render());
  }

  async show(kind: Kind): Promise<void> {
    if (kind !== this.#kind) {
      this.#search.value = '';
      this.#entries = [];
      this.#rows.replaceChildren();
    }
    this.#kind = kind;
    const create = () => this.#create();
    byId('lists').replaceChildren(
      el(
        'div',
        { class: 'filters' },
        el('h1', { tabindex: '-1' }, titles[kind]),
        ...[this.#note, this.#search, this.#which],
        el('button', { type: 'button', class: 'button small', click: create }, 'Create…'),
      ),
      el(
        'div',
        { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': titles[kind] },
        el(
          'table',
          {},
          el(
            'thead',
            {},
            el(
              'tr',
              {},
              ...['Name', 'Other names'].map((text) => el('th', { scope: 'col' }, text)),
              el('th', { scope: 'col', class: 'number' }, 'Pictures'),
            ),
          ),
          this.#rows,
        ),
      ),
    );
    await this.load();
  }

  /** Goes to those of a kind that have no pictures. */
  showUnused(kind: Kind): void {
    this.#which.value = 'unused';
    location.hash = `#${titles[kind].toLowerCase()}`;
  }

  async load(): Promise<void> {
    this.#request.abort();
    this.#request = new AbortController();
    try {
      this.#entries = await get('/data/entries', { kind: this.#kind }, this.#request.signal);
      this.#render();
    } catch (error) {
      explain(error);
    }
  }

  #render(): void {
    const key = nearKey(this.#search.value);
    const which = this.#which.value;
    const all = which === 'near' ? findNearEqual(this.#entries) : this.#entries;
    const found = all
      .filter(({ images }) => which !== 'unused' || images === 0)
      .filter(({ name, aliases }) => [name, ...aliases].some((text) => nearKey(text).includes(key)));
    if (which === 'images') found.sort((a, b) => b.images - a.images);
    const hidden = Math.max(0, found.length - MAX_SHOWN);
    this.#note.textContent = hidden
      ? `${formatNumber(found.length)}, the first ${MAX_SHOWN} shown`
      : formatNumber(found.length);
    // The keyboard stays where it was.
    const focused = this.#buttons().indexOf(document.activeElement as HTMLButtonElement);
    this.#rows.replaceChildren(...found.slice(0, MAX_SHOWN).map((entry) => this.#row(entry)));
    this.#buttons()[focused]?.focus();
  }

  #buttons(): HTMLButtonElement[] {
    return [...this.#rows.querySelectorAll('button')];
  }

  #row(entry: ListedEntry): HTMLElement {
    const { id, name, aliases, images } = entry;
    const edit = () => showEntry(this.#kind, entry, () => this.load());
    const pictures = () => this.#showPictures({ kind: this.#kind, id, name });
    return el(
      'tr',
      {},
      el('th', { scope: 'row' }, el('button', { type: 'button', class: 'link', click: edit }, name)),
      el('td', { class: 'quiet' }, aliases.join(', ')),
      el(
        'td',
        { class: 'number' },
        el(
          'button',
          {
            type: 'button',
            class: 'link',
            'aria-label': `${formatNumber(images)}: show the pictures of ${name}`,
            click: pictures,
          },
          formatNumber(images),
        ),
      ),
    );
  }

  #create(): void {
    const name = textField('Name', '');
    const press = async () => {
      try {
        const body = { kind: this.#kind, name: name.input.value.trim() };
        await makeStep('/change/entry/create', body);
        await this.load();
        return true;
      } catch (error) {
        explain(error);
        return false;
      }
    };
    showDialog(
      `Create ${/^a/.test(this.#kind) ? 'an' : 'a'} ${this.#kind}`,
      [name.element],
      [{ label: 'Create', isStrong: true, press }, { label: 'Cancel' }],
    );
  }
}

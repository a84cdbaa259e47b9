/** Categories at hand: those used last, then the most frequent ones, each with a key, and those of pictures nearby. */
import type { Counted, ImageEdit } from '../../../src/studio/contract.ts';
import { byId, el } from '../../dom.ts';
import { get, post } from '../shared/api.ts';
import type { Choice } from '../shared/combobox.ts';
import { button, showDialog } from '../shared/elements.ts';
import { explain, notify } from '../shared/notices.ts';

export const TAG_KEYS = ['4', '5', '6', '7', '8', '9', '0'];
const STORED = 'categories';
/** Of a list that is pasted. */
const MAX_NAMES = 100;
/** Of selected pictures whose neighbours are looked at. */
const MAX_NEAR = 20;

export class Tags {
  readonly #slots = el('ul.tags', { 'aria-label': 'Categories at hand' });
  readonly #near = el('ul.tags.near', { 'aria-label': 'Categories of pictures nearby' });
  readonly element = el('div', this.#slots, this.#near);
  readonly #edit: (edit: ImageEdit) => void;
  #chosen: Choice[] = [];
  #request = new AbortController();

  constructor(edit: (edit: ImageEdit) => void) {
    this.#edit = edit;
    void this.load();
  }

  /** Of the pictures that are selected now. */
  show(ids: string[]): void {
    this.#request.abort();
    this.#request = new AbortController();
    if (ids.length === 0) return;
    const { signal } = this.#request;
    post('/data/neighbours', { ids: ids.slice(0, MAX_NEAR) }, signal).then(
      (found) => this.#showNear(found),
      // Nobody waits for them, and the summary says what is wrong.
      () => {},
    );
  }

  /** Those at hand stay where they are, so that their keys do. */
  use(choice: Choice): void {
    if (this.#chosen.some((other) => other.name === choice.name)) return;
    this.#chosen = [choice, ...this.#chosen].slice(0, TAG_KEYS.length);
    sessionStorage.setItem(STORED, JSON.stringify(this.#chosen.map(({ name }) => name)));
    this.#render();
  }

  /** Adds one of those at hand to the selected pictures. A key right after another selection means that one. */
  add(index: number): void {
    const choice = this.#chosen[index];
    if (choice) this.#edit({ addCategories: [choice.id ?? choice.name], create: choice.id === undefined });
  }

  /** Those that were renamed or removed meanwhile are no longer as they were stored. */
  async load(): Promise<void> {
    try {
      const names: string[] = JSON.parse(sessionStorage.getItem(STORED) ?? '[]');
      const stored = names.length > 0 ? await post('/data/names', { kind: 'category', names }) : [];
      const recent = stored.flatMap(({ id, name }) => (id === undefined ? [] : [{ id, name }]));
      const frequent = await get('/data/suggestions', { kind: 'category', text: '' });
      const ids = new Set(recent.map(({ id }) => id));
      const others = frequent.filter(({ id, images }) => images > 0 && !ids.has(id));
      this.#chosen = [...recent, ...others].slice(0, TAG_KEYS.length);
      this.#render();
    } catch (error) {
      explain(error);
    }
  }

  #render(): void {
    const chip = (choice: Choice, index: number) =>
      el(
        'button',
        {
          type: 'button',
          class: 'chip',
          'aria-keyshortcuts': TAG_KEYS[index],
          click: () => this.add(index),
        },
        el('kbd', { 'aria-hidden': 'true' }, TAG_KEYS[index] ?? ''),
        choice.name,
      );
    this.#slots.replaceChildren(...this.#chosen.map((choice, index) => el('li', chip(choice, index))));
  }

  #showNear(found: Counted[]): void {
    const atHand = new Set(this.#chosen.map(({ name }) => name));
    const chips = found
      .filter(({ name }) => !atHand.has(name))
      .map(({ id, name }) =>
        button(
          `+ ${name}`,
          () => {
            this.use({ id, name });
            this.#edit({ addCategories: [id] });
          },
          {
            class: 'chip',
            title: 'Pictures nearby have it',
            'aria-label': `Add ${name}, which pictures nearby have`,
          },
        ),
      );
    this.#near.replaceChildren(...chips.map((chip) => el('li', chip)));
  }
}

/** What adds all these categories. Asks once whether to create those that do not exist; undefined if nothing is to be added. */
export async function addAll(names: string[]): Promise<ImageEdit | undefined> {
  if (names.length > MAX_NAMES) notify(`Only the first ${MAX_NAMES} names are added.`);
  const found = await post('/data/names', { kind: 'category', names: names.slice(0, MAX_NAMES) });
  const known = found.flatMap(({ id }) => id ?? []);
  const missing = found.filter(({ id }) => id === undefined).map(({ name }) => name);
  const create = missing.length > 0 ? await askToCreate(missing, known.length) : false;
  if (create === undefined) return undefined;
  const addCategories = create ? [...known, ...missing] : known;
  return addCategories.length > 0 ? { addCategories, create } : undefined;
}

/** Undefined if nothing is to be added at all. */
function askToCreate(missing: string[], known: number): Promise<boolean | undefined> {
  const title = missing.length === 1 ? 'Create a category?' : `Create ${missing.length} categories?`;
  const subject = missing.length === 1 ? 'This does' : 'These do';
  const { promise, resolve } = Promise.withResolvers<boolean | undefined>();
  const choose = (answer: boolean) => () => {
    resolve(answer);
    return true;
  };
  showDialog(
    title,
    [el('p', `${subject} not exist yet: ${missing.join(', ')}.`)],
    [
      { label: 'Create and add', isStrong: true, press: choose(true) },
      ...(known > 0 ? [{ label: 'Add only the others', press: choose(false) }] : []),
      { label: 'Cancel' },
    ],
  );
  byId('dialog').addEventListener('close', () => resolve(undefined), { once: true });
  return promise;
}

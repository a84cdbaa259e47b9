/** A text field that suggests entries while one types. Enter takes the marked one, or creates a new one. */
import { el } from '../dom.ts';
import { type Counted, get } from './api.ts';
import { explain } from './notices.ts';

export type Kind = 'artist' | 'category' | 'character';

export interface Choice {
  /** Undefined for a new entry. */
  id: string | undefined;
  name: string;
}

export interface ComboboxOptions {
  label: string;
  /** Called when the field gets the text; the kind may change meanwhile. */
  kind(): Kind;
  mayCreate: boolean;
  onChoose(choice: Choice): void;
}

let count = 0;

export class Combobox {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  readonly #list: HTMLElement;
  readonly #options: ComboboxOptions;
  #choices: Choice[] = [];
  #active = -1;
  #request = new AbortController();

  constructor(options: ComboboxOptions) {
    this.#options = options;
    const id = `choices-${++count}`;
    this.#list = el('ul', { id, role: 'listbox', 'aria-label': options.label, hidden: true });
    this.input = el('input', {
      ...{
        type: 'text',
        role: 'combobox',
        autocomplete: 'off',
        spellcheck: 'false',
        placeholder: options.label,
      },
      ...{
        'aria-label': options.label,
        'aria-expanded': 'false',
        'aria-controls': id,
        'aria-autocomplete': 'list',
      },
      input: () => void this.#suggest(),
      focus: () => void this.#suggest(),
      blur: () => this.#close(),
      keydown: (event) => this.#press(event as KeyboardEvent),
    });
    this.element = el('div', { class: 'combobox' }, this.input, this.#list);
  }

  async #suggest(): Promise<void> {
    this.#request.abort();
    this.#request = new AbortController();
    const text = this.input.value.trim();
    const { kind, mayCreate } = this.#options;
    try {
      const query = new URLSearchParams({ kind: kind(), text });
      const found = await get<Counted[]>(`/data/suggestions?${query}`, this.#request.signal);
      const hasExact = found.some(({ name }) => name.toLowerCase() === text.toLowerCase());
      const created = mayCreate && text !== '' && !hasExact ? [{ id: undefined, name: text }] : [];
      this.#choices = [...found, ...created];
      this.#active = text === '' ? -1 : 0;
      this.#list.replaceChildren(
        ...found.map(({ name, images }, index) => this.#option(index, name, String(images))),
        ...created.map(() => this.#option(found.length, `Create “${text}”`, '')),
      );
      this.#mark(document.activeElement === this.input && this.#choices.length > 0);
    } catch (error) {
      explain(error);
    }
  }

  #option(index: number, name: string, images: string): HTMLElement {
    return el(
      'li',
      {
        ...{ role: 'option', id: `${this.#list.id}-${index}` },
        // Before the field loses the focus, which closes the list.
        mousedown: (event) => {
          event.preventDefault();
          this.#choose(index);
        },
      },
      el('span', {}, name),
      el('span', { class: 'quiet' }, images),
    );
  }

  #press(event: KeyboardEvent): void {
    const isOpen = !this.#list.hidden;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const { length } = this.#choices;
      if (length === 0) return;
      const from = this.#active < 0 && event.key === 'ArrowUp' ? 0 : this.#active;
      this.#active = (from + (event.key === 'ArrowDown' ? 1 : -1) + length) % length;
      this.#mark(true);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      this.#choose(this.#active);
    } else if (event.key === 'Escape' && isOpen && this.input.value !== '') {
      event.stopPropagation();
      this.input.value = '';
      this.#close();
    }
  }

  #choose(index: number): void {
    const choice = this.#choices[index];
    if (!choice) return;
    this.input.value = '';
    this.#close();
    this.#options.onChoose(choice);
  }

  #mark(isOpen: boolean): void {
    this.#list.hidden = !isOpen;
    this.input.setAttribute('aria-expanded', String(isOpen));
    for (const [index, option] of [...this.#list.children].entries()) {
      option.setAttribute('aria-selected', String(index === this.#active));
      if (index === this.#active) option.scrollIntoView({ block: 'nearest' });
    }
    if (isOpen && this.#active >= 0)
      this.input.setAttribute('aria-activedescendant', `${this.#list.id}-${this.#active}`);
    else this.input.removeAttribute('aria-activedescendant');
  }

  #close(): void {
    this.#request.abort();
    this.#mark(false);
  }
}

/** A text field that suggests entries while one types. Enter takes the marked one, or creates a new one. */
import type { Kind } from '../../../src/studio/contract.ts';
import { el } from '../../dom.ts';
import { get, LastWork } from './api.ts';
import { explain, notify, splitNames } from './notices.ts';

export interface Choice {
  /** Undefined for a new entry. */
  id: string | undefined;
  name: string;
  images?: number;
}

interface ComboboxOptions {
  label: string;
  /** Called when the field gets the text; the kind may change meanwhile. */
  kind(): Kind;
  mayCreate: boolean;
  /**
   * Called at once, even if Enter is faster than the suggestions. Undefined if nothing has that name. What the choice is for
   * must not depend on when it arrives.
   */
  onChoose(choice: Promise<Choice | undefined>): void;
  /** A list of names was pasted. */
  onList?(names: string[]): void;
}

export class Combobox {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  readonly #list: HTMLElement;
  readonly #options: ComboboxOptions;
  #suggestions: Choice[] = [];
  #active = -1;
  readonly #request = new LastWork();
  /** Whether the suggestions belong to the text in the field. */
  #isCurrent = false;

  constructor(options: ComboboxOptions) {
    this.#options = options;
    const id = `choices-${crypto.getRandomValues(new Uint32Array(1))}`;
    this.#list = el('ul', { id, role: 'listbox', 'aria-label': options.label, hidden: true });
    this.input = el('input', {
      type: 'text',
      role: 'combobox',
      autocomplete: 'off',
      spellcheck: 'false',
      placeholder: options.label,
      'aria-label': options.label,
      'aria-expanded': 'false',
      'aria-controls': id,
      'aria-autocomplete': 'list',
      input: () => void this.#suggest(),
      focus: () => void this.#suggest(),
      blur: () => this.#close(),
      paste: (event) => this.#paste(event as ClipboardEvent),
      keydown: (event) => this.#press(event as KeyboardEvent),
    });
    this.element = el('div.combobox', this.input, this.#list);
  }

  #suggest(): Promise<void> {
    this.#isCurrent = false;
    const text = this.input.value.trim();
    return this.#request.start(async (signal) => {
      const found = await this.#load(text, signal);
      if (signal.aborted) return;
      this.#suggestions = found;
      this.#isCurrent = true;
      this.#active = text === '' ? -1 : 0;
      this.#list.replaceChildren(...this.#suggestions.map((found, index) => this.#option(found, index)));
      this.#mark(document.activeElement === this.input && this.#suggestions.length > 0);
    });
  }

  async #load(text: string, signal?: AbortSignal): Promise<Choice[]> {
    const found = await get('/data/suggestions', { kind: this.#options.kind(), text }, signal);
    const hasExact = found.some(({ name }) => name.toLowerCase() === text.toLowerCase());
    const mayCreate = this.#options.mayCreate && text !== '' && !hasExact;
    return mayCreate ? [...found, { id: undefined, name: text }] : found;
  }

  #option({ id, name, images = 0 }: Choice, index: number): HTMLElement {
    return el(
      'li',
      {
        role: 'option',
        id: `${this.#list.id}-${index}`,
        // Before the field loses the focus, which closes the list.
        mousedown: (event) => {
          event.preventDefault();
          this.#choose(Promise.resolve(this.#suggestions[index]));
        },
      },
      el('span', id === undefined ? `Create “${name}”` : name),
      el('span.quiet', id === undefined ? '' : String(images)),
    );
  }

  #press(event: KeyboardEvent): void {
    // Enter and the arrow keys also choose characters of an input method.
    if (event.isComposing) return;
    const isOpen = !this.#list.hidden;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (!this.#isCurrent) return void this.#suggest();
      const { length } = this.#suggestions;
      if (length === 0) return;
      const from = this.#active < 0 && event.key === 'ArrowUp' ? 0 : this.#active;
      this.#active = (from + (event.key === 'ArrowDown' ? 1 : -1) + length) % length;
      this.#mark(true);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      this.#enter();
    } else if (event.key === 'Escape' && isOpen && this.input.value !== '') {
      event.stopPropagation();
      this.input.value = '';
      this.#close();
    }
  }

  #paste(event: ClipboardEvent): void {
    const names = splitNames(event.clipboardData?.getData('text') ?? '');
    if (!this.#options.onList || names.length < 2) return;
    event.preventDefault();
    this.#close();
    this.#options.onList(names);
  }

  #enter(): void {
    const text = this.input.value.trim();
    const marked = this.#suggestions[this.#active];
    if (!this.#isCurrent && text !== '') this.#choose(this.#findFirst(text));
    else if (this.#isCurrent && marked) this.#choose(Promise.resolve(marked));
  }

  /** For a person who types faster than the suggestions arrive. */
  async #findFirst(text: string): Promise<Choice | undefined> {
    try {
      const [first] = await this.#load(text);
      if (!first) notify(`There is no ${this.#options.kind()} “${text}”.`);
      return first;
    } catch (error) {
      explain(error);
      return undefined;
    }
  }

  #choose(choice: Promise<Choice | undefined>): void {
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
    this.#isCurrent = false;
    this.#mark(false);
  }
}

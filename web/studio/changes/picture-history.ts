/** The changes of the selected picture. They are loaded when somebody looks. */
import { el } from '../../dom.ts';
import type { Steps } from '../saving/steps.ts';
import { get } from '../shared/api.ts';
import { explain } from '../shared/notices.ts';
import { changeRow } from './change-row.ts';

/** The last changes show at once what was before. */
const FIRST_OPEN = 3;

export class PictureHistory {
  readonly #steps: Steps;
  readonly #list = el('ul', { class: 'changes narrow' });
  readonly #note = el('p', { class: 'quiet', role: 'status' });
  readonly element = el(
    'details',
    { class: 'history', hidden: true },
    el('summary', {}, el('h3', {}, 'History')),
    this.#note,
    this.#list,
  );
  #id: string | undefined;
  #request = new AbortController();

  constructor(steps: Steps) {
    this.#steps = steps;
    this.element.addEventListener('toggle', () => void this.#load());
  }

  /** Undefined if there is not exactly one picture. */
  show(id: string | undefined): void {
    this.element.hidden = id === undefined;
    if (id !== this.#id) this.#list.replaceChildren();
    this.#id = id;
    void this.#load();
  }

  async #load(): Promise<void> {
    this.#request.abort();
    const id = this.#id;
    if (!this.element.open || id === undefined) return;
    this.#request = new AbortController();
    try {
      const changes = await get('/data/history', { image: id }, this.#request.signal);
      this.#note.textContent = changes.length === 0 ? 'No changes of this picture.' : '';
      this.#list.replaceChildren(
        ...changes.map((change, index) =>
          changeRow(this.#steps, change, { image: id, isOpen: index < FIRST_OPEN }),
        ),
      );
    } catch (error) {
      explain(error);
    }
  }
}

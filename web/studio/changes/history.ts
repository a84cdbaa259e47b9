/** Lists of changes: the page with those of imports, commands and the studio, and the changes of the selected picture. */
import type { Change } from '../../../src/studio/contract.ts';
import { el } from '../../dom.ts';
import type { Steps } from '../saving/steps.ts';
import { get, LastWork } from '../shared/api.ts';
import { choice, field, showPage } from '../shared/elements.ts';
import { formatNumber } from '../shared/notices.ts';
import { changeRow, ORIGINS } from './change-row.ts';

/** As many as the server sends. */
const MAX_LISTED = 200;

export class HistoryPage {
  readonly #steps: Steps;
  readonly #origin = choice({ '': 'any', ...ORIGINS });
  readonly #since = el('input', { type: 'date' });
  readonly #note = el('p.quiet', { role: 'status' });
  readonly #list = el('ul.changes');
  readonly #controls = [this.#note, field('Made by', this.#origin), field('Since', this.#since)];
  readonly #request = new LastWork();

  constructor(steps: Steps) {
    this.#steps = steps;
    for (const filter of [this.#origin, this.#since])
      filter.addEventListener('change', () => void this.#load());
  }

  async show(): Promise<void> {
    // The keyboard stays where it is.
    if (!this.#list.isConnected) showPage('History', this.#controls, 'Changes', this.#list);
    await this.#load();
  }

  #load(): Promise<void> {
    const [origin, since] = [this.#origin.value as Change['origin'] | '', this.#since.value];
    const query = {
      ...(origin && { origin }),
      // The start of the day where the reader is.
      ...(since && { since: new Date(`${since}T00:00`).toISOString() }),
    };
    return this.#request.start(async (signal) => this.#render(await get('/data/history', query, signal)));
  }

  #render(changes: Change[]): void {
    const count = changes.length;
    if (count === 0) this.#note.textContent = 'No changes.';
    else this.#note.textContent = count < MAX_LISTED ? formatNumber(count) : `The last ${MAX_LISTED}`;
    const focused = document.activeElement?.closest<HTMLElement>('#lists .changes li')?.dataset.number;
    const open = new Set(
      Array.from(
        this.#list.querySelectorAll<HTMLElement>('li:has(> details[open])'),
        (row) => row.dataset.number,
      ),
    );
    this.#list.replaceChildren(
      ...changes.map((change) => changeRow(change, this.#steps, { isOpen: open.has(String(change.number)) })),
    );
    if (focused) this.#list.querySelector<HTMLElement>(`[data-number="${focused}"] summary`)?.focus();
  }
}

// The changes of the selected picture. They are loaded when somebody looks.

/** The last changes show at once what was before. */
const FIRST_OPEN = 3;

export class PictureHistory {
  readonly #steps: Steps;
  readonly #list = el('ul.changes.narrow');
  readonly #note = el('p.quiet', { role: 'status' });
  readonly element = el(
    'details.history',
    { hidden: true },
    el('summary', el('h3', 'History')),
    this.#note,
    this.#list,
  );
  #id: string | undefined;
  readonly #request = new LastWork();

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
    await this.#request.start(async (signal) => {
      const changes = await get('/data/history', { image: id }, signal);
      this.#note.textContent = changes.length === 0 ? 'No changes of this picture.' : '';
      this.#list.replaceChildren(
        ...changes.map((change, index) =>
          changeRow(change, this.#steps, { image: id, isOpen: index < FIRST_OPEN }),
        ),
      );
    });
  }
}

/** The page with all changes: of imports, commands and the studio. */
import type { Change } from '../../../src/studio/contract.ts';
import { byId, el } from '../../dom.ts';
import { changeRow, ORIGINS } from '../changes/change-row.ts';
import type { Steps } from '../saving/steps.ts';
import { get } from '../shared/api.ts';
import { explain, formatNumber } from '../shared/notices.ts';

/** As many as the server sends. */
const MAX_LISTED = 200;

export class HistoryPage {
  readonly #steps: Steps;
  readonly #origin = el(
    'select',
    {},
    el('option', { value: '' }, 'any'),
    ...Object.entries(ORIGINS).map(([value, name]) => el('option', { value }, name)),
  );
  readonly #since = el('input', { type: 'date' });
  readonly #note = el('p', { class: 'quiet', role: 'status' });
  readonly #list = el('ul', { class: 'changes' });
  readonly #elements = [
    el(
      'div',
      { class: 'filters' },
      el('h1', { tabindex: '-1' }, 'History'),
      this.#note,
      el('label', { class: 'field' }, el('span', {}, 'Made by'), this.#origin),
      el('label', { class: 'field' }, el('span', {}, 'Since'), this.#since),
    ),
    el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Changes' }, this.#list),
  ];
  #request = new AbortController();

  constructor(steps: Steps) {
    this.#steps = steps;
    for (const filter of [this.#origin, this.#since])
      filter.addEventListener('change', () => void this.#load());
  }

  async show(): Promise<void> {
    // The keyboard stays where it is.
    if (!this.#list.isConnected) byId('lists').replaceChildren(...this.#elements);
    await this.#load();
  }

  async #load(): Promise<void> {
    this.#request.abort();
    this.#request = new AbortController();
    const [origin, since] = [this.#origin.value as Change['origin'] | '', this.#since.value];
    const query = {
      ...(origin && { origin }),
      // The start of the day where the reader is.
      ...(since && { since: new Date(`${since}T00:00`).toISOString() }),
    };
    try {
      this.#render(await get('/data/history', query, this.#request.signal));
    } catch (error) {
      explain(error);
    }
  }

  #render(changes: Change[]): void {
    const count = changes.length;
    if (count === 0) this.#note.textContent = 'No change is recorded.';
    else this.#note.textContent = count < MAX_LISTED ? formatNumber(count) : `The last ${MAX_LISTED}`;
    const focused = document.activeElement?.closest<HTMLElement>('#lists .changes li')?.dataset.number;
    const open = new Set(
      Array.from(
        this.#list.querySelectorAll<HTMLElement>('li:has(> details[open])'),
        (row) => row.dataset.number,
      ),
    );
    this.#list.replaceChildren(
      ...changes.map((change) => changeRow(this.#steps, change, { isOpen: open.has(String(change.number)) })),
    );
    if (focused) this.#list.querySelector<HTMLElement>(`[data-number="${focused}"] summary`)?.focus();
  }
}

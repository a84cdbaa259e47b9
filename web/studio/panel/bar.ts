/** The actions for fingers: a bar at the bottom, the fields as a sheet above it, and what small screens fold away. */
import type { Rating, SelectionSummary } from '../../../src/studio/contract.ts';
import { byId } from '../../dom.ts';
import { formatNumber } from '../shared/notices.ts';
import { RATINGS } from './panel.ts';

const BUTTONS = ['clear', 'several', 'all', 'view', 'grid', 'repeat', 'undo', 'remove', 'next'] as const;

interface BarActions extends Record<(typeof BUTTONS)[number], () => void> {
  rate(rating: Rating): void;
  /** The fields were opened or closed. */
  onSheet(): void;
}

export class Bar {
  readonly #bar = byId('bar');
  readonly #actions: BarActions;

  constructor(actions: BarActions) {
    this.#actions = actions;
    for (const name of BUTTONS) this.#button(name).addEventListener('click', () => actions[name]());
    for (const rating of RATINGS) this.#button(rating).addEventListener('click', () => actions.rate(rating));
    this.#button('edit').addEventListener('click', () => this.#toggleSheet());
    byId('more-filters').addEventListener('click', () => fold('more-filters', 'filters'));
    byId('menu').addEventListener('click', () => fold('menu', 'nav'));
    // A menu is done when somebody has chosen.
    byId('nav').addEventListener('click', () => fold('menu', 'nav', true));
  }

  show(selected: number, isSelecting: boolean): void {
    byId('main').classList.toggle('has-selection', selected > 0);
    byId('main').classList.toggle('is-selecting', isSelecting);
    byId('selected-count').textContent = formatNumber(selected);
    this.#button('clear').setAttribute('aria-label', `Deselect ${formatNumber(selected)}`);
    this.#button('several').setAttribute('aria-pressed', String(isSelecting));
  }

  showRatings(ratings: SelectionSummary['ratings'], images: number): void {
    for (const rating of RATINGS)
      this.#button(rating).setAttribute('aria-pressed', String(ratings[rating] === images));
  }

  /** Where the fields are not always in sight. */
  openSheet(): void {
    if (!byId('main').classList.contains('has-sheet')) this.#toggleSheet();
  }

  #toggleSheet(): void {
    const isOpen = byId('main').classList.toggle('has-sheet');
    this.#button('edit').setAttribute('aria-expanded', String(isOpen));
    byId('panel').scrollTop = 0;
    this.#actions.onSheet();
  }

  #button(name: string): HTMLElement {
    return this.#bar.querySelector(`[value="${name}"]`) as HTMLElement;
  }
}

/** Hides what a button shows where the stylesheet for small screens hides it, or shows it if it is hidden. */
function fold(button: string, target: string, isFolded = byId(target).classList.contains('open')): void {
  byId(target).classList.toggle('open', !isFolded);
  byId(button).setAttribute('aria-expanded', String(!isFolded));
}

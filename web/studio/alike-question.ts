/** A new picture next to those that it looks like: keep both, replace one of them, or skip the new one. */
import type { Found } from '../../src/studio/contract.ts';
import { el } from '../dom.ts';
import { cardButton, describeFacts, describeFile, pictureCard } from './picture-card.ts';

/** A picture is the one to replace. */
export type Decision = 'keep' | 'skip' | Found;

export class AlikeQuestion {
  readonly element: HTMLElement;
  /** The one that the new picture looks like most. */
  readonly nearest: Found;
  readonly #address: string;
  readonly #onDecide: (decision: Decision) => void;
  #isDecided = false;

  constructor(file: File, found: Found[], onDecide: (decision: Decision) => void) {
    this.#onDecide = onDecide;
    this.nearest = found[0] as Found;
    this.#address = URL.createObjectURL(file);
    const replace = (picture: Found) => {
      const label = `Replace this: ${picture.label}, ${describeFacts(picture)}, by ${file.name}`;
      return cardButton('Replace this', label, () => this.decide(picture));
    };
    this.element = el(
      'li',
      { class: 'question' },
      `${file.name} looks like ${found.length === 1 ? 'another picture' : 'other pictures'}:`,
      el(
        'ul',
        { class: 'alike' },
        this.#newCard(file),
        ...found.map((picture) => pictureCard(picture, replace(picture))),
      ),
    );
  }

  decide(decision: Decision): void {
    if (this.#isDecided) return;
    this.#isDecided = true;
    for (const button of this.element.querySelectorAll('button')) button.disabled = true;
    URL.revokeObjectURL(this.#address);
    this.#onDecide(decision);
  }

  #newCard(file: File): HTMLElement {
    const facts = el('p', { class: 'quiet' }, describeFile(file));
    const image: HTMLImageElement = el('img', {
      src: this.#address,
      alt: `New: ${file.name}`,
      decoding: 'async',
      load: () => facts.prepend(`${image.naturalWidth} × ${image.naturalHeight} · `),
    });
    return el(
      'li',
      {},
      image,
      el('p', {}, 'The new picture'),
      facts,
      el(
        'div',
        { class: 'actions' },
        cardButton('Keep both', `Keep both: add ${file.name}`, () => this.decide('keep')),
        cardButton('Skip', `Skip ${file.name}`, () => this.decide('skip')),
      ),
    );
  }
}

/** An image on the page: shows its placeholder until it has loaded, and renews its links when they have expired. */
import { getLatestLinks } from './cache.ts';
import { el } from './dom.ts';
import { needsRenewal, renewLinks } from './links.ts';
import { createPlaceholder } from './placeholder.ts';
import type { Source } from './sources.ts';
import type { Shown } from './types.ts';

export class Picture {
  /** The placeholder and, above it, the image. */
  readonly elements: HTMLElement[];
  readonly #element: HTMLImageElement;
  /** Has the links that are in use. */
  #image: Shown;
  #chooseSources: (image: Shown) => Source[];
  /** In CSS pixels; 0 if it is not known yet. */
  #width = 0;
  #isWanted = false;

  constructor(image: Shown, alt: string, chooseSources: (image: Shown) => Source[]) {
    const { width, height } = image.meta.dimens;
    this.#image = image;
    this.#chooseSources = chooseSources;
    this.#element = el('img', {
      width,
      height,
      alt,
      decoding: 'async',
      draggable: 'false',
      load: () => this.#setState('loaded'),
      error: () => this.#retry(),
    });
    this.elements = [...createPlaceholder(image.meta.thumbHash), this.#element];
  }

  get isLoaded(): boolean {
    return this.#element.complete && this.#element.naturalWidth > 0;
  }

  /** Sets the width on the page. A smaller one changes nothing, because a larger file may already be there. */
  fit(width: number): void {
    if (width <= this.#width) return;
    this.#width = Math.ceil(width);
    if (this.#isWanted) void this.#update();
  }

  /** Loads the image when its width is known. After a failure, tries again. */
  load(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    if (this.#width > 0) void this.#update();
  }

  /** Loads other files of the image. What was loaded before stays until then. */
  use(chooseSources: (image: Shown) => Source[]): void {
    if (chooseSources === this.#chooseSources) return;
    this.#chooseSources = chooseSources;
    // Otherwise nothing would be there while the larger file is decoded.
    this.#element.decoding = 'sync';
    if (this.#isWanted && this.#width > 0) void this.#update();
  }

  async #update(): Promise<void> {
    const latest = getLatestLinks(this.#image.id) ?? this.#image;
    const image = needsRenewal(latest) ? await renewLinks(latest) : latest;
    if (image) this.#request(image);
    else this.#fail();
  }

  async #retry(): Promise<void> {
    this.#setState('');
    const image = await renewLinks(this.#image);
    if (image) this.#request(image);
    else this.#fail();
  }

  #request(image: Shown): void {
    this.#image = image;
    const sources = this.#chooseSources(image);
    if (sources.length === 0) this.#setState('');
    const list = sources.map(({ url, width }) => `${url} ${width}w`).join(', ');
    this.#set('sizes', `${this.#width}px`);
    this.#set('srcset', sources.length > 1 ? list : undefined);
    this.#set('src', sources[0]?.url);
  }

  /** Keeps what was loaded before. Without an address, the browser shows no icon of a broken image. */
  #fail(): void {
    this.#isWanted = false;
    if (this.#element.className === 'loaded') return;
    this.#set('srcset', undefined);
    this.#set('src', undefined);
    this.#setState('failed');
  }

  #setState(state: 'loaded' | 'failed' | ''): void {
    this.#element.className = state;
  }

  /** Setting the same value again would load the image again. */
  #set(name: string, value: string | undefined): void {
    if (value === undefined) this.#element.removeAttribute(name);
    else if (this.#element.getAttribute(name) !== value) this.#element.setAttribute(name, value);
  }
}

/** Pictures that load when they come near the screen. */
import type { Picture } from './picture.ts';

/** How far outside the screen images are loaded. */
const LOAD_MARGIN = '1000px 0px';

/**
 * Browsers can load lazily by themselves, but would use links that have expired. Elements stay observed, so what failed is
 * tried again the next time.
 */
export class LazyPictures {
  readonly #pictures = new Map<Element, Picture>();
  readonly #nearScreen = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries)
        if (isIntersecting) this.#pictures.get(target)?.load();
    },
    { rootMargin: LOAD_MARGIN },
  );

  constructor() {
    // Tries again what failed without a connection. A new observation reports at once.
    addEventListener('online', () => {
      for (const element of this.#pictures.keys())
        if (element.querySelector('.failed')) {
          this.#nearScreen.unobserve(element);
          this.#nearScreen.observe(element);
        }
    });
  }

  /** `element` contains the picture. It does not load before `observe`. */
  add(element: Element, picture: Picture): void {
    this.#pictures.set(element, picture);
  }

  observe(element: Element): void {
    this.#nearScreen.observe(element);
  }

  get(element: Element): Picture | undefined {
    return this.#pictures.get(element);
  }

  clear(): void {
    this.#nearScreen.disconnect();
    this.#pictures.clear();
  }
}

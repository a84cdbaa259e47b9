/** The images below the properties that look like the open one. */
import { loadSimilar } from './api.ts';
import { blurUnlessSafe } from './blur.ts';
import { put } from './cache.ts';
import { el } from './dom.ts';
import { ensureState } from './history-state.ts';
import { Picture } from './picture.ts';
import { type Filter, formatUrl, noFilter, parseRoute } from './route.ts';
import { gridSources } from './sources.ts';
import { describeImage } from './text.ts';
import type { GalleryImage } from './types.ts';

const MAX_CACHED = 50;
/** The width of an image in CSS pixels, in which it is cropped to a square. */
const WIDTH = 130;
/** By the id of the image that they are similar to, and the filter. */
const cache = new Map<string, GalleryImage[]>();

export interface Similar {
  element: HTMLElement;
  /** Loads them when they come into view, because the service allows one request per second. */
  load(): void;
  stop(): void;
}

export function createSimilar(id: string): Similar {
  const element = el('section', { class: 'similar' });
  const controller = new AbortController();
  let isWanted = false;
  const show = async () => {
    try {
      const filter = currentFilter();
      const key = JSON.stringify([id, filter]);
      const images = cache.get(key) ?? (await loadSimilar(id, filter, { signal: controller.signal }));
      put(cache, key, images, MAX_CACHED);
      if (images.length === 0) return;
      element.append(el('h3', {}, 'Similar pictures'), el('ul', {}, ...images.map(createItem)));
    } catch {
      // The image is complete without them.
    }
  };
  const inView = new IntersectionObserver((entries) => {
    if (!entries.at(-1)?.isIntersecting) return;
    inView.disconnect();
    void show();
  });
  return {
    element,
    load() {
      if (!isWanted) inView.observe(element);
      isWanted = true;
    },
    stop() {
      inView.disconnect();
      controller.abort();
    },
  };
}

/** Those of the view, or of the visitor. */
function currentFilter(): Filter {
  const { ratings } = ensureState();
  const { view } = parseRoute(location.search, ratings);
  return 'filter' in view ? view.filter : { ...noFilter, nsfw: ratings };
}

function createItem(image: GalleryImage): HTMLElement {
  const { width, height } = image.meta.dimens;
  const picture = new Picture(image, describeImage(image), (image) => gridSources(image, true));
  const href = formatUrl(parseRoute(location.search).view, image.id);
  const link = el('a', { href, class: 'picture', 'data-image': image.id }, ...picture.elements);
  const item = el('li', {}, link);
  item.style.backgroundColor = image.meta.color;
  picture.fit(WIDTH * Math.max(1, width / height));
  blurUnlessSafe(item, image, () => picture.load());
  return item;
}

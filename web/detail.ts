/** One picture, large, with everything that is known of it, in a dialog over the place it was found in. */
import { el } from './dom.ts';
import { factList, placeOf } from './facts.ts';
import { pictureOf } from './grid.ts';
import { prefix } from './load.ts';
import { knownSubject } from './memory.ts';
import { addressOf, everything } from './place.ts';
import type { Entry, Picture } from './types.ts';
import { veil } from './veil.ts';
import { dayText, durationText, nameOf, sizeText } from './words.ts';

/** The picture in its frame. */
export function stageOf(picture: Picture): HTMLElement {
  const { width, height } = picture.meta.dimens;
  const frame = el('div', { class: 'frame' }, el('div', { tabindex: '-1' }, pictureOf(picture, true)));
  frame.style.backgroundColor = picture.meta.color;
  frame.style.aspectRatio = `${width} / ${height}`;
  frame.style.setProperty('--ratio', String(width / height));
  frame.style.setProperty('--width', `${width}px`);
  veil(frame, picture);
  return frame;
}

/** What is known of it. `timer` is where the countdown of its link is shown. */
export function panelOf(picture: Picture, timer: HTMLElement): Node[] {
  const { source, characters, categories, meta, nsfw } = picture;
  return [
    el('h2', { id: 'detail-title' }, nameOf(picture)),
    factList([
      ['Artist', [artistLink(picture)]],
      ['Source', [source ? sourceText(source) : '']],
      ['Characters', [chipLinks(characters)]],
      ['Categories', [chipLinks(categories)]],
      ['Rating', [nsfw]],
      ['Dimensions', [dimensionText(picture)]],
      ['File', [`${meta.mimetype.slice('image/'.length).toUpperCase()}, ${sizeText(meta.size)}`]],
      ['Colour', [swatch(meta.color), ` ${meta.color}`]],
      ['Added', [dayText(picture.createdAt)]],
      ['Link', [el('a', { href: picture.url, target: '_blank', rel: 'noopener' }, 'Picture'), ' · ', timer]],
    ]),
    curlOf(picture),
    el(
      'details',
      {},
      el('summary', {}, 'JSON'),
      el('pre', { tabindex: '0' }, JSON.stringify(picture, undefined, 2)),
    ),
  ];
}

function artistLink({ artist }: Picture): Node | string {
  if (artist === null) return 'unknown';
  const href = addressOf({ name: 'artist', id: artist, filter: everything, page: 1 });
  return el('a', { href }, knownSubject(artist)?.name ?? 'See the artist');
}

function sourceText({ name, url }: { name: string; url: string }): Node | string {
  const isWeb = /^https?:/i.test(url);
  return isWeb ? el('a', { href: url, rel: 'noopener noreferrer', class: 'out' }, name || url) : name;
}

function chipLinks(entries: readonly Entry[]): Node | string {
  if (entries.length === 0) return '';
  const links = entries.map((entry) => {
    const link = el('a', { href: addressOf(placeOf(entry)), class: 'chip' }, entry.name);
    return el('li', {}, link);
  });
  return el('ul', { class: 'chips' }, ...links);
}

function dimensionText({ meta: { dimens } }: Picture): string {
  const shape = 'aspectRatio' in dimens ? `${dimens.aspectRatio} ${dimens.orientation}` : dimens.orientation;
  return `${dimens.width} × ${dimens.height}, ${shape}`;
}

function swatch(colour: string): HTMLElement {
  const element = el('span', { class: 'swatch' });
  element.style.backgroundColor = colour;
  return element;
}

/** The call that gives this record, to be taken along. */
function curlOf({ id }: Picture): HTMLElement {
  const code = el('code', { tabindex: '0' }, `curl '${location.origin}${prefix}/image/${id}'`);
  const button = el('button', { type: 'button', class: 'button small' }, 'Copy');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = 'Copied';
    } catch {
      // Browsers hand the clipboard to secure pages only; selected, it is one key away.
      getSelection()?.selectAllChildren(code);
      button.textContent = 'Selected';
    }
  });
  return el('div', { class: 'curl' }, code, button);
}

/** Tells how long a link lives, and calls back when it is over. Gives a function that stops it. */
export function countDown(picture: Picture, timer: HTMLElement, whenOver: () => void): () => void {
  const ends = Date.parse(picture.meta.expires);
  const tick = () => {
    const left = (ends - Date.now()) / 1000;
    timer.textContent = left > 0 ? `works for ${durationText(left)}` : 'has expired';
    if (left > 0) return;
    clearInterval(ticking);
    whenOver();
  };
  const ticking = setInterval(tick, 1000);
  tick();
  return () => clearInterval(ticking);
}

/** A picture to compare with others: what it looks like, what it is, and what can be done with it. */
import type { Alike } from '../../src/studio/contract.ts';
import { el } from '../dom.ts';
import { pictureAddress } from './picture-address.ts';
import { formatSize } from './text.ts';

const PREVIEW_SIZE = 320;

export function describeFacts({ width, height, size, mimetype, rating }: Alike): string {
  return [`${width} × ${height}`, describeFile({ size, type: mimetype }), rating].join(' · ');
}

export function describeFile({ size, type }: { size: number; type: string }): string {
  return `${formatSize(size)} · ${type.replace('image/', '')}`;
}

export function pictureCard(picture: Alike, ...actions: HTMLElement[]): HTMLElement {
  const { id, label } = picture;
  const image = el('img', { src: pictureAddress(id, PREVIEW_SIZE), alt: label, loading: 'lazy' });
  return el(
    'li',
    {},
    el('a', { href: pictureAddress(id), target: '_blank', rel: 'noopener' }, image),
    el('p', {}, label),
    el('p', { class: 'quiet' }, describeFacts(picture)),
    ...actions,
  );
}

export function cardButton(text: string, label: string, click: () => void): HTMLButtonElement {
  return el('button', { type: 'button', class: 'button small', 'aria-label': label, click }, text);
}

/** Pictures: their addresses, and cards that compare them. */
import type { Alike } from '../../../src/studio/contract.ts';
import { el } from '../../dom.ts';
import { formatSize } from './notices.ts';

// A picture to compare with others: what it looks like, what it is, and what can be done with it.

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
    el('a', { href: pictureAddress(id), target: '_blank', rel: 'noopener' }, image),
    el('p', label),
    el('p.quiet', describeFacts(picture)),
    ...actions,
  );
}

// The addresses of pictures. Browsers cache these for minutes, so they change when a picture gets another file.

const KEY = 'zukan-studio-files';

/** Without a size, that of the original. `former` is the file before. */
export function pictureAddress(id: string, size?: number | string): string {
  const suffix = sessionStorage.getItem(KEY) ?? '';
  return `/picture/${id}${size === undefined ? '' : `/${size}`}${suffix}`;
}

export function forgetPictures(): void {
  sessionStorage.setItem(KEY, `?${Date.now()}`);
}

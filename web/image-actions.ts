/** Downloads and shares the image in the dialog. */
import { byId, el } from './dom.ts';
import { showToast } from './messages.ts';
import { titleWithArtist } from './text.ts';
import type { GalleryImage } from './types.ts';

const MAX_NAME_LENGTH = 80;

export interface ImageActions {
  element: HTMLElement;
  /** Sets the address of the file, which changes when its link is renewed. */
  setUrl(url: string): void;
}

export function createImageActions(image: GalleryImage): ImageActions {
  const download = el('a', { class: 'button', rel: 'noopener' }, 'Download');
  const copy = el('button', { type: 'button', class: 'button', click: copyLink }, 'Copy link');
  const share = el('button', { type: 'button', class: 'button', click: () => shareLink(image) }, 'Share…');
  const buttons = [download, copy, ...('share' in navigator ? [share] : [])];
  return {
    element: el('div', { class: 'image-actions' }, ...buttons),
    setUrl(url) {
      download.href = url;
      // Browsers ignore the name of files from other origins, and would leave the page for them.
      if (download.origin === location.origin) download.download = fileName(image);
      else download.target = '_blank';
    },
  };
}

/** With a part of the id, because an artist draws a character more than once. */
export function fileName(image: GalleryImage): string {
  const type = image.meta.mimetype.slice('image/'.length);
  const title = titleWithArtist(image).replaceAll(/[\p{C}\p{Z}"*/:<>?\\|]+/gu, ' ');
  const name = [...title]
    .slice(0, MAX_NAME_LENGTH)
    .join('')
    .replace(/^[ .]+/, '')
    .trim();
  return `${name} (${image.id.slice(0, 8)}).${type === 'jpeg' ? 'jpg' : type}`;
}

async function copyLink(): Promise<void> {
  showToast((await copyText(location.href)) ? 'Link copied.' : 'Copy the link from the address bar.');
}

async function shareLink(image: GalleryImage): Promise<void> {
  try {
    await navigator.share({ title: titleWithArtist(image), url: location.href });
  } catch (error) {
    if ((error as Error).name !== 'AbortError') showToast('The browser could not share the link.');
  }
}

/** Browsers offer the clipboard on secure origins only. Elsewhere, selected text can be copied. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = el('textarea', { class: 'visually-hidden' }, text);
    const focused = document.activeElement as HTMLElement | null;
    byId('viewer').append(field);
    field.select();
    const isCopied = document.execCommand('copy');
    field.remove();
    focused?.focus();
    return isCopied;
  }
}

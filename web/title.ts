/** The head of the page: its title, which is that of the open image or else that of the view, and its feeds. */
import type { View } from './route.ts';
import { siteName } from './site.ts';

let viewTitle: string | undefined;
let imageTitle: string | undefined;

/** Undefined for the start page. */
export function setViewTitle(title: string | undefined): void {
  viewTitle = title ? `${title} · ${siteName}` : siteName;
  document.title = imageTitle ?? viewTitle;
}

export function setImageTitle(title: string | undefined): void {
  imageTitle = title && `${title} · ${siteName}`;
  // Until the view of a shared link has loaded, the title is the one that the server chose.
  document.title = imageTitle ?? viewTitle ?? document.title;
}

/** As in the page that the server sends for the view. `name` is that of its subject. */
export function setFeed(view: View, name = ''): void {
  const filter = view.name === 'category' ? `?categories=${encodeURIComponent(name)}` : '';
  const query = 'id' in view && view.name !== 'category' ? `?${view.name}=${view.id}` : filter;
  for (const link of document.querySelectorAll('link[rel="alternate"]')) {
    link.setAttribute('href', (link.getAttribute('href') ?? '').replace(/\?.*|$/, query));
    link.setAttribute('title', query ? `${name} · ${siteName}` : siteName);
  }
}

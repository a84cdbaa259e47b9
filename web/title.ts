/** The title of the page: that of the open image, or else that of the view. */
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

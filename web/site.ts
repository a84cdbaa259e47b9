/** What the server tells the page about the site. */

import type { Rating } from '../client/index.ts';
import { filterOptions } from './route.ts';

const readMeta = (name: string) =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';

export const apiPrefix = readMeta('zukan-api');
export const siteName = readMeta('application-name');
/** The ratings and orientations that have images, and the kinds of entries there are, when the page was loaded. */
const present = new Set(readMeta('zukan-catalogue').split(' '));
export const catalogueHas = (name: string) => present.has(name);
/** Loaded after the first tiles. */
export const fontFile = readMeta('zukan-font');
export const laterScript = readMeta('zukan-later-script');
export const dialogFiles = { script: readMeta('zukan-dialog-script'), style: readMeta('zukan-dialog-style') };
/** The ratings to show until the visitor chooses others. */
export const siteRatings = parseRatings(readMeta('zukan-ratings'));

/** All ratings are the same as no filter, which is an empty list. */
export function parseRatings(text: string): Rating[] {
  const names = text.split(',');
  const ratings = filterOptions.nsfw.filter((rating) => names.includes(rating));
  return ratings.length < filterOptions.nsfw.length ? ratings : [];
}

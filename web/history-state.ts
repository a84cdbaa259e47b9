/** The state of a history entry: what the page shows besides what its URL says. */
import type { Rating } from '../client/index.ts';
import { parseRatings, siteRatings } from './site.ts';
import { readSetting, saveSetting } from './storage.ts';

export interface HistoryState {
  /** The key of its data in the cache. */
  key: string;
  /** Decides the order of the images, so a reload shows the same ones. */
  seed: string;
  /** The ratings to show, unless the URL names some. They stay the same from page to page. */
  ratings: Rating[];
  /** How many entries ago the dialog was opened from the same view. Closing it goes back there. */
  depth?: number | undefined;
}

const createKey = () => `${Date.now()}-${Math.random()}`;

export function createState(ratings: Rating[]): HistoryState {
  return { key: createKey(), seed: createKey(), ratings };
}

/** The browser creates entries without state, such as for the skip link. They show the same as the current one. */
export function ensureState(current?: HistoryState): HistoryState {
  if (!history.state?.ratings) history.replaceState(current ?? createState(preferredRatings()), '');
  return history.state;
}

/** What the visitor chose last, now or on an earlier visit. */
function preferredRatings(): Rating[] {
  const chosen = readSetting('rating-filter');
  return chosen === undefined ? siteRatings : parseRatings(chosen);
}

/** For later visits, and for links that are opened in other tabs. */
export function saveRatings(ratings: string): void {
  saveSetting('rating-filter', ratings);
}

/**
 * Keeps the images on show when the visitor leaves or reloads the page far down in them: they would take many requests to
 * load again. At the top, a reload asks for what is new.
 */
import { isEndless, PAGE_SIZE, type View } from './route.ts';
import type { ViewData } from './types.ts';

interface Snapshot {
  /** Of the history entry. */
  key: string;
  data: ViewData;
}

const NAME = 'zukan.view';
/** Browsers store about five million characters for a page. */
const MAX_LENGTH = 3_000_000;
/** Links must work for a while, because each would have to be renewed by itself. */
const MIN_VALIDITY_MS = 300_000;

const snapshot = readSnapshot();

export function getSnapshot(key: string): ViewData | undefined {
  return snapshot?.key === key ? snapshot.data : undefined;
}

function readSnapshot(): Snapshot | undefined {
  try {
    const stored: Snapshot | undefined = JSON.parse(sessionStorage.getItem(NAME) ?? 'null') ?? undefined;
    const isUsable = stored?.data.images.every(
      ({ meta }) => Date.parse(meta.expires) > Date.now() + MIN_VALIDITY_MS,
    );
    return isUsable ? stored : undefined;
  } catch {
    return undefined;
  }
}

export function saveSnapshot(key: string, view: View, data: ViewData): void {
  const isFar = isEndless(view) && data.images.length > PAGE_SIZE && scrollY > innerHeight;
  const text = isFar ? JSON.stringify({ key, data }) : '';
  try {
    if (isFar && text.length <= MAX_LENGTH) sessionStorage.setItem(NAME, text);
    else sessionStorage.removeItem(NAME);
  } catch {
    // The page works without it.
  }
}

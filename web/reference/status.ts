import { byId } from '../dom.ts';

/** Read out by screen readers, invisible on the page. */
export function announce(text: string): void {
  byId('status').textContent = text;
}

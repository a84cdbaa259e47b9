/** Answers that a client may have already: entity tags, and whether a request names one. */
import { hash } from 'node:crypto';

/** Weak, because the same answer may be sent compressed or not. */
export function entityTag(text: string): string {
  return `W/"${hash('sha256', text, 'base64url').slice(0, 22)}"`;
}

/** Whether the client has what bears this tag. */
export function isKnown(ifNoneMatch: string | undefined, eTag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const strong = (tag: string) => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || strong(tag) === strong(eTag));
}

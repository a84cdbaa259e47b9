/** Responses that depend on the catalogue only, and not on the call or its time. */
import { type Asset, makeText } from '../http/assets.ts';
import { successBody } from '../http/errors.ts';

/** `data` and `meta` are JSON. */
export function makeAnswer(data: string, meta?: string): Asset {
  return makeText(successBody(data, meta));
}

const answers = new WeakMap<object, Asset>();

/** The response to what the catalogue returned, which is the same object until the catalogue changes. */
export function keepAnswer(returned: object, write: () => string): Asset {
  const kept = answers.get(returned);
  if (kept) return kept;
  const answer = makeAnswer(write());
  answers.set(returned, answer);
  return answer;
}

/** Responses that depend on the catalogue only, and not on the call or its time. */
import { type Asset, makeText } from '../http/assets.ts';
import { successBody } from '../http/errors.ts';
import type { Call } from './endpoint.ts';

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

const latestAnswers = new WeakMap<object, Map<string, Asset>>();

/** The response of the catalogue to one of few addresses. Its tag depends on what clients send, so only the latest one is kept. */
export function keepLatest(catalogue: object, path: string, eTag: string, make: () => Asset): Asset {
  const answers = latestAnswers.get(catalogue) ?? new Map<string, Asset>();
  latestAnswers.set(catalogue, answers);
  const latest = answers.get(path);
  if (latest?.eTag === eTag) return latest;
  const answer = make();
  answers.set(path, answer);
  return answer;
}

interface KeptHeaders {
  origin: string;
  prefix: string;
  headers: Record<string, string>;
}

const latestHeaders = new WeakMap<object, KeptHeaders>();

/** The headers of such a response. They contain the address that was called, so only those for the latest one are kept. */
export function keepHeaders(
  returned: object,
  { origin, prefix }: Call<unknown>,
  write: () => Record<string, string>,
): Record<string, string> {
  const latest = latestHeaders.get(returned);
  if (latest?.origin === origin && latest.prefix === prefix) return latest.headers;
  const headers = write();
  latestHeaders.set(returned, { origin, prefix, headers });
  return headers;
}

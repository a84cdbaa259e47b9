/** Reports the parameters that an endpoint does not take: a misspelt filter would let everything through unnoticed. */
import type Type from 'typebox';
import type { RawQuery } from '../server/query-string.ts';

/** Bounds the header, whatever the client sends. */
const MAX_NAMES = 10;
const MAX_NAME_LENGTH = 40;
const OMITTED = '...';

/** The value of `X-Ignored-Parameters`; undefined if the endpoint takes all parameters. */
export function ignoredParameters({ properties }: Type.TObject, raw: RawQuery): string | undefined {
  let names: string[] | undefined;
  for (const name of raw.keys()) {
    if (name === '' || Object.hasOwn(properties, name)) continue;
    names ??= [];
    names.push(names.length < MAX_NAMES ? escapeName(name) : OMITTED);
    if (names.length > MAX_NAMES) break;
  }
  return names?.join(', ');
}

/** Percent-encodes everything that could end the name or the header. */
function escapeName(name: string): string {
  const start = name.slice(0, MAX_NAME_LENGTH + 1).toWellFormed();
  const escaped = encodeURIComponent(start).replaceAll('%5B', '[').replaceAll('%5D', ']');
  if (escaped.length <= MAX_NAME_LENGTH) return escaped;
  return escaped.slice(0, MAX_NAME_LENGTH).replace(/%.?$/, '') + OMITTED;
}

/** The response headers of the API. */
import { type Header, type Ref, refTo, type Schema } from './types.ts';

const count: Schema = { type: 'integer', minimum: 0 };
const text: Schema = { type: 'string' };

const optional = (description: string, schema: Schema, example: unknown): Header => ({
  description,
  schema,
  example,
});
const required = (description: string, schema: Schema, example: unknown): Header => ({
  ...optional(description, schema, example),
  required: true,
});

/** Missing only if the operator has turned the limit off. An exempt client has always all requests left. */
const rateHeaders: Record<string, Header> = {
  'X-RateLimit-Limit': optional(
    'The number of requests allowed per second. The service sends the rate-limit headers unless its limit is off.',
    count,
    1,
  ),
  'X-RateLimit-Remaining': optional(
    'The number of requests left at the moment. A client that is exempt always has all of them left.',
    count,
    0,
  ),
  'X-RateLimit-Reset': optional(
    'The number of seconds to wait before the next request, rounded up; 0 if one is left.',
    count,
    1,
  ),
  RateLimit: optional('The same in the format of the IETF draft.', text, '"default";r=0;t=1'),
  'RateLimit-Policy': optional('The limit in the format of the IETF draft.', text, '"default";q=1;w=1'),
};

export const headers: Record<string, Header> = {
  'X-Request-Id': required(
    'Identifies the request in the log of the service.',
    text,
    '6f0c3a5e-53c5-4b0f-8f5a-0d1c5ad1f0b1',
  ),
  'X-Ignored-Parameters': optional(
    'Names of parameters in the request that the endpoint does not take and has ignored. At most ten names; `...` stands ' +
      'for more. Missing if there are none.',
    text,
    'category, tags',
  ),
  ...rateHeaders,
  'X-Total-Count': required('The number of records in the whole list.', count, 68),
  'X-Next-Cursor': optional(
    'The `cursor` of the next page, if there is one. `/image/random` sends it only with a `seed`.',
    text,
    'AAJiasLMtmKK5gn1iDFdLTXiK_iN',
  ),
  Link: optional(
    'Links to the next and the previous page.',
    text,
    '</api/artist?limit=5&offset=5>; rel="next"',
  ),
  Location: required(
    'The address of the file.',
    text,
    'https://example.org/files/acf33ea2-7f98-5b67-a500-77e562ea8d82.webp?expires=1767229200&signature=Zm94ZXM',
  ),
  ETag: required('Send it as `If-None-Match` to get a 304 if nothing has changed.', text, 'W/"x4Jk"'),
  'Cache-Control': required('How long the response may be cached.', text, 'public, max-age=3540'),
  'Accept-Ranges': required('Parts of the file can be requested with `Range`.', text, 'bytes'),
  'Content-Range': required('The part that was sent, and the size of the file.', text, 'bytes 0-99/41236'),
  'Retry-After': required('The number of seconds to wait.', count, 1),
  'WWW-Authenticate': required('The authentication scheme.', text, 'Bearer'),
};

export function headerRefs(...names: string[]): Record<string, Ref> {
  return Object.fromEntries(names.map((name) => [name, refTo('headers', name)]));
}

/** On every response. */
export const requestIdHeader = headerRefs('X-Request-Id');
/** Possible on every response of the API. */
export const commonHeaders = {
  ...requestIdHeader,
  ...headerRefs('X-Ignored-Parameters', ...Object.keys(rateHeaders)),
};

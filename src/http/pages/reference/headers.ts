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

const rate = (description: string, schema: Schema, example: unknown) =>
  optional(`${description} Missing if the operator has turned the rate limit off.`, schema, example);

const rateHeaders: Record<string, Header> = {
  'X-RateLimit-Limit': rate('The number of requests allowed per second.', count, 1),
  'X-RateLimit-Remaining': rate('The number of requests left at the moment.', count, 0),
  'X-RateLimit-Reset': rate('The number of seconds to wait before the next request.', count, 1),
  RateLimit: rate('The same in the format of the IETF draft.', text, '"default";r=0;t=1'),
  'RateLimit-Policy': rate('The limit in the format of the IETF draft.', text, '"default";q=1;w=1'),
};

export const headers: Record<string, Header> = {
  'X-Request-Id': required(
    'Identifies the request in the log of the service.',
    text,
    '6f0c3a5e-53c5-4b0f-8f5a-0d1c5ad1f0b1',
  ),
  ...rateHeaders,
  'X-Total-Count': required('The number of records in the whole list.', count, 68),
  'X-Next-Cursor': optional(
    'The `cursor` of the next page. Only sent with a `seed`, and only if there is a next page.',
    text,
    'AAJiasLMtmKK5gn1iDFdLTXiK_iN',
  ),
  Link: optional(
    'Links to the next and the previous page.',
    text,
    '</api/artist?limit=5&offset=5>; rel="next"',
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
/** On every response of the API. */
export const commonHeaders = { ...requestIdHeader, ...headerRefs(...Object.keys(rateHeaders)) };

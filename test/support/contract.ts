/**
 * Checks every API response that a test receives against the OpenAPI document: the path, the status, the headers and the
 * body. Addresses outside the API prefixes (files, health, metrics, pages, a bucket) are not checked.
 */
import assert from 'node:assert/strict';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Compile, type Validator } from 'typebox/schema';
import { routes } from '../../src/http/api/routes.ts';
import { buildOpenApi } from '../../src/http/pages/reference/openapi.ts';
import type { Operation, Ref, Response } from '../../src/http/pages/reference/types.ts';
import { Router } from '../../src/http/server/router.ts';
import type { Answer } from './service.ts';

const prefixes = ['/api', '/v1'];
const { paths, components } = buildOpenApi(routes, prefixes, '0.0.0');
const operations = new Router<Operation>();
for (const prefix of prefixes)
  for (const [path, { get }] of Object.entries(paths))
    operations.add(path === '/' ? prefix : prefix + path, get);

/** These headers must be documented wherever they are sent. */
const DOCUMENTED_HEADERS = [
  'ETag',
  'Link',
  'X-Total-Count',
  'X-Next-Cursor',
  'Retry-After',
  'WWW-Authenticate',
];
/** Sent before the path is read. */
const HEADERS_TOO_LARGE = 431;

type Described = Pick<Answer, 'status' | 'headers' | 'bytes'> & { json?: unknown };

export function assertDescribed(method: string, url: Pick<URL, 'pathname'>, answer: Described): void {
  if (!prefixes.some((prefix) => `${url.pathname}/`.startsWith(`${prefix}/`))) return;
  if (method !== 'GET' && method !== 'HEAD') return;
  const what = `${method} ${url.pathname} returned ${answer.status}`;
  const operation = operations.find(url.pathname)?.target;
  const response = operation
    ? findResponse(operation, answer.status, what)
    : unknownPathResponse(answer.status, what);
  for (const name of Object.keys(response.headers))
    if (components.headers[name]?.required)
      assert.ok(answer.headers[name.toLowerCase()], `${what} without ${name}, which openapi.json requires`);
  for (const name of DOCUMENTED_HEADERS)
    if (answer.headers[name.toLowerCase()] !== undefined)
      assert.ok(response.headers[name], `${what} with ${name}, which openapi.json does not document`);
  if (method === 'GET') assertBody(response, answer, what);
}

function findResponse(operation: Operation, status: number, what: string): Response {
  if (status === HEADERS_TOO_LARGE)
    return { description: 'The request line or headers are too long.', headers: {} };
  const response = operation.responses[status];
  assert.ok(response, `${what}, which openapi.json does not document`);
  return resolve(response);
}

/** An unknown path is a 404, unless the call fails earlier. */
function unknownPathResponse(status: number, what: string): Response {
  const known = { 401: 'Unauthorized', 404: 'NotFound', 429: 'TooManyRequests', 500: 'InternalError' };
  const name = { ...known, 503: 'Unavailable' }[status];
  assert.ok(name, `${what}, but openapi.json does not document the path`);
  return resolve({ $ref: `#/components/responses/${name}` });
}

function resolve(response: Response | Ref): Response {
  if (!('$ref' in response)) return response;
  return components.responses[response.$ref.split('/').at(-1) ?? ''] as Response;
}

const validators = new Map<Response, Validator>();

function assertBody(response: Response, answer: Described, what: string): void {
  const schema = response.content?.['application/json'].schema;
  if (!schema) return;
  assert.match(answer.headers['content-type'] ?? '', /^application\/json/, what);
  const validator = validators.get(response) ?? Compile({ ...schema, components });
  validators.set(response, validator);
  const body = answer.json ?? JSON.parse(decompress(answer));
  if (validator.Check(body)) return;
  const [, errors] = validator.Errors(body);
  const problems = errors.map(({ instancePath, message }) => `${instancePath || 'the body'} ${message}`);
  assert.fail(`${what}, which does not fit openapi.json: ${problems.join('; ')}`);
}

function decompress({ headers, bytes }: Described): string {
  if (headers['content-encoding'] === 'br') return brotliDecompressSync(bytes).toString();
  return (headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString();
}

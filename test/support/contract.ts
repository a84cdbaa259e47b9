/**
 * Holds every answer that a test gets to the API's own description: an address that it knows, a status and headers that
 * it names, and a body that fits. What lies outside of the API's prefixes (files, health, metrics, pages, a bucket) is
 * not in the description, and not looked at here.
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

/** These say which answer this is, so one that is not described is a mistake; others may come and go. */
const telling = ['ETag', 'Link', 'X-Total-Count', 'X-Next-Cursor', 'Retry-After', 'WWW-Authenticate'];
/** Said before the address is read. */
const TOO_LONG = 431;

export function assertDescribed(method: string, url: URL, answer: Answer): void {
  if (!prefixes.some((prefix) => `${url.pathname}/`.startsWith(`${prefix}/`))) return;
  if (method !== 'GET' && method !== 'HEAD') return;
  const what = `${method} ${url.pathname} answered ${answer.status}`;
  const operation = operations.find(url.pathname)?.target;
  const response = operation
    ? responseOf(operation, answer.status, what)
    : unknownAddress(answer.status, what);
  for (const name of Object.keys(response.headers))
    if (components.headers[name]?.required)
      assert.ok(answer.headers[name.toLowerCase()], `${what} without ${name}, which openapi.json promises`);
  for (const name of telling)
    if (answer.headers[name.toLowerCase()] !== undefined)
      assert.ok(response.headers[name], `${what} with ${name}, of which openapi.json does not know`);
  if (method === 'GET') assertBody(response, answer, what);
}

function responseOf(operation: Operation, status: number, what: string): Response {
  if (status === TOO_LONG) return { description: 'The address is too long.', headers: {} };
  const response = operation.responses[status];
  assert.ok(response, `${what}, of which openapi.json does not know`);
  return resolved(response);
}

/** What is nowhere is 404, unless the call did not come so far. */
function unknownAddress(status: number, what: string): Response {
  const known = { 401: 'Unauthorized', 404: 'NotFound', 429: 'TooManyRequests', 500: 'InternalError' };
  const name = { ...known, 503: 'Unavailable' }[status];
  assert.ok(name, `${what}, and openapi.json does not know the address`);
  return resolved({ $ref: `#/components/responses/${name}` });
}

function resolved(response: Response | Ref): Response {
  if (!('$ref' in response)) return response;
  return components.responses[response.$ref.split('/').at(-1) ?? ''] as Response;
}

const validators = new Map<Response, Validator>();

function assertBody(response: Response, answer: Answer, what: string): void {
  const schema = response.content?.['application/json'].schema;
  if (!schema) return;
  assert.match(answer.headers['content-type'] ?? '', /^application\/json/, what);
  const validator = validators.get(response) ?? Compile({ ...schema, components });
  validators.set(response, validator);
  const body = answer.json ?? JSON.parse(plainText(answer));
  if (validator.Check(body)) return;
  const [, errors] = validator.Errors(body);
  const told = errors.map(({ instancePath, message }) => `${instancePath || 'the answer'} ${message}`);
  assert.fail(`${what}, which does not fit openapi.json: ${told.join('; ')}`);
}

function plainText({ headers, bytes }: Answer): string {
  if (headers['content-encoding'] === 'br') return brotliDecompressSync(bytes).toString();
  return (headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString();
}

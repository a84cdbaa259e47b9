/**
 * Checks every response that a test receives against the OpenAPI document: the path, the status, the headers and the body.
 * Addresses that the document leaves out (the gallery, stylesheets, a bucket) are not checked.
 */
import assert from 'node:assert/strict';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { routes } from '../../../src/api/routes.ts';
import { Router } from '../../../src/http/server.ts';
import { compile, type Validator } from '../../../src/lib/validator.ts';
import { buildOpenApi } from '../../../src/server/pages/reference/openapi.ts';
import type { OpenApi, Operation, Ref, Response } from '../../../src/server/pages/reference/responses.ts';
import type { Answer } from './service.ts';

const defaultPrefixes = ['/api', '/v1'];
const { paths, components } = closeSchemas(buildOpenApi(routes, defaultPrefixes, '0.0.0', 1));

/** Without room for further fields: one that the document does not describe is a mistake in the service or in the document. */
export function closeSchemas(document: OpenApi): OpenApi {
  return JSON.parse(JSON.stringify(document), (_, value) =>
    value?.type === 'object' && value.properties ? { ...value, additionalProperties: false } : value,
  );
}

/** These headers must be documented wherever they are sent. */
const DOCUMENTED_HEADERS = [
  ...['ETag', 'Link', 'Location', 'X-Total-Count', 'X-Next-Cursor', 'Retry-After', 'WWW-Authenticate'],
  ...['Accept-Ranges', 'Content-Range', 'X-Ignored-Parameters'],
];

type Described = Pick<Answer, 'status' | 'headers' | 'bytes'> & { json?: unknown };

/** `prefixes` are those of the service that responded. */
export function assertDescribed(
  method: string,
  url: Pick<URL, 'pathname'>,
  answer: Described,
  prefixes: readonly string[] = defaultPrefixes,
): void {
  // The gallery and the page for a 404, which browsers get at addresses that the document describes, too.
  if (answer.headers['content-type']?.startsWith('text/html') && isNegotiated(url, answer, prefixes)) return;
  const operation = operationsOf(prefixes).find(url.pathname)?.target;
  const isApi = isUnder(prefixes, url.pathname);
  if (!operation && !isApi) return;
  const what = `${method} ${url.pathname} returned ${answer.status}`;
  if (method !== 'GET' && method !== 'HEAD') {
    if (answer.status >= 400) assertBody(componentResponse('InternalError'), answer, what);
    return;
  }
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

/** Any path is under the root, so that one says nothing. */
function isUnder(prefixes: readonly string[], path: string): boolean {
  return prefixes.some((prefix) => prefix !== '' && `${path}/`.startsWith(`${prefix}/`));
}

function isNegotiated(
  { pathname }: Pick<URL, 'pathname'>,
  { status, headers }: Described,
  prefixes: readonly string[],
): boolean {
  const isPage = pathname === '/' || (status === 404 && !isUnder(prefixes, pathname));
  return isPage && /\bAccept\b(?!-)/.test(headers.vary ?? '');
}

/** A `fetch` that checks the responses, and that no parameter is unknown, for tests that do not use `send`. */
export const checkedFetch: typeof fetch = async (url, init) => {
  const strict = new URL(String(url));
  strict.searchParams.append('strict', 'true');
  const response = await fetch(strict, init);
  const bytes = Buffer.from(await response.clone().arrayBuffer());
  const headers = Object.fromEntries(response.headers);
  // The body is already decompressed.
  delete headers['content-encoding'];
  const text = bytes.toString();
  const answer = { status: response.status, headers, bytes, text, json: undefined };
  assertDescribed(init?.method ?? 'GET', new URL(String(url)), answer);
  return response;
};

const routers = new Map<string, Router<Operation>>();

function operationsOf(prefixes: readonly string[]): Router<Operation> {
  const key = prefixes.join();
  const router = routers.get(key) ?? new Router<Operation>();
  if (routers.has(key)) return router;
  routers.set(key, router);
  for (const [path, { get, servers }] of Object.entries(paths))
    for (const prefix of servers ? [''] : prefixes)
      router.add(path === '/' ? prefix || '/' : prefix + path, get);
  return router;
}

function findResponse(operation: Operation, status: number, what: string): Response {
  const response = operation.responses[status];
  assert.ok(response, `${what}, which openapi.json does not document`);
  return resolve(response);
}

/** An unknown path is a 404, unless the call fails earlier. */
function unknownPathResponse(status: number, what: string): Response {
  const known = { 401: 'Unauthorized', 404: 'NotFound', 429: 'TooManyRequests', 431: 'HeadersTooLarge' };
  const name = { ...known, 500: 'InternalError', 503: 'Unavailable' }[status];
  assert.ok(name, `${what}, but openapi.json does not document the path`);
  return componentResponse(name);
}

function resolve(response: Response | Ref): Response {
  return '$ref' in response ? componentResponse(response.$ref.split('/').at(-1) ?? '') : response;
}

function componentResponse(name: string): Response {
  return components.responses[name] as Response;
}

const validators = new Map<Response, Validator>();

function assertBody(response: Response, answer: Described, what: string): void {
  const sent = answer.headers['content-type'] ?? 'nothing';
  const contents = Object.entries(response.content ?? {});
  const isSent = (type: string) => sent.startsWith(type.replace('*', ''));
  const [type, { schema } = { schema: {} }] = contents.find(([type]) => isSent(type)) ?? contents[0] ?? [];
  if (type === undefined) {
    assert.equal(answer.bytes.length, 0, `${what} with a body, which openapi.json does not document`);
    return;
  }
  assert.ok(isSent(type), `${what} with ${sent} instead of ${type}`);
  if (type !== 'application/json') return;
  const validator = validators.get(response) ?? compile({ ...schema, components });
  validators.set(response, validator);
  const body = answer.json ?? JSON.parse(decompress(answer));
  if (validator.Check(body)) return;
  const [, errors] = validator.Errors(body);
  const problems = errors.map(({ instancePath, message }) => `${instancePath || 'the body'} ${message}`);
  assert.fail(`${what}, which does not fit openapi.json: ${problems.join('; ')}`);
}

function decompress({ headers, bytes }: Described): string {
  const decoders = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync };
  const decode = decoders[headers['content-encoding'] as keyof typeof decoders];
  return (decode?.(bytes) ?? bytes).toString();
}

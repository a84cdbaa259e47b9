/** The checks of the torture run fail on what they are there to find. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { routes } from '../../src/api/routes.ts';
import { findProblem, type Situation } from '../../torture/checks.ts';
import { type Answer, ResponseReader } from '../../torture/connection.ts';
import { newPlaces, type Place } from '../../torture/kill-stores.ts';
import { randomFor } from '../../torture/random.ts';
import { type FuzzRequest, nextRequest } from '../../torture/requests.ts';
import { runOrThrow } from '../../torture/servers.ts';
import { verify } from '../../torture/verify.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { temporaryFolder } from '../support/workspace.ts';

// Before the first test: the folder goes with the last one.
const folder = temporaryFolder();
const noEngines = { postgres: undefined, redis: undefined, [Symbol.asyncDispose]: async () => {} };
const [, original] = newPlaces(folder, noEngines)[0] as [string, Place];
writeTiny(folder, '1.png', 1);
const file = join(folder, 'catalogue.ndjson');
writeFileSync(file, JSON.stringify({ type: 'image', file: '1.png', nsfw: 'sfw' }));
await runOrThrow(['import', '--quiet', file], original.environment);
const contents = await original.contents();

const quiet: Situation = { hasLimiter: false, mayBeUnavailable: false, mayBeCut: false };
const limited: Situation = { ...quiet, hasLimiter: true };
const faulty: Situation = { ...quiet, mayBeUnavailable: true };

function request(path: string, rest: Partial<FuzzRequest> = {}): FuzzRequest {
  const text = `GET ${path} HTTP/1.1\r\n\r\n`;
  return { kind: 'API', method: 'GET', path, text, isOdd: false, isLast: false, ...rest };
}

const common = {
  'x-request-id': '1',
  'x-content-type-options': 'nosniff',
  'access-control-allow-origin': '*',
  'content-type': 'application/json; charset=utf-8',
};

function answer(status: number, body: unknown, headers: Record<string, string | undefined> = {}): Answer {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return { status, bytes, headers: { ...common, ...headers } };
}

const error = (code: number) => ({ code, message: 'Something.', success: false });
const artists = { success: true, data: [{ id: '20000000-0000-4000-8000-000000000001', name: 'x', url: '' }] };
const paged = { 'x-total-count': '1', etag: 'W/"x"' };
const unshared = { 'access-control-allow-origin': undefined };
const retry = { 'retry-after': '1' };

test('accepts documented responses', () => {
  const accepted: [FuzzRequest, Answer, Situation][] = [
    [request('/api/artist'), answer(200, artists, paged), quiet],
    [request('/v1/artist/x'), answer(400, error(400)), quiet],
    [request('/api/nothing'), answer(404, error(404)), quiet],
    [request('/api/artist'), answer(429, error(429), { ...retry, 'x-ratelimit-limit': '1' }), limited],
    [request('/api/artist'), answer(503, error(503), retry), faulty],
    [request('/health/ready', { kind: 'pages' }), answer(503, { status: 'unavailable' }, unshared), faulty],
    [request('/x', { kind: 'unknown paths' }), answer(404, error(404)), quiet],
    [request('/api', { method: 'PUT' }), answer(405, error(405), { allow: 'GET' }), quiet],
    [request('/api', { method: 'OPTIONS' }), answer(204, '', { allow: 'GET' }), quiet],
  ];
  for (const [sent, received, situation] of accepted)
    assert.equal(findProblem(sent, received, situation), undefined, `${sent.path} ${received.status}`);
});

test('reports every other response', () => {
  const rejected: [what: RegExp, FuzzRequest, Answer, Situation][] = [
    [/server error/, request('/api/artist'), answer(500, error(500)), quiet],
    [/server error/, request('/api/artist'), answer(503, error(503), retry), quiet],
    [/server error/, request('/api/artist'), answer(500, error(500)), faulty],
    [/Retry-After/, request('/api/artist'), answer(503, error(503)), faulty],
    [/without a limit/, request('/api/artist'), answer(429, error(429), retry), quiet],
    [/X-RateLimit/, request('/api/artist'), answer(200, artists, paged), limited],
    [/X-Request-Id/, request('/api'), answer(404, error(404), { 'x-request-id': undefined }), quiet],
    [/Allow-Origin/, request('/metrics', { kind: 'pages' }), answer(200, ''), quiet],
    [/Allow-Origin/, request('/api/artist'), answer(200, artists, { ...paged, ...unshared }), quiet],
    [
      /X-Content-Type/,
      request('/x'),
      answer(404, error(404), { 'x-content-type-options': undefined }),
      quiet,
    ],
    [/does not fit/, request('/api/artist'), answer(200, { success: true, data: [{ id: 1 }] }, paged), quiet],
    [/does not fit/, request('/api/artist'), answer(200, { data: [] }, paged), quiet],
    [/X-Total-Count/, request('/api/artist'), answer(200, artists, { etag: 'W/"x"' }), quiet],
    [/JSON/, request('/api/artist'), answer(200, '{"success":true,"data":[', paged), quiet],
    [/JSON/, request('/api/artist'), answer(400, '<h1>Bad Request</h1>'), quiet],
    [/code/, request('/api/artist'), answer(400, error(404)), quiet],
    [/fields/, request('/api/artist'), answer(400, { ...error(400), stack: 'at x' }), quiet],
    [/Content-Type/, request('/x'), answer(404, error(404), { 'content-type': 'text/html' }), quiet],
    [/not document/, request('/api/stats'), answer(403, error(403)), quiet],
    [/unexplained/, request('/docs', { kind: 'pages' }), answer(403, error(403)), quiet],
    [/unexplained/, request('/docs', { kind: 'pages', method: 'PUT' }), answer(405, error(405)), quiet],
    [/Allow/, request('/api', { method: 'PUT' }), answer(405, error(405)), quiet],
    [/preflight/, request('/api', { method: 'OPTIONS' }), answer(204, ''), quiet],
    [/expected/, request('/api'), answer(417, error(417)), quiet],
  ];
  for (const [what, sent, received, situation] of rejected)
    assert.match(findProblem(sent, received, situation) ?? 'accepted', what, JSON.stringify(received));
});

test('reads responses in pieces, and rejects what is not HTTP', () => {
  const text = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
  const reader = new ResponseReader();
  for (const byte of Buffer.from(text)) {
    assert.equal(reader.next(false), undefined);
    reader.push(Buffer.from([byte]));
  }
  assert.equal(reader.next(false)?.bytes.toString(), 'ok');
  assert.equal(reader.isPartial, false);
  for (const invalid of [
    'HTTP/1.1 200 OK\r\n\r\n',
    'HTP/1.1 200 OK\r\n\r\n',
    'HTTP/1.1 200 OK\r\nx\r\n\r\n',
  ]) {
    const strict = new ResponseReader();
    strict.push(Buffer.from(invalid));
    assert.throws(() => strict.next(false));
  }
});

const facts = {
  categories: ['c'],
  counts: Object.fromEntries(
    ['image', 'artist', 'character', 'category'].map((name) => [name, { kind: 1, count: 2 }]),
  ),
  authorizations: ['Bearer x'],
};

function requestsOf(seed: number, count: number): FuzzRequest[] {
  const random = randomFor(seed, 'test');
  const seen = { links: [], cursors: [], eTags: [] };
  return Array.from({ length: count }, () => nextRequest({ random, facts, seen, isProxied: true }));
}

test('a seed repeats the requests', () => {
  assert.deepEqual(requestsOf(1, 300), requestsOf(1, 300));
  assert.notDeepEqual(requestsOf(1, 300), requestsOf(2, 300));
});

test('every endpoint is called, and every parameter is sent', () => {
  const texts = requestsOf(1, 6000).map(({ text }) => text);
  for (const { path, query } of routes) {
    const calls = texts.filter((text) =>
      new RegExp(` /(api|v1)${path.replace('{id}', '[^/ ?]+')}/?[ ?]`).test(text),
    );
    assert.ok(calls.length > 0 || path === '/', path);
    for (const name of Object.keys(query.properties))
      assert.ok(
        calls.some((text) => new RegExp(`[?&]${name}(%5B\\d+%5D|\\[\\])?=`).test(text)),
        `${path} ${name}`,
      );
  }
});

// The verification after a kill fails on a catalogue that is lost or mixed, and on files that are left behind.

const verifyCopy = (place: Place, before: string, after: string) =>
  verify({ command: ['remove'], before, after }, place, randomFor(1, ''));

test('accepts the old catalogue, the new one and the same one', async () => {
  assert.equal(await verifyCopy(await original.copy(), contents, 'new'), 'the old one');
  assert.equal(await verifyCopy(await original.copy(), 'old', contents), 'the new one');
  assert.equal(await verifyCopy(await original.copy(), contents, contents), 'the same');
});

test('accepts a removal at another time', async () => {
  const { id } = JSON.parse(contents.split('\n').find((line) => line.includes('"image"')) as string);
  const [one, other] = [await original.copy(), await original.copy()];
  for (const { environment } of [one, other]) await runOrThrow(['remove', '--yes', id], environment);
  assert.match(await one.contents(), /"type":"removed"/);
  assert.equal(await one.contents(), await other.contents());
});

test('fails on any other catalogue', async () => {
  await assert.rejects(verifyCopy(await original.copy(), 'old', 'new'), /neither the old nor the new one/);
});

test('fails on a file that stays behind, and on one that is lost', async () => {
  for (const name of ['mine.png', '.hidden', 'x.part']) {
    const place = await original.copy();
    mkdirSync(join(place.dataDir, 'files'), { recursive: true });
    writeFileSync(join(place.dataDir, 'files', name), 'bytes');
    await assert.rejects(verifyCopy(place, contents, contents), name);
  }
  const place = await original.copy();
  const [key = ''] = place.stored();
  writeFileSync(join(place.dataDir, 'files', key), '');
  await assert.rejects(verifyCopy(place, contents, contents), key);
});

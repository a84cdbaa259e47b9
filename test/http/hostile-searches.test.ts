/** Clients with expensive patterns do not make the searches of others fail, and stop computing when they disconnect. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { test } from 'node:test';
import { sandbox } from '../support/catalogues/import.ts';
import { until } from '../support/until.ts';
import { assertError } from '../support/zukan/api.ts';
import { startService } from '../support/zukan/service.ts';

const HOSTILE_CLIENTS = 40;
const ordinaryPatterns = ['%abba%', 'ab%', '%bab', '%a%bb%a%', 'nobody', '%(abab|baba)%'];

/** Different for every client, so that no result is cached. */
const hostilePattern = (number: number) =>
  `_{${Math.floor(number / 10)}}%a_{12}a%a_{13}a%a_{14}b%a_{${number % 10}}`;

/** Always the same for the same number. */
function nameOf(number: number): string {
  let [name, state] = ['', number + 1];
  while (name.length < 60) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    name += 'ab'[(state >> 16) & 1];
  }
  return name;
}

test('others can search while forty clients send an expensive pattern and disconnect', async () => {
  const box = sandbox({ environment: () => ({ TRUSTED_PROXIES: '127.0.0.1' }) });
  await box.import(Array.from({ length: 4000 }, (_, number) => ({ type: 'artist', name: nameOf(number) })));
  const service = await startService(box.config);
  const search = (pattern: string, client: string, signal?: AbortSignal) => {
    const url = `${service.origin}/api/artist?search=${encodeURIComponent(pattern)}`;
    return get(url, { headers: { 'X-Forwarded-For': client }, agent: false, ...(signal && { signal }) });
  };
  const disconnect = new AbortController();
  const answers: (number | undefined)[] = [];
  const hostile = Array.from({ length: HOSTILE_CLIENTS }, (_, number) => {
    const request = search(hostilePattern(number), `203.0.113.${number}`, disconnect.signal);
    request.on('error', () => {});
    request.on('response', (response) => {
      answers.push(response.statusCode);
      response.resume();
    });
    return new Promise((resolve) => request.on('close', resolve));
  });
  for (const [number, pattern] of ordinaryPatterns.entries()) {
    const [response] = await once(search(pattern, `198.51.100.${number}`), 'response');
    response.resume();
    assert.equal(response.statusCode, 200, pattern);
  }
  for (const status of answers) assert.ok([200, 503].includes(status as number), String(status));
  disconnect.abort();
  await Promise.all(hostile);
  const countEnded = async () => {
    const { text } = await service.get('/metrics');
    const counts = text.matchAll(/^zukan_http_requests_total\{route="\/artist",status="\d+"\} (\d+)/gm);
    return Array.from(counts, ([, count]) => Number(count)).reduce((sum, count) => sum + count, 0);
  };
  const all = HOSTILE_CLIENTS + ordinaryPatterns.length;
  await until('their searches have ended', async () => (await countEnded()) === all);
  const slow = await service.get(`/api/artist?search=${encodeURIComponent('%a%_{30}b%a_{20}b%')}`);
  assertError(slow, 503, /^This search takes too long/);
  assert.equal(slow.headers['retry-after'], '60');
});

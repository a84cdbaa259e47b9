/** Clients with expensive patterns do not make the searches of others fail, and stop computing when they disconnect. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { test } from 'node:test';
import { sandbox } from '../support/import.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const HOSTILE_CLIENTS = 40;
const ordinaryPatterns = ['%abba%', 'ab%', '%bab', '%a%bb%a%', 'nobody', '%(abab|baba)%'];

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
  const box = sandbox({ name: 'SQLite', environment: () => ({ TRUSTED_PROXIES: '127.0.0.1' }) });
  await box.import(Array.from({ length: 4000 }, (_, number) => ({ type: 'artist', name: nameOf(number) })));
  const service = await startService(box.config);
  const search = (pattern: string, client: string, signal?: AbortSignal) => {
    const url = `${service.origin}/api/artist?search=${encodeURIComponent(pattern)}`;
    return get(url, { headers: { 'X-Forwarded-For': client }, agent: false, ...(signal && { signal }) });
  };
  const disconnect = new AbortController();
  const answers: (number | undefined)[] = [];
  const hostile = Array.from({ length: HOSTILE_CLIENTS }, (_, number) => {
    const request = search(
      `_%a_{12}a%a_{13}a%a_{14}b%a_{${number}}`,
      `203.0.113.${number}`,
      disconnect.signal,
    );
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
  for (const status of answers) assert.ok(status === 400 || status === 503, String(status));
  disconnect.abort();
  await Promise.all(hostile);
  const countDisconnected = async () => {
    const { text } = await service.get('/metrics');
    return Number(/zukan_http_requests_total\{route="\/artist",status="499"\} (\d+)/.exec(text)?.[1] ?? 0);
  };
  const left = HOSTILE_CLIENTS - answers.length;
  await until('their searches have ended', async () => (await countDisconnected()) === left);
});

/** How the client lives within the limit, against a service that has one, in real time. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { Zukan, type ZukanOptions } from '../../client/index.ts';
import { makeToken, startKnownService } from '../support/service.ts';

const environment = { RATE_LIMIT: 'on', TRUSTED_PROXIES: '127.0.0.1' };
const { origin, config } = await startKnownService({ environment });
const exempt = await makeToken(config, ['api:ratelimit:disabled']);
let clients = 0;

/** A client with an address of its own, and what became of its calls. */
function newClient(options: ZukanOptions = {}) {
  const address = `203.0.113.${clients++}`;
  const statuses: number[] = [];
  const waits: number[] = [];
  const from: typeof fetch = async (url, init) => {
    const headers = { ...(init?.headers as object), 'X-Forwarded-For': address };
    const response = await fetch(url, { ...init, headers });
    statuses.push(response.status);
    return response;
  };
  const onWait = (seconds: number) => waits.push(seconds);
  const zukan = new Zukan({ origin, fetch: from, onWait, ...options });
  /** A call that the client does not know of, as of another program at the same address. */
  const other = () => from(`${origin}/api/stats`);
  return { zukan, statuses, waits, other };
}

const started = () => {
  const begin = performance.now();
  return () => performance.now() - begin;
};
const soon = (reason: unknown, milliseconds = 50) => {
  const control = new AbortController();
  setTimeout(() => control.abort(reason), milliseconds);
  return control.signal;
};
const reason = new Error('changed my mind');

describe('the client', { concurrency: true }, () => {
  test('calls made at once go out one a second, in order, and none is refused', async () => {
    const { zukan, statuses, waits } = newClient();
    const time = started();
    const answered: string[] = [];
    await Promise.all([
      zukan.stats().then(() => answered.push('stats')),
      zukan.artists().then(() => answered.push('artists')),
      zukan.information().then(() => answered.push('information')),
    ]);
    assert.deepEqual(answered, ['stats', 'artists', 'information']);
    assert.ok(time() > 1800 && time() < 8000, `${time()} ms`);
    assert.deepEqual([statuses, waits], [[200, 200, 200], []]);
  });

  test('a call that is refused waits, says so, and is made again', async () => {
    const { zukan, statuses, waits, other } = newClient();
    await other();
    const time = started();
    assert.equal((await zukan.stats()).images.count, 6);
    assert.deepEqual([statuses, waits], [[200, 429, 200], [1]]);
    assert.ok(time() >= 990, `${time()} ms`);
  });

  test('a block of an hour is not waited for', async () => {
    const { zukan, waits, other } = newClient();
    for (let call = 0; call <= 10; call++) await other();
    const time = started();
    for (let call = 0; call < 2; call++)
      await assert.rejects(zukan.stats(), { name: 'ZukanError', status: 429, message: /^You are blocked/ });
    assert.ok(time() < 5000, `${time()} ms`);
    assert.deepEqual(waits, []);
  });

  test('who is exempt waits for nothing', async () => {
    const { zukan, statuses } = newClient({ token: exempt.secret });
    const time = started();
    for (let call = 0; call < 5; call++) await zukan.stats();
    assert.ok(time() < 3000, `${time()} ms`);
    assert.deepEqual(statuses, [200, 200, 200, 200, 200]);
  });

  test('aborting ends the wait for a turn at once, and leaves the turns of others', async () => {
    const { zukan, statuses } = newClient();
    await zukan.stats();
    const time = started();
    const aborted = [zukan.stats({ signal: soon(reason) }), zukan.artists({}, { signal: soon(reason, 60) })];
    const last = zukan.stats();
    for (const call of aborted) await assert.rejects(call, reason);
    assert.ok(time() < 950, `${time()} ms`);
    await last;
    assert.deepEqual(statuses, [200, 200]);
  });

  test('aborting ends the wait after a refusal', async () => {
    const { zukan, statuses, waits, other } = newClient();
    await other();
    const signal = soon(reason, 400);
    await assert.rejects(zukan.random({}, { signal }), reason);
    assert.deepEqual([statuses, waits], [[200, 429], [1]]);
  });

  test('a call that was aborted on its way has been counted: the next waits', async () => {
    const control = new AbortController();
    const { zukan, waits } = newClient();
    await zukan.stats();
    const going = zukan.stats({ signal: control.signal });
    // Its second begins about now; by the time of the answer it is gone.
    setTimeout(() => control.abort(reason), 1002);
    await Promise.allSettled([going]);
    await zukan.stats();
    assert.deepEqual(waits, []);
  });

  const silent = createServer(() => {}).listen(0);
  after(() => silent.close().closeAllConnections());
  const nobody = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;

  test('aborting ends a call that is on its way', async () => {
    const zukan = new Zukan({ origin: nobody });
    const time = started();
    await assert.rejects(zukan.stats({ signal: soon(reason) }), reason);
    await assert.rejects(zukan.stats({ signal: AbortSignal.abort(reason) }), reason);
    assert.ok(time() < 5000, `${time()} ms`);
  });

  test('a pager that is aborted ends', async () => {
    const control = new AbortController();
    const { zukan } = newClient({ token: exempt.secret });
    const pages = zukan.every('artists', {}, { signal: control.signal });
    assert.equal((await pages.next()).done, false);
    control.abort(reason);
    // The rest of the page is here already; another page is not asked for.
    const rest = await Array.fromAsync(pages);
    assert.equal(rest.length, 3);
    await assert.rejects(zukan.every('artists', {}, { signal: control.signal }).next(), reason);
  });

  test('who is refused again and again stops before it becomes a block', { timeout: 20_000 }, async () => {
    let calls = 0;
    const refusing = createServer((_, response) => {
      calls++;
      response.writeHead(429, { 'Retry-After': '0' }).end('{"message":"No."}');
    }).listen(0);
    after(() => refusing.close().closeAllConnections());
    const zukan = new Zukan({ origin: `http://127.0.0.1:${(refusing.address() as AddressInfo).port}` });
    await assert.rejects(zukan.stats(), { status: 429, message: 'No.' });
    assert.equal(calls, 5);
  });
});

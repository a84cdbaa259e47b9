/** How the client keeps to the rate limit of a real service. Both read a clock that the test moves, so no test waits. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { Zukan, type ZukanOptions } from '../../client/index.ts';
import { systemTimer, type Timer } from '../../client/queue.ts';
import { Transport } from '../../client/transport.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { runCommand } from '../support/zukan/program.ts';
import { makeToken, startKnownService } from '../support/zukan/service.ts';

let now = Date.parse('2026-03-01T00:00:00.000Z');
const advance: Timer['sleep'] = async (milliseconds) => {
  now += milliseconds;
};

const environment = { RATE_LIMIT: 'on', TRUSTED_PROXIES: '127.0.0.1' };
const { origin, config } = await startKnownService({ environment, clock: () => now });
const five = await startKnownService({
  environment: { ...environment, RATE_LIMIT: '5' },
  clock: () => now,
});
const exempt = await makeToken(config, ['api:ratelimit:disabled']);
const reason = new Error('changed my mind');
let clients = 0;

/** A client with its own address. Records the status of each response and every wait. */
function newClient(options: ZukanOptions = {}, sleep = advance) {
  const address = `203.0.113.${clients++}`;
  const statuses: number[] = [];
  const sleeps: number[] = [];
  const reportedWaits: number[] = [];
  const fetchFromAddress: typeof fetch = async (url, init) => {
    const headers = { ...(init?.headers as object), 'X-Forwarded-For': address };
    const response = await fetch(url, { ...init, headers });
    statuses.push(response.status);
    return response;
  };
  const onWait = (seconds: number) => reportedWaits.push(seconds);
  const timer: Timer = {
    now: () => now,
    sleep(milliseconds, signal) {
      sleeps.push(milliseconds);
      return sleep(milliseconds, signal);
    },
  };
  const transport = new Transport({ origin, fetch: fetchFromAddress, onWait, ...options }, timer, () => 0.5);
  return {
    statuses,
    sleeps,
    reportedWaits,
    fetchFromAddress,
    call: (path = '/stats', signal?: AbortSignal) => transport.get(path, {}, { signal }),
    /** A request that the client does not know about, as from another program at the same address. */
    callFromElsewhere: () => fetchFromAddress(`${origin}/api/stats`),
  };
}

describe('the client keeps to the rate limit', () => {
  test('it follows a redirect to a merged entry at the pace of the service', async () => {
    const [from, into] = [uuid(3, 1), uuid(3, 2)];
    await runCommand(['entry', 'character', from, '--merge-into', into], { DATA_DIR: config.dataDir });
    const { call, statuses, sleeps } = newClient();
    const { data } = await call(`/character/${from}`);
    assert.equal(data.id, into);
    // The redirected request was too early, and only that one is sent again.
    assert.deepEqual(statuses, [429, 200]);
    assert.deepEqual(sleeps, [4250]);
  });

  test('it sends simultaneous calls in order, one second apart, and none is refused', async () => {
    const { call, statuses, sleeps, reportedWaits } = newClient();
    const finished: string[] = [];
    const paths = ['/stats', '/artist', ''];
    await Promise.all(paths.map((path) => call(path).then(() => finished.push(path))));
    assert.deepEqual(finished, paths);
    assert.deepEqual(statuses, [200, 200, 200]);
    assert.deepEqual(sleeps, [1000, 1000]);
    assert.deepEqual(reportedWaits, []);
  });

  test('it does not wait when the interval has already passed', async () => {
    const { call, statuses, sleeps } = newClient();
    await call();
    now += 400;
    await call();
    now += 1000;
    await call();
    assert.deepEqual(statuses, [200, 200, 200]);
    assert.deepEqual(sleeps, [600]);
  });

  test('it reports a refused call, waits and retries it', async () => {
    const { call, callFromElsewhere, statuses, sleeps, reportedWaits } = newClient();
    await callFromElsewhere();
    assert.equal((await call()).data.images.count, 6);
    assert.deepEqual(statuses, [200, 429, 200]);
    assert.deepEqual(sleeps, [4250]);
    assert.deepEqual(reportedWaits, [5]);
  });

  test('it slows down when any program at its address was refused, and keeps to its turns until an hour later', async () => {
    const { call, callFromElsewhere, statuses, sleeps } = newClient();
    await call();
    await callFromElsewhere();
    now += 1000;
    await call();
    await call();
    now += 5000;
    await call();
    await callFromElsewhere();
    await call();
    assert.deepEqual(sleeps, [4000, 3000, 4000]);
    await call();
    now += 3_600_000;
    await call();
    await call();
    assert.deepEqual(sleeps.slice(3), [8000, 1000]);
    assert.equal(statuses.filter((status) => status === 429).length, 2);
  });

  test('it sends nothing for an hour before the tenth refusal, whoever had the nine', async () => {
    const { call, callFromElsewhere, statuses, sleeps } = newClient();
    for (let count = 0; count < 10; count++) await callFromElsewhere();
    now += 1000;
    await call();
    const stopped = {
      name: 'ZukanError',
      status: 429,
      message: /^Not sent, because one more refusal would block/,
    };
    await assert.rejects(call(), { ...stopped, retryAfter: 3600 });
    now += 3_600_000;
    await call();
    const refused = newClient();
    for (let count = 0; count < 9; count++) await refused.callFromElsewhere();
    await assert.rejects(refused.call(), { ...stopped, retryAfter: 3600 });
    assert.deepEqual([statuses.slice(10), refused.statuses.slice(9)], [[200, 200], [429]]);
    assert.deepEqual([sleeps, refused.sleeps], [[], []]);
  });

  test('it throws instead of waiting for the end of a block', async () => {
    const { call, callFromElsewhere, sleeps, reportedWaits } = newClient();
    for (let count = 0; count <= 10; count++) await callFromElsewhere();
    const blocked = { name: 'ZukanError', status: 429, message: /blocked/, retryAfter: 3600 };
    await assert.rejects(call(), blocked);
    await assert.rejects(call(), blocked);
    assert.deepEqual(sleeps, []);
    assert.deepEqual(reportedWaits, []);
  });

  test('it never waits with a token that is exempt from the limit', async () => {
    const { call, statuses, sleeps } = newClient({ token: exempt.secret });
    for (let count = 0; count < 5; count++) await call();
    assert.deepEqual(statuses, [200, 200, 200, 200, 200]);
    assert.deepEqual(sleeps, []);
  });

  test('it gives up after five refusals, before they become a block', async () => {
    let requests = 0;
    const server = createServer((_, response) => {
      requests++;
      response.writeHead(429, { 'Retry-After': '0' }).end('{"message":"No."}');
    }).listen(0);
    after(() => server.close().closeAllConnections());
    const { call, sleeps } = newClient({
      origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    });
    await assert.rejects(call(), { status: 429, message: 'No.' });
    assert.equal(requests, 5);
    assert.deepEqual(sleeps, [4250, 4250, 4250, 4250]);
  });
});

describe('at five requests per second, the client', () => {
  test('sends five at once and then one each 200 ms, and none is refused', async () => {
    const { call, statuses, sleeps } = newClient({ origin: five.origin });
    await Promise.all(Array.from({ length: 9 }, () => call()));
    assert.deepEqual(statuses, Array(9).fill(200));
    assert.deepEqual(sleeps, [200, 200, 200, 200]);
  });

  test('is never refused after aborted requests, whose headers it did not see', async () => {
    let control = new AbortController();
    const { call, statuses, sleeps, fetchFromAddress } = newClient({
      origin: five.origin,
      fetch: async (url, init) => {
        const response = await fetchFromAddress(url, { ...init, signal: null });
        if (!init?.signal) return response;
        control.abort(reason);
        throw reason;
      },
    });
    await call();
    for (let count = 0; count < 8; count++) {
      control = new AbortController();
      await assert.rejects(call('/stats', control.signal), reason);
    }
    for (let count = 0; count < 4; count++) await call();
    assert.deepEqual(statuses, Array(13).fill(200));
    assert.deepEqual(sleeps, Array(8).fill(200));
  });

  test('waits longer than Retry-After when another program used up the limit', async () => {
    const { call, fetchFromAddress, statuses, reportedWaits } = newClient({ origin: five.origin });
    for (let count = 0; count < 5; count++) await fetchFromAddress(`${five.origin}/api/stats`);
    await call();
    assert.deepEqual(statuses.slice(5), [429, 200]);
    assert.deepEqual(reportedWaits, [2]);
  });
});

describe('aborting a call', () => {
  /** Time stands still for calls with a signal: their wait ends only when they are aborted. */
  const sleepUntilAborted: Timer['sleep'] = async (milliseconds, signal) => {
    if (!signal) return advance(milliseconds, signal);
    await once(signal, 'abort');
    throw signal.reason;
  };

  test('ends its wait in the queue, and later calls keep their turn', async () => {
    const [waiting, queued] = [new AbortController(), new AbortController()];
    const isWaiting = Promise.withResolvers<void>();
    const { call, statuses, sleeps } = newClient({}, (...wait) => {
      isWaiting.resolve();
      return sleepUntilAborted(...wait);
    });
    await call();
    const aborted = [call('/stats', waiting.signal), call('/artist', queued.signal)];
    const last = call();
    await isWaiting.promise;
    queued.abort(reason);
    await assert.rejects(aborted[1] as Promise<unknown>, reason);
    waiting.abort(reason);
    await assert.rejects(aborted[0] as Promise<unknown>, reason);
    await last;
    assert.deepEqual(statuses, [200, 200]);
    assert.deepEqual(sleeps, [1000, 1000]);
  });

  test('ends its wait for a retry', async () => {
    const control = new AbortController();
    const { call, callFromElsewhere, statuses, sleeps } = newClient(
      { onWait: () => queueMicrotask(() => control.abort(reason)) },
      sleepUntilAborted,
    );
    await callFromElsewhere();
    await assert.rejects(call('/image/random', control.signal), reason);
    assert.deepEqual(statuses, [200, 429]);
    assert.deepEqual(sleeps, [4250]);
  });

  test('ends the request in flight', async () => {
    const control = new AbortController();
    const server = createServer(() => control.abort(reason)).listen(0);
    after(() => server.close().closeAllConnections());
    const zukan = new Zukan({ origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    await assert.rejects(zukan.stats({ signal: control.signal }), reason);
    await assert.rejects(zukan.stats({ signal: AbortSignal.abort(reason) }), reason);
  });

  test('ends an iterator after the page it already has', async () => {
    const control = new AbortController();
    const zukan = new Zukan({ origin, token: exempt.secret });
    const artists = zukan.every('artists', {}, { signal: control.signal });
    assert.equal((await artists.next()).done, false);
    control.abort(reason);
    assert.equal((await Array.fromAsync(artists)).length, 4);
    await assert.rejects(zukan.every('artists', {}, { signal: control.signal }).next(), reason);
  });
});

describe('the system timer', () => {
  test('sleeps for the requested time', async ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    let isAwake = false;
    const control = new AbortController();
    const sleep = systemTimer.sleep(1000, control.signal).then(() => {
      isAwake = true;
    });
    mock.timers.tick(999);
    await Promise.resolve();
    assert.equal(isAwake, false);
    mock.timers.tick(1);
    await sleep;
    assert.equal(isAwake, true);
  });

  test('wakes with the reason when the signal aborts, before or during the sleep', async ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const control = new AbortController();
    const sleep = systemTimer.sleep(1000, control.signal);
    control.abort(reason);
    await assert.rejects(sleep, reason);
    await assert.rejects(systemTimer.sleep(1000, control.signal), reason);
  });
});

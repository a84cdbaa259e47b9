/** Credentials that rotate: refreshed before they expire, used by requests and links. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { S3Links } from '../../../src/media/s3/client.ts';
import {
  type Credentials,
  openCredentials,
  RefreshedCredentials,
} from '../../../src/media/s3/credentials.ts';
import { openBucket } from '../../../src/media/s3/files.ts';
import { startS3 } from '../../support/servers/s3.ts';
import { account } from '../../support/servers/s3-guard.ts';
import { temporaryFolder } from '../../support/workspace.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 1);
const folder = temporaryFolder();
const credentialsOf = (name: string, expires = START + 60 * MINUTE): Credentials => ({
  accessKeyId: `id-${name}`,
  secretAccessKey: `secret-${name}`,
  sessionToken: `token-${name}`,
  expires,
});

describe('refreshes', () => {
  /** Each load returns what `next` does. */
  function prepare(next: (call: number) => Credentials | Error) {
    const state = { now: START, calls: 0, failures: [] as string[] };
    const timers: { delay: number; elapse: () => void; isStopped: boolean }[] = [];
    const provider = new RefreshedCredentials({
      clock: () => state.now,
      onFailure: ({ message }) => state.failures.push(message),
      startTimer(delay, elapse) {
        const timer = { delay, elapse, isStopped: false };
        timers.push(timer);
        return () => {
          timer.isStopped = true;
        };
      },
      load: async () => {
        const result = next(++state.calls);
        if (result instanceof Error) throw result;
        return result;
      },
    });
    return { state, timers, provider };
  }

  test('once for many callers, ten minutes before they expire', async () => {
    const { state, provider } = prepare((call) => credentialsOf(`${call}`, START + call * 60 * MINUTE));
    const first = await Promise.all(Array.from({ length: 20 }, () => provider.get()));
    assert.equal(state.calls, 1);
    assert.equal(new Set(first).size, 1);
    state.now += 50 * MINUTE - 1;
    await provider.get();
    assert.equal(state.calls, 1);
    state.now += 1;
    // Those that are still valid are used until there are new ones.
    const second = await Promise.all(Array.from({ length: 20 }, () => provider.get()));
    assert.equal(state.calls, 2);
    assert.equal(second[0]?.accessKeyId, 'id-2');
    assert.equal((await provider.get()).accessKeyId, 'id-2');
  });

  test('again half a minute later while that fails or gives the same, and fails only when they have expired', async () => {
    const { state, provider } = prepare((call) =>
      call === 1 || call === 3
        ? credentialsOf('old')
        : call < 5
          ? new Error('away')
          : credentialsOf('new', START + 200 * MINUTE),
    );
    await provider.get();
    state.now += 50 * MINUTE;
    assert.equal((await provider.get()).accessKeyId, 'id-old');
    await provider.get();
    assert.equal(state.calls, 2);
    assert.deepEqual(state.failures, ['away']);
    state.now += MINUTE / 2;
    assert.equal((await provider.get()).accessKeyId, 'id-old');
    assert.equal(state.calls, 3);
    state.now = START + 60 * MINUTE;
    await assert.rejects(provider.get(), /away/);
    assert.equal((await provider.get()).accessKeyId, 'id-new');
  });

  test('in the background, until it is stopped', async () => {
    const { state, timers, provider } = prepare((call) =>
      credentialsOf(`${call}`, START + call * 60 * MINUTE),
    );
    await provider.get();
    const stop = provider.keepFresh();
    assert.deepEqual(
      timers.map(({ delay }) => delay),
      [50 * MINUTE],
    );
    state.now += 50 * MINUTE;
    await timers[0]?.elapse();
    assert.equal(provider.latest?.accessKeyId, 'id-2');
    assert.equal(timers[1]?.delay, 60 * MINUTE);
    stop();
    assert.equal(timers[1]?.isStopped, true);
    await timers[1]?.elapse();
    assert.equal(timers.length, 2);
  });
});

test('a request whose credentials are rejected is sent again with those of now', async () => {
  const s3 = await startS3();
  let valid = 'first';
  s3.fault = (_method, _url, headers) =>
    headers['x-amz-security-token'] === valid
      ? undefined
      : { status: 403, body: '<Error><Code>ExpiredToken</Code></Error>' };
  const path = join(folder, 'rotating');
  const write = () =>
    writeFileSync(
      path,
      `[default]\naws_access_key_id=${account.accessKeyId}\naws_secret_access_key=${account.secretAccessKey}\naws_session_token=${valid}\n`,
    );
  write();
  let now = START;
  const credentials = openCredentials({ from: 'file', path, profile: 'default' }, { clock: () => now });
  const files = openBucket({ ...s3.location, credentials }, folder, { retryDelay: 1 });
  assert.equal(await files.open('none'), undefined);
  valid = 'second';
  // Nobody has written the new ones yet.
  now += MINUTE / 10;
  await assert.rejects(files.open('none'), /403/);
  write();
  // They were read a moment ago.
  await assert.rejects(files.open('none'), /403/);
  now += MINUTE / 10;
  s3.requests.length = 0;
  assert.equal(await files.open('none'), undefined);
  assert.equal(s3.requests.length, 2);
  assert.equal(await files.open('none'), undefined);
  assert.equal(s3.requests.length, 3);
});

test('a link never outlives the credentials that signed it', async () => {
  const s3 = await startS3();
  // The server knows the time.
  const start = Math.floor(Date.now() / 1000) * 1000;
  const expires = start + 30 * MINUTE + 999;
  const provider = new RefreshedCredentials({
    load: async () => ({ ...account, sessionToken: 'a+/=', expires }),
  });
  await provider.get();
  const links = new S3Links({ ...s3.location, credentials: provider });
  const begins = start / 1000;
  for (const lifetime of [60, 30 * 60, 30 * 60 + 1, 604_800]) {
    const { url, expires: iso } = links.signer('', { begins, expires: begins + lifetime })({
      fileName: '',
      key: 'some/key.png',
    });
    const { searchParams } = new URL(url);
    assert.equal(Date.parse(iso), start + Math.min(lifetime, 30 * 60) * 1000);
    assert.equal(Number(searchParams.get('X-Amz-Expires')), Math.min(lifetime, 30 * 60));
    assert.equal(searchParams.get('X-Amz-Security-Token'), 'a+/=');
    // 404: the server accepts the signature.
    assert.equal((await fetch(url)).status, 404);
  }
});

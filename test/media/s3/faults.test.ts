/** Faults of a bucket: retries, timeouts, and the error messages. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { beforeEach, test } from 'node:test';
import type { StartTimer } from '../../../src/lib/clock.ts';
import { Unavailable } from '../../../src/lib/metrics.ts';
import type { OpenFile } from '../../../src/media/files.ts';
import type { S3Location, S3Options } from '../../../src/media/s3/client.ts';
import { fixedCredentials } from '../../../src/media/s3/credentials.ts';
import { openBucket } from '../../../src/media/s3/files.ts';
import { freePort } from '../../support/servers/redis.ts';
import { type Fault, startS3 } from '../../support/servers/s3.ts';
import { account } from '../../support/servers/s3-guard.ts';
import { until } from '../../support/until.ts';
import { temporaryFolder } from '../../support/workspace.ts';

const s3 = await startS3();
const folder = temporaryFolder();
const bytes = Buffer.from('picture');
const facts = { hash: hash('sha256', bytes), mimetype: 'image/png' } as const;
const bucket = (changes: Partial<S3Location> = {}, options: S3Options = {}) =>
  openBucket({ ...s3.location, ...changes }, folder, { retryDelay: 1, ...options });
const count = (method: string) => s3.requests.filter((line) => line.startsWith(method)).length;

beforeEach(() => {
  s3.requests = [];
  s3.fault = () => undefined;
});

/** Injects a fault into the next requests with this method. */
function inject(method: string, fault: Fault, times = Number.POSITIVE_INFINITY): void {
  let left = times;
  s3.fault = (called) => {
    if (called !== method || left === 0) return undefined;
    left -= 1;
    return fault;
  };
}

/** Timeouts that a test expires itself. Retry delays, which are shorter, elapse at once. */
function manualTimers(timeout: number) {
  const delays: number[] = [];
  const timeouts: (() => void)[] = [];
  const startTimer: StartTimer = (milliseconds, onElapsed) => {
    if (milliseconds < timeout) {
      delays.push(milliseconds);
      onElapsed();
    } else {
      timeouts.push(onElapsed);
    }
    return () => {};
  };
  return { delays, timeouts, startTimer, timeout };
}

async function put(key: string, files = bucket()): Promise<string> {
  const upload = await files.beginUpload();
  try {
    return await upload.put(key, bytes, facts);
  } finally {
    await upload.finish();
  }
}

function read(file: OpenFile | undefined, start: number, end: number): Promise<string> {
  assert.ok(file);
  return text(file.stream(start, end));
}

/** The error, which must not contain a secret. */
async function failureOf(work: Promise<unknown>): Promise<Error> {
  const error = await work.then(
    () => assert.fail('no error'),
    (error: Error) => error,
  );
  assert.doesNotMatch(error.message, /S3RVER|GUESSED/);
  return error;
}

for (const status of [429, 500, 502, 503, 504]) {
  test(`retries three times after a ${status}`, async () => {
    inject('PUT', { status }, 3);
    assert.equal(await put(`key ${status}`), hash('md5', bytes));
    assert.equal(count('PUT'), 4);
    inject('HEAD', { status, body: 'busy' });
    const error = await failureOf(bucket().open(`key ${status}`));
    assert.ok(error instanceof Unavailable);
    assert.match(
      error.message,
      new RegExp(`responded ${status} to HEAD key ${status} in the bucket "zukan"`),
    );
  });
}

test('does not retry other errors', async () => {
  inject('PUT', {
    status: 501,
    body: '<Error><Code>NotImplemented</Code><Message>A\nheader.</Message></Error>',
  });
  const error = await failureOf(put('a'));
  assert.ok(!(error instanceof Unavailable));
  assert.match(error.message, /responded 501 NotImplemented \(A header\.\) to PUT a/);
  assert.equal(count('PUT'), 1);
});

test('an outage of the bucket is noticed by one request in half a minute', async () => {
  let now = 0;
  const files = openBucket(s3.location, folder, { retryDelay: 1 }, () => now);
  const fails = () =>
    files.verify().then(
      () => false,
      () => true,
    );
  assert.equal(await fails(), false);
  await until('the bucket was asked', () => count('HEAD') === 1);
  inject('HEAD', { status: 503 });
  assert.equal(await fails(), false);
  assert.equal(count('HEAD'), 1);
  now = 30_000;
  await until('the outage is noticed', fails);
  assert.equal(count('HEAD'), 5, 'retried three times');
  inject('HEAD', { status: 403 });
  now = 60_000;
  await until('it responds again', async () => !(await fails()));
});

test('triples the delay before each retry', async () => {
  inject('HEAD', { status: 503 });
  const { delays, startTimer, timeout } = manualTimers(5000);
  await failureOf(bucket({}, { retryDelay: 20, timeout, startTimer }).open('a'));
  assert.deepEqual(delays, [20, 60, 180]);
});

test('retries after a timeout', async () => {
  inject('HEAD', 'silence', 1);
  const { timeouts, startTimer, timeout } = manualTimers(5000);
  const opening = bucket({}, { timeout, startTimer }).open('nothing');
  await until('the request arrives', () => count('HEAD') === 1);
  timeouts[0]?.();
  assert.equal(await opening, undefined);
  assert.equal(count('HEAD'), 2);
});

test('fails if every attempt times out', async () => {
  inject('HEAD', 'silence');
  const error = await failureOf(bucket({}, { timeout: 30 }).open('nothing'));
  assert.ok(error instanceof Unavailable);
  assert.match(error.message, /S3 at http:.* is unreachable: no response within 0\.03 s/);
});

test('gives larger uploads more time', async () => {
  const limits: number[] = [];
  const startTimer: StartTimer = (milliseconds) => {
    limits.push(milliseconds);
    return () => {};
  };
  const upload = await bucket({}, { timeout: 5000, startTimer }).beginUpload();
  const large = Buffer.alloc(1_000_000);
  await upload.put('large', large, { hash: hash('sha256', large), mimetype: 'image/png' });
  await upload.finish();
  assert.deepEqual(limits, [5000, 15_000], 'HEAD and PUT');
});

test('fails if a download stalls', async () => {
  await put('stalling');
  const { timeouts, startTimer, timeout } = manualTimers(5000);
  const file = await bucket({}, { timeout, startTimer }).open('stalling');
  inject('GET', 'stall');
  const failed = failureOf(read(file, 0, 9));
  // The timeouts are for HEAD, GET, the first chunk and the second chunk.
  await until('it waits for the second chunk', () => timeouts.length === 4);
  timeouts[3]?.();
  const error = await failed;
  assert.ok(error instanceof Unavailable);
  assert.match(error.message, /stopped in the middle of stalling: no more bytes within 5 s/);
});

test('retries a download, and fails with the error of S3', async () => {
  await put('streamed');
  const file = await bucket().open('streamed');
  inject('GET', { status: 503 }, 2);
  assert.equal(await read(file, 0, 6), 'picture');
  inject('GET', { status: 503 });
  assert.ok((await failureOf(read(file, 0, 6))) instanceof Unavailable);
  s3.fault = () => undefined;
  assert.match((await failureOf(read(file, 0, 70))).message, /sent 7 bytes .* instead of 71/);
  await bucket().remove(['streamed']);
  assert.match((await failureOf(read(file, 0, 6))).message, /404 NoSuchKey/);
});

test('aborts the request when the stream is destroyed', async () => {
  await put('unwanted');
  const file = await bucket({}, { timeout: 60_000 }).open('unwanted');
  inject('GET', 'silence');
  const stream = file?.stream(0, 6);
  stream?.resume();
  await until('the request arrives', () => count('GET') === 1);
  stream?.destroy();
  await until('the request is aborted', () => count('aborted') === 1);
  assert.equal(count('GET'), 1);
});

test('the server rejects an upload that was changed on the way', async () => {
  inject('PUT', { sent: Buffer.from('pictvre') });
  assert.match((await failureOf(put('changed'))).message, /400 XAmzContentSHA256Mismatch/);
  assert.equal(await bucket().open('changed'), undefined);
});

test('rejects an upload that the server stored wrongly, and can remove it', async () => {
  inject('PUT', { stored: Buffer.from('pictvre') });
  const upload = await bucket().beginUpload();
  const error = await failureOf(upload.put('changed', bytes, facts));
  assert.match(error.message, /S3 stored different bytes under changed/);
  assert.equal((await bucket().open('changed'))?.size, 7);
  assert.deepEqual(upload.newKeys(), ['changed']);
  await bucket().remove(['changed']);
  await upload.finish();
  assert.equal(await bucket().open('changed'), undefined);
});

test('ignores that a removed file is missing, but not that the bucket is', async () => {
  const missing = (code: string) => ({ status: 404, body: `<Error><Code>${code}</Code></Error>` });
  inject('DELETE', missing('NoSuchKey'));
  await bucket().remove(['gone']);
  inject('DELETE', missing('NoSuchBucket'));
  assert.match((await failureOf(bucket().remove(['gone']))).message, /the bucket does not exist/);
});

test('explains wrong credentials', async () => {
  for (const changes of [{ secretAccessKey: 'GUESSED' }, { accessKeyId: 'GUESSED' }]) {
    const files = bucket({ credentials: fixedCredentials({ ...account, ...changes }) });
    assert.match(
      (await failureOf(files.open('a'))).message,
      /403.* AWS_ACCESS_KEY_ID .*AWS_SECRET_ACCESS_KEY/,
    );
    const { message } = await failureOf(Array.fromAsync(files.keys()));
    assert.match(
      message,
      /403 SignatureDoesNotMatch \(No\.\) to GET \(list\) in the bucket "zukan": check AWS_/,
    );
  }
});

test('explains a wrong bucket', async () => {
  const files = bucket({ bucket: 'elsewhere' });
  for (const work of [() => put('a', files), () => Array.fromAsync(files.keys())])
    assert.match(
      (await failureOf(work())).message,
      /NoSuchBucket .*"elsewhere": the bucket does not exist; create it, or correct FILES_URL$/,
    );
});

test('explains a wrong region', async () => {
  const headers = { 'x-amz-bucket-region': 'eu-west-3', location: 'http://127.0.0.1:1/' };
  inject('HEAD', { status: 301, headers });
  assert.match(
    (await failureOf(bucket().open('a'))).message,
    /301 .*"zukan": the bucket is in the region eu-west-3; set region=eu-west-3 in FILES_URL$/,
  );
  inject('HEAD', { status: 307, headers: { location: 'http://127.0.0.1:1/' } });
  assert.match(
    (await failureOf(bucket().open('a'))).message,
    /307 .*check the region and the endpoint in FILES_URL$/,
  );
});

test('explains a wrong clock', async () => {
  const files = bucket({}, { clock: () => Date.now() - 3_600_000 });
  const { message } = await failureOf(Array.fromAsync(files.keys()));
  assert.match(message, /403 RequestTimeTooSkewed .*: the clock of this machine is wrong; set it$/);
});

test('explains an unreachable server', async () => {
  const endpoint = `http://127.0.0.1:${await freePort()}`;
  const error = await failureOf(bucket({ endpoint }).open('a'));
  assert.ok(error instanceof Unavailable);
  assert.equal(error.message, `S3 at ${endpoint} is unreachable: ECONNREFUSED`);
});

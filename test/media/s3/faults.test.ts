/** Buckets in trouble: what is tried again, what is refused, and what people are told. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { beforeEach, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Unavailable } from '../../../src/errors.ts';
import type { OpenFile } from '../../../src/media/files.ts';
import type { S3Options } from '../../../src/media/s3/client.ts';
import { openBucket } from '../../../src/media/s3/files.ts';
import type { S3Location } from '../../../src/media/s3/location.ts';
import { freePort } from '../../support/redis.ts';
import { startS3, type Trouble } from '../../support/s3.ts';
import { temporaryFolder } from '../../support/workspace.ts';

const s3 = await startS3();
const folder = temporaryFolder();
const bytes = Buffer.from('picture');
const facts = { hash: hash('sha256', bytes), mimetype: 'image/png' } as const;
const bucket = (changes: Partial<S3Location> = {}, options: S3Options = {}) =>
  openBucket({ ...s3.location, ...changes }, folder, { pause: 1, ...options });
const count = (method: string) => s3.requests.filter((line) => line.startsWith(method)).length;

beforeEach(() => {
  s3.requests = [];
  s3.trouble = () => undefined;
});

/** Makes trouble so many times, for one method. */
function disturb(method: string, trouble: Trouble, times = Number.POSITIVE_INFINITY): void {
  let left = times;
  s3.trouble = (called) => {
    if (called !== method || left === 0) return undefined;
    left -= 1;
    return trouble;
  };
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

/** The error, which tells no secret. */
async function failureOf(work: Promise<unknown>): Promise<Error> {
  const error = await work.then(
    () => assert.fail('it worked'),
    (error: Error) => error,
  );
  assert.doesNotMatch(error.message, /S3RVER|GUESSED/);
  return error;
}

for (const status of [429, 500, 502, 503, 504]) {
  test(`${status} is tried again, three times`, async () => {
    disturb('PUT', { status }, 3);
    assert.equal(await put(`key ${status}`), hash('md5', bytes));
    assert.equal(count('PUT'), 4);
    disturb('HEAD', { status, body: 'busy' });
    const error = await failureOf(bucket().open(`key ${status}`));
    assert.ok(error instanceof Unavailable);
    assert.match(error.message, new RegExp(`answered ${status} to HEAD key ${status} in the bucket "zukan"`));
  });
}

test('what is not of passing is not tried again', async () => {
  disturb('PUT', {
    status: 501,
    body: '<Error><Code>NotImplemented</Code><Message>A\nheader.</Message></Error>',
  });
  const error = await failureOf(put('a'));
  assert.ok(!(error instanceof Unavailable));
  assert.match(error.message, /answered 501 NotImplemented \(A header\.\) to PUT a/);
  assert.equal(count('PUT'), 1);
});

test('the pauses between tries grow', async () => {
  disturb('HEAD', { status: 503 });
  const began = performance.now();
  await failureOf(bucket({}, { pause: 20 }).open('a'));
  const took = performance.now() - began;
  assert.ok(took >= 20 + 60 + 180 - 5, `${took} ms`);
});

test('a server that never answers is given up', async () => {
  disturb('HEAD', 'silence', 1);
  assert.equal(await bucket({}, { patience: 200 }).open('nothing'), undefined);
  assert.ok(count('HEAD') >= 2);
  disturb('HEAD', 'silence');
  const error = await failureOf(bucket({}, { patience: 30 }).open('nothing'));
  assert.ok(error instanceof Unavailable);
  assert.match(error.message, /S3 at http:.* cannot be reached: no answer within 0\.03 s/);
});

test('a server that stops in the middle is given up', async () => {
  await put('stalling');
  const file = await bucket({}, { patience: 200 }).open('stalling');
  disturb('GET', 'stall');
  const error = await failureOf(read(file, 0, 9));
  assert.ok(error instanceof Unavailable);
  assert.match(error.message, /broke off in the middle of stalling: no more bytes within 0\.2 s/);
});

test('a stream fails with what S3 says, and is tried again before', async () => {
  await put('streamed');
  const file = await bucket().open('streamed');
  disturb('GET', { status: 503 }, 2);
  assert.equal(await read(file, 0, 6), 'picture');
  disturb('GET', { status: 503 });
  assert.ok((await failureOf(read(file, 0, 6))) instanceof Unavailable);
  s3.trouble = () => undefined;
  assert.match((await failureOf(read(file, 0, 70))).message, /sent 7 bytes .* where 71/);
  await bucket().remove('streamed');
  assert.match((await failureOf(read(file, 0, 6))).message, /404 NoSuchKey/);
});

test('a stream that is left lets go of S3', { timeout: 5000 }, async () => {
  await put('unwanted');
  const file = await bucket({}, { patience: 60_000 }).open('unwanted');
  disturb('GET', 'silence');
  const stream = file?.stream(0, 6);
  stream?.resume();
  while (count('GET') === 0) await setTimeout(5);
  stream?.destroy();
  while (count('given up') === 0) await setTimeout(5);
  assert.equal(count('GET'), 1);
});

test('an upload that arrives changed is refused by the server', async () => {
  disturb('PUT', { sent: Buffer.from('pictvre') });
  assert.match((await failureOf(put('changed'))).message, /400 XAmzContentSHA256Mismatch/);
  assert.equal(await bucket().open('changed'), undefined);
});

test('an upload that a careless server stores changed is refused by us, and can be removed', async () => {
  disturb('PUT', { stored: Buffer.from('pictvre') });
  const upload = await bucket().beginUpload();
  const error = await failureOf(upload.put('changed', bytes, facts));
  assert.match(error.message, /S3 stored other bytes under changed than were sent/);
  assert.equal((await bucket().open('changed'))?.size, 7);
  assert.deepEqual(upload.newKeys(), ['changed']);
  await bucket().remove('changed');
  await upload.finish();
  assert.equal(await bucket().open('changed'), undefined);
});

test('what is gone already is as good as removed, but not in a bucket that does not exist', async () => {
  const missing = (code: string) => ({ status: 404, body: `<Error><Code>${code}</Code></Error>` });
  disturb('DELETE', missing('NoSuchKey'));
  await bucket().remove('gone');
  disturb('DELETE', missing('NoSuchBucket'));
  assert.match((await failureOf(bucket().remove('gone'))).message, /there is no such bucket/);
});

test('wrong credentials', async () => {
  for (const changes of [{ secretAccessKey: 'GUESSED' }, { accessKeyId: 'GUESSED' }]) {
    const files = bucket(changes);
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

test('a wrong bucket', async () => {
  const files = bucket({ bucket: 'elsewhere' });
  for (const work of [() => put('a', files), () => Array.fromAsync(files.keys())])
    assert.match((await failureOf(work())).message, /NoSuchBucket .*"elsewhere": there is no such bucket$/);
});

test('a wrong region', async () => {
  const headers = { 'x-amz-bucket-region': 'eu-west-3', location: 'http://127.0.0.1:1/' };
  disturb('HEAD', { status: 301, headers });
  assert.match((await failureOf(bucket().open('a'))).message, /301 .*"zukan": its region is eu-west-3$/);
  disturb('HEAD', { status: 307, headers: { location: 'http://127.0.0.1:1/' } });
  assert.match((await failureOf(bucket().open('a'))).message, /307 .*check its region and the endpoint$/);
});

test('a wrong clock', async () => {
  const files = bucket({}, { clock: () => Date.now() - 3_600_000 });
  const { message } = await failureOf(Array.fromAsync(files.keys()));
  assert.match(message, /403 RequestTimeTooSkewed .*: set the clock of this machine$/);
});

test('a server that is not there', async () => {
  const endpoint = `http://127.0.0.1:${await freePort()}`;
  const error = await failureOf(bucket({ endpoint }).open('a'));
  assert.ok(error instanceof Unavailable);
  assert.equal(error.message, `S3 at ${endpoint} cannot be reached: ECONNREFUSED`);
});

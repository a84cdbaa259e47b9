/** Bytes in a bucket, over the real protocol; trouble is in s3-trouble.test.ts. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { beforeEach, test } from 'node:test';
import type { Files } from '../../../src/media/files.ts';
import { openBucket } from '../../../src/media/s3/files.ts';
import { startS3 } from '../../support/s3.ts';
import { temporaryFolder } from '../../support/workspace.ts';

const s3 = await startS3();
const folder = temporaryFolder();
let count = 0;
let files: Files;
/** What was asked of the bucket since the test began, without where. */
const asked = () => s3.requests.map((line) => line.split(' ')[0]).join(' ');

beforeEach(() => {
  count += 1;
  files = openBucket({ ...s3.location, prefix: `test ${count}/` }, folder);
  s3.requests = [];
  s3.trouble = () => undefined;
});

const md5 = (content: string) => hash('md5', content);
const facts = (content: string) => ({ hash: hash('sha256', content), mimetype: 'image/png' as const });

async function keep(...keys: string[]): Promise<void> {
  const upload = await files.beginUpload();
  for (const key of keys) await upload.put(key, Buffer.from(key), facts(key));
  await upload.finish();
}

/** From `start` to `end`, or all of it. */
async function read(key: string, start = 0, end = Number.NaN): Promise<string | undefined> {
  const file = await files.open(key);
  return file && text(file.stream(start, end || file.size - 1));
}

async function all(listed = files): Promise<string[]> {
  return (await Array.fromAsync(listed.keys())).sort();
}

test('what is put is there, under its MD5', async () => {
  const upload = await files.beginUpload();
  assert.equal(await upload.put('ab/c.png', Buffer.from('abcdef'), facts('abcdef')), md5('abcdef'));
  await upload.flush();
  await upload.finish();
  const file = await files.open('ab/c.png');
  assert.equal(file?.size, 6);
  assert.equal(file?.eTag, md5('abcdef'));
  assert.equal(await read('ab/c.png'), 'abcdef');
  await file?.close();
  await files.remove('ab/c.png');
  assert.equal(await files.open('ab/c.png'), undefined);
  await files.remove('ab/c.png');
});

test('a range is just these bytes, and they are asked for when they are read', async () => {
  await keep('0123456789');
  assert.equal(await read('0123456789', 2, 5), '2345');
  assert.equal(await read('0123456789', 9, 9), '9');
  const file = await files.open('0123456789');
  s3.requests = [];
  const stream = file?.stream(2, 5);
  assert.equal(asked(), '');
  stream?.destroy();
});

test('a large object comes whole, and may be left in the middle', async () => {
  const large = 'picture'.repeat(700_000);
  const upload = await files.beginUpload();
  await upload.put('large', Buffer.from(large), facts(large));
  assert.equal(await read('large'), large);
  const file = await files.open('large');
  for await (const chunk of file?.stream(0, large.length - 1) ?? []) {
    assert.ok((chunk as Buffer).length < large.length);
    break;
  }
  await upload.finish();
});

test('the same bytes are not sent again', async () => {
  const upload = await files.beginUpload();
  const first = await upload.put('a', Buffer.from('same'), facts('same'));
  assert.equal(await upload.put('a', Buffer.from('same'), facts('same')), first);
  assert.equal(asked(), 'HEAD PUT HEAD');
  await upload.finish();
});

test('other bytes of the same size replace what was there, which is nothing new', async () => {
  await keep('a');
  const upload = await files.beginUpload();
  assert.equal(await upload.put('a', Buffer.from('b'), facts('b')), md5('b'));
  assert.deepEqual(await files.abandonedKeys(), []);
  assert.deepEqual(upload.newKeys(), []);
  await upload.finish();
  assert.equal(await read('a'), 'b');
});

test('where the ETag is no digest, our own hash tells what is the same', async () => {
  await keep('a');
  const eTag = 'd41d8cd98f00b204e9800998ecf8427e-2';
  s3.trouble = () => ({ answered: { etag: `W/"${eTag}"` } });
  const upload = await files.beginUpload();
  s3.requests = [];
  assert.equal(await upload.put('a', Buffer.from('a'), facts('a')), eTag);
  assert.equal(asked(), 'HEAD');
  assert.equal(await upload.put('a', Buffer.from('b'), facts('b')), eTag);
  assert.equal(asked(), 'HEAD HEAD PUT');
  await upload.finish();
});

test('where the bucket encrypts with a key of its own, the ETag is taken as it comes', async () => {
  const eTag = md5('encrypted');
  s3.trouble = () => ({ answered: { etag: `"${eTag}"`, 'x-amz-server-side-encryption': 'aws:kms' } });
  const upload = await files.beginUpload();
  assert.equal(await upload.put('a', Buffer.from('a'), facts('a')), eTag);
  assert.equal(await upload.put('a', Buffer.from('a'), facts('a')), eTag);
  assert.equal(asked(), 'HEAD PUT HEAD');
  await upload.finish();
});

test('what was not there before is told apart, and left to the next import if need be', async () => {
  await keep('old');
  const upload = await files.beginUpload();
  for (const key of ['old', 'new', 'b/new']) await upload.put(key, Buffer.from(key), facts(key));
  assert.deepEqual(await all(), ['b/new', 'new', 'old']);
  assert.deepEqual(upload.newKeys(), ['new', 'b/new']);
  await upload.abandon();
  assert.deepEqual(await files.abandonedKeys(), ['new', 'b/new']);
  await files.clearAbandoned();
  assert.deepEqual(readdirSync(folder), []);
});

test('an upload that was killed is known by its journal', async () => {
  const killed = await files.beginUpload();
  for (const key of ['a', 'ö/"b" c']) await killed.put(key, Buffer.from(key), facts(key));
  assert.deepEqual(await files.abandonedKeys(), ['a', 'ö/"b" c']);
  await files.clearAbandoned();
  assert.deepEqual(await files.abandonedKeys(), []);
  assert.deepEqual(await all(), ['a', 'ö/"b" c'], 'what becomes of the bytes is for others to decide');
  await killed.finish();
});

test('a key is in the journal before its bytes are there', async () => {
  const upload = await files.beginUpload();
  let noted: Promise<string[]> | undefined;
  s3.trouble = (method) => {
    if (method === 'PUT') noted = files.abandonedKeys();
    return undefined;
  };
  await upload.put('a', Buffer.from('a'), facts('a'));
  assert.deepEqual(await noted, ['a']);
  await upload.finish();
  assert.deepEqual(await files.abandonedKeys(), []);
});

test('a rehearsal tells the ETag and changes nothing', async () => {
  const rehearsal = files.dryRunUpload();
  assert.equal(await rehearsal.put('a', Buffer.from('a'), facts('a')), md5('a'));
  await rehearsal.flush();
  await rehearsal.finish();
  assert.deepEqual(rehearsal.newKeys(), []);
  assert.equal(asked(), 'HEAD');
  assert.deepEqual(readdirSync(folder), []);
});

const awkward = [
  'a b.png',
  'a+b.png',
  'a%20b.png',
  "!*'().png",
  '"<&>".png',
  '猫/ネコ 🐈.png',
  '&amp;.png',
  '#?=;.png',
];

test('keys may be awkward', async () => {
  await keep(...awkward);
  assert.deepEqual(await all(), awkward.toSorted());
  for (const key of awkward) assert.equal(await read(key), key);
  for (const key of awkward) await files.remove(key);
  assert.deepEqual(await all(), []);
});

test('only what is under the prefix and not hidden is listed', async () => {
  await keep('a', 'b/c', '.d', 'e/.f/g', 'folder/');
  const whole = openBucket(s3.location, folder);
  const here = `test ${count}/`;
  assert.deepEqual(await all(), ['a', 'b/c']);
  assert.deepEqual(
    (await all(whole)).filter((key) => key.startsWith(here)),
    [`${here}a`, `${here}b/c`],
  );
});

test('a listing of several pages is read to its end', async () => {
  // s3rver cannot do this: it makes its tokens with DES, which Node has no more.
  const keys = Array.from({ length: 2003 }, (_, index) => `k${index}`);
  s3.trouble = (_method, url) => {
    const start = Number(new URLSearchParams(url.split('?')[1]).get('continuation-token') ?? 0);
    const page = keys
      .slice(start, start + 1000)
      .map((key) => `<Contents><Key>test ${count}/${key}</Key></Contents>`);
    const next =
      start + 1000 < keys.length ? `<NextContinuationToken>${start + 1000}</NextContinuationToken>` : '';
    return { status: 200, body: `<ListBucketResult>${next}${page.join('')}</ListBucketResult>` };
  };
  assert.deepEqual(await Array.fromAsync(files.keys()), keys);
  assert.equal(asked(), 'GET GET GET');
});

test('a listing is understood as Amazon writes it', async () => {
  const page = (rest: string) => `<?xml version="1.0"?><ListBucketResult>${rest}</ListBucketResult>`;
  const key = (name: string) => `<Contents><Key>${name}</Key><Size>1</Size></Contents>`;
  const start = `<Prefix>test+${count}/</Prefix><EncodingType>url</EncodingType>`;
  const encoded = ['a+b', 'a%2Bb', '%E7%8C%AB', '%22%3C%26%3E%22', '(x)*', '&apos;'];
  const pages = [
    page(
      `${start}<IsTruncated>true</IsTruncated><NextContinuationToken>1/&lt;+&#61;</NextContinuationToken>` +
        encoded.map((name) => key(`test+${count}/${name}`)).join(''),
    ),
    page(`${start}<IsTruncated>false</IsTruncated>${key('elsewhere/a')}${key(`test+${count}/last`)}`),
  ];
  s3.trouble = () => ({ status: 200, body: pages.shift() ?? '' });
  assert.deepEqual(await Array.fromAsync(files.keys()), ['a b', 'a+b', '猫', '"<&>"', '(x)*', "'", 'last']);
  const query = new URLSearchParams(s3.requests[1]?.split('?')[1]);
  assert.equal(query.get('continuation-token'), '1/<+=');
  assert.equal(query.get('prefix'), `test ${count}/`);
});

test('a listing that cannot be right is an error', async () => {
  const cut = '<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>';
  for (const [body, reason] of [
    ['<html></html>', /no listing/],
    [cut, /cut its listing short/],
  ] as const) {
    s3.trouble = () => ({ status: 200, body });
    await assert.rejects(all(), reason);
  }
});

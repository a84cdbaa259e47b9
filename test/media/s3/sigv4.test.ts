/** Signature Version 4, compared with the examples in Amazon's documentation and with its SDK. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodePath, encodeQuery, type Signable, Signer } from '../../../src/media/s3/sigv4.ts';
import { character } from '../../support/characters.ts';
import { officialSigner, parseAmzDate } from '../../support/servers/aws.ts';

const EMPTY = hash('sha256', '');
const documented = {
  region: 'us-east-1',
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};

/** https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html */
const examples: (Partial<Signable> & { signature: string })[] = [
  {
    path: '/test.txt',
    headers: { range: 'bytes=0-9' },
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  {
    method: 'PUT',
    path: encodePath('/test$file.text'),
    headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
    contentHash: hash('sha256', 'Welcome to Amazon S3.'),
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  {
    query: encodeQuery({ prefix: 'J', 'max-keys': '2' }),
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
];

for (const { signature, ...example } of examples) {
  test(`signs the documented ${example.method ?? 'GET'} ${example.path ?? example.query}`, () => {
    const common = { method: 'GET', path: '/', query: '', headers: {}, contentHash: EMPTY };
    const request = { ...common, host: 'examplebucket.s3.amazonaws.com', ...example };
    const { authorization } = new Signer(documented.region, documented).headers(
      request,
      Date.UTC(2013, 4, 24),
    );
    assert.equal(authorization?.split('Signature=')[1], signature);
  });
}

const text = fc.string({ unit: character, maxLength: 20 });
const word = fc.stringMatching(/^[!-~]{1,20}$/);
const credentials = fc.record({
  region: fc.constantFrom('us-east-1', 'eu-central-1', 'auto'),
  accessKeyId: word,
  secretAccessKey: word,
  sessionToken: fc.option(word, { nil: undefined }),
});
const seconds = fc.integer({ min: 0, max: 4_000_000_000 });

test('signs headers as the SDK does', async () => {
  // The SDK drops a parameter with this name.
  const name = text.filter((name) => name !== '__proto__');
  const query = fc.dictionary(name, text, { maxKeys: 4 });
  const headers = fc.record(
    { 'content-type': word, range: word, 'x-amz-meta-sha256': word },
    { requiredKeys: [] },
  );
  const method = fc.constantFrom('GET', 'HEAD', 'PUT', 'DELETE');
  await fc.assert(
    fc.asyncProperty(
      credentials,
      fc.record({ method, query, headers, key: text, time: seconds }),
      async (credentials, { method, query, headers, key, time }) => {
        const [host, path, contentHash] = ['s3.example:9000', `/${encodePath(key)}`, hash('sha256', key)];
        const request = { method, host, path, query: encodeQuery(query), headers, contentHash };
        const ours = new Signer(credentials.region, credentials).headers(request, time * 1000 + 999);
        const sent = { ...headers, host, 'x-amz-content-sha256': contentHash };
        const plain = { method, protocol: 'http:', hostname: '', path, query, headers: sent };
        const theirs = await officialSigner(credentials.region, credentials).sign(plain, {
          signingDate: new Date(time * 1000),
        });
        assert.deepEqual({ ...ours, host }, theirs.headers);
      },
    ),
    { numRuns: 150 },
  );
});

test('signs for different days with the same signer', () => {
  const request = { method: 'GET', host: 'h', path: '/', query: '', headers: {}, contentHash: EMPTY };
  const [days, signer] = [
    [1, 2, 1, 1].map((day) => Date.UTC(2026, 0, day)),
    new Signer(documented.region, documented),
  ];
  assert.deepEqual(
    days.map((day) => signer.headers(request, day)),
    days.map((day) => new Signer(documented.region, documented).headers(request, day)),
  );
});

test('encodes paths and queries so that they decode to the same text', () => {
  fc.assert(
    fc.property(text, (key) => {
      const encoded = encodePath(key);
      assert.match(encoded, /^([A-Za-z0-9\-._~/]|%[0-9A-F]{2})*$/);
      assert.equal(decodeURIComponent(encoded), key);
      assert.equal(new URLSearchParams(encodeQuery({ [key]: key })).get(key), key);
    }),
  );
});

test('the test support parses dates of S3', () => {
  assert.equal(parseAmzDate('20260131T123456Z').toISOString(), '2026-01-31T12:34:56.000Z');
});

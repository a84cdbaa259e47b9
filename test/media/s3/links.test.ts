/** Signature Version 4 and presigned links, compared with those of Amazon. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { S3Links } from '../../../src/media/s3/client.ts';
import { fixedCredentials } from '../../../src/media/s3/credentials.ts';
import type { S3Location } from '../../../src/media/s3/files.ts';
import { encodePath, encodeQuery, type Signable, Signer } from '../../../src/media/s3/sigv4.ts';
import { character } from '../../support/characters.ts';
import { officialLink, officialSigner, parseAmzDate } from '../../support/servers/aws.ts';

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

// Presigned links, compared with those of Amazon's SDK and used on a server.

const HOUR = 3600;
const pair = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const amazon: S3Location = {
  bucket: 'pictures',
  prefix: '',
  region: 'us-east-1',
  endpoint: undefined,
  credentials: fixedCredentials(pair),
};
const locations: [string, Partial<S3Location>][] = [
  ['at Amazon', {}],
  ['at Amazon with a prefix', { region: 'ap-northeast-1', prefix: 'zukan/images/' }],
  ['in China', { region: 'cn-north-1' }],
  [
    'with a session token',
    {
      region: 'eu-central-1',
      credentials: fixedCredentials({ ...pair, sessionToken: 'IQoJb3JpZ2lu+/X2VjE==' }),
    },
  ],
  ['for a bucket with dots', { bucket: 'pictures.example.com', region: 'eu-west-3' }],
  ['on another server', { endpoint: 'http://127.0.0.1:9000', prefix: 'a b/' }],
  [
    'on another server with TLS',
    {
      endpoint: 'https://s3.example.com',
      region: 'auto',
      credentials: fixedCredentials({ ...pair, sessionToken: 'a/b=' }),
    },
  ],
];
const keys = ['ab/cd.webp', 'a b+c%20d.png', "!*'()~-_.jpg", '猫/"ネコ" 🐈.gif', '&=?#:@$,;<>[]^`{|}.avif'];

for (const [what, changes] of locations) {
  test(`signs the same links as the SDK ${what}`, async () => {
    const location = { ...amazon, ...changes };
    const links = new S3Links(location);
    for (const [begins, expires] of [
      [1_767_225_600, 1_767_225_600 + HOUR],
      [1_767_312_059, 1_767_312_059 + links.maxLifetime],
    ] as const) {
      const signLink = links.signer('https://zukan.example', { begins, expires });
      for (const key of keys) {
        const { url, expires: iso } = signLink({ fileName: 'any.webp', key });
        assert.equal(url, await officialLink(location, key, begins, expires));
        assert.equal(iso, new Date(expires * 1000).toISOString());
      }
    }
  });
}

test('signs the same links as the SDK for any key', async () => {
  const segment = fc
    .string({ unit: character, minLength: 1, maxLength: 12 })
    .filter((text) => !/[/\\]|^\./.test(text));
  const key = fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => segments.join('/'));
  const signLink = new S3Links(amazon).signer('', { begins: 1_767_225_600, expires: 1_767_229_200 });
  await fc.assert(
    fc.asyncProperty(key, async (key) => {
      const { url } = signLink({ fileName: '', key });
      assert.equal(url, await officialLink(amazon, key, 1_767_225_600, 1_767_229_200));
      // Browsers request the link unchanged.
      assert.equal(new URL(url).href, url);
    }),
    { numRuns: 100 },
  );
});

test('links are equal if and only if their validity is', () => {
  const links = new S3Links(amazon);
  const at = (begins: number, expires: number) =>
    links.signer('', { begins, expires })({ fileName: '', key: 'a' }).url;
  const first = at(1_767_225_600, 1_767_229_200);
  assert.notEqual(at(1_767_225_601, 1_767_229_200), first);
  assert.notEqual(at(1_767_225_600, 1_767_229_201), first);
  assert.equal(at(1_767_225_600, 1_767_229_200), first);
});

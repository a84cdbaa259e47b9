/** Presigned links, compared with those of Amazon's SDK and used on a server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { S3Links } from '../../../src/media/s3/client.ts';
import { fixedCredentials } from '../../../src/media/s3/credentials.ts';
import type { S3Location } from '../../../src/media/s3/files.ts';
import { character } from '../../support/characters.ts';
import { officialLink } from '../../support/servers/aws.ts';

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

/** The check that every API test applies: a response that differs from the OpenAPI document fails. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as samples from '../../src/api/examples.ts';
import { assertDescribed } from '../support/zukan/contract.ts';
import type { Answer } from '../support/zukan/service.ts';

const headers = { 'x-request-id': 'x', 'content-type': 'application/json' };
const body = { success: true, data: [samples.image] };
const answer = (rest: Partial<Answer>, json: unknown = body): Answer => {
  const text = JSON.stringify(json);
  return { status: 200, headers, text, json, bytes: Buffer.from(text), ...rest };
};
const check = (path: string, given: Answer) =>
  assertDescribed('GET', new URL(path, 'http://localhost'), given);

describe('a test fails on', () => {
  const wrong: [string, string, Answer, RegExp][] = [
    ['an undocumented path', '/api/nowhere', answer({}), /does not document the path/],
    [
      'an undocumented status',
      '/api/stats',
      answer({ status: 404 }),
      /returned 404, which .* does not document/,
    ],
    [
      'a body without required fields',
      '/v1/image/random',
      answer({}, { success: true, data: [{}] }),
      /\/data\/0 must have/,
    ],
    [
      'an invalid field',
      '/api/image/random',
      answer({}, { ...body, data: [{ ...samples.image, nsfw: 'no' }] }),
      /nsfw/,
    ],
    [
      'an undocumented field',
      '/api/image/random',
      answer({}, { ...body, data: [{ ...samples.image, colour: 'red' }] }),
      /\/data\/0 must not have additional properties/,
    ],
    [
      'an undocumented field of an error',
      '/api/stats',
      answer({ status: 500 }, { code: 500, message: 'x', success: false, stack: 'x' }),
      /the body must not have additional properties/,
    ],
    [
      'an undocumented header',
      '/api/image/random',
      answer({ headers: { ...headers, etag: '"x"' } }),
      /with ETag/,
    ],
    ['a missing header', '/api/artist', answer({}, { success: true, data: [] }), /without X-Total-Count/],
    [
      'a redirect without its target',
      '/api/image/random/file',
      answer({ status: 302, headers: { 'x-request-id': 'x' } }),
      /without Location/,
    ],
    [
      'a missing content type',
      '/api/image/random',
      answer({ headers: { 'x-request-id': 'x' } }),
      /random returned 200 with nothing instead of application\/json/,
    ],
    ['an undocumented status of a file', '/files/x.png', answer({ status: 418 }), /returned 418, which/],
  ];
  for (const [what, path, given, message] of wrong)
    test(what, () => {
      assert.throws(() => check(path, given), message);
    });
});

test('a test passes on a documented response, and on addresses that are not documented', () => {
  check('/api/image/random', answer({}));
  check('/health/live', answer({}, { status: 'ok' }));
  check('/bucket/anything', answer({ status: 418 }));
});

test('the prefixes of the service are checked', () => {
  const given = answer({}, { success: true, data: [{}] });
  for (const [prefix, path] of [
    ['/pictures', '/pictures/image/random'],
    ['', '/image/random'],
  ] as const)
    assert.throws(
      () => assertDescribed('GET', new URL(path, 'http://localhost'), given, [prefix]),
      /must have/,
    );
});

/** Percent-encoded text is decoded as `decodeURIComponent` does, but without exceptions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeEscapes, parseQuery } from '../../src/http/request.ts';
import { decodePath } from '../../src/http/server.ts';

function reference(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

test('gives what decodeURIComponent gives, and invalid text as it is', () => {
  const byte = fc.nat({ max: 255 }).map((value) => `%${value.toString(16).padStart(2, '0')}`);
  const edges =
    '%c1%bf %c2%80 %df%bf %e0%9f%80 %e0%a0%80 %ed%9f%bf %ed%a0%80 %ef%bf%bf %f0%8f%80%80 %f0%90%80%80';
  const more = '%f4%8f%bf%bf %f4%90%80%80 %f5%80%80%80 %C3%A9 %E5%9B%B3 %F0%9F%98%80 % %4 %zz %% é 図';
  const part = fc.oneof(byte, fc.constantFrom(...`${edges} ${more}`.split(' ')), fc.string({ maxLength: 3 }));
  const text = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (text) => assert.equal(decodeEscapes(text), reference(text))),
    { numRuns: 3000 },
  );
});

test('throws no exception inside', () => {
  let errors = 0;
  const { decodeURIComponent: decode } = globalThis;
  globalThis.decodeURIComponent = (text) => {
    try {
      return decode(text);
    } catch (error) {
      errors++;
      throw error;
    }
  };
  try {
    parseQuery('%ff&%ff=%zz&%&a=%c3%28&%E5%9B%B3');
    decodePath('/api/%ff');
  } finally {
    globalThis.decodeURIComponent = decode;
  }
  assert.equal(errors, 0);
});

test('a path that is longer than any address stays as it is', () => {
  assert.equal(decodePath('/%61pi/a%2Fb'), '/api/a%2Fb');
  const long = `/api/${'%41'.repeat(400)}`;
  assert.equal(decodePath(long), long);
});

/** Who prefers HTML to JSON. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { preferredType, prefersHtml } from '../../src/http/request.ts';

const cases: [what: string, accept: string | undefined, expected: boolean][] = [
  ['Chromium', 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8', true],
  ['Firefox', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
  ['Lynx', 'text/html, text/plain, text/sgml, text/css, */*;q=0.01', true],
  ['curl', '*/*', false],
  ['a client without Accept', undefined, false],
  ['an empty Accept', '', false],
  ['axios', 'application/json, text/plain, */*', false],
  ['an image', 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8', false],
  ['HTML only', 'text/html', true],
  ['HTML in capitals, with parameters and spaces', ' TEXT/HTML ; charset=utf-8 ; Q=0.4 ', true],
  ['any text', 'text/*', true],
  ['HTML before anything', 'text/html, */*', true],
  ['any text before anything', '*/*, text/*', true],
  ['both', 'text/html, application/json', false],
  ['both, HTML first', 'text/html;q=0.9, application/json;q=0.8', true],
  ['both, JSON first', 'text/html;q=0.8, application/json;q=0.9', false],
  ['HTML last', 'text/html;q=0.1, */*', false],
  ['no HTML', 'text/html;q=0, */*', false],
  ['no HTML, and nothing else', 'text/html;q=0', false],
  ['no JSON', 'application/json;q=0, */*', true],
  ['an invalid weight', 'text/html;q=high, */*;q=0.1', false],
  ['another type', 'image/png', false],
  ['nonsense', ',;,;q=1,text,/html,text/htmlx', false],
  // Node joins repeated headers, so an empty Accept before another gives this.
  ['JSON after an empty range', ', application/json', false],
  ['JSON after an empty range with parameters', ';;q, application/json', false],
  ['names of object properties', '__proto__, constructor;q=1', false],
  ['a long header', `${'a/b;q=0.5,'.repeat(80)}text/html`, true],
  ['a header that is longer than any client needs', `${'a/b;q=0.5,'.repeat(5000)}text/html`, false],
];

for (const [what, accept, expected] of cases)
  test(`${what} ${expected ? 'prefers' : 'does not prefer'} HTML`, () => {
    assert.equal(prefersHtml(accept), expected);
  });

test('no preference is not a preference for JSON', () => {
  for (const accept of [undefined, '', '*/*', 'text/html, application/json', 'image/png'])
    assert.equal(preferredType(accept), undefined, `${accept}`);
  for (const accept of ['application/json', 'application/*', 'application/json, */*', 'text/html;q=0, */*'])
    assert.equal(preferredType(accept), 'json', accept);
  assert.equal(preferredType('text/html'), 'html');
});

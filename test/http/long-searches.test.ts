/** A search that takes too long, on pages, in feeds and in the API: whoever sent it learns what to write instead. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SearchTooLong } from '../../src/catalogue/search/scan.ts';
import { restoreDemo } from '../support/catalogues/demo.ts';
import { startWrapped } from '../support/zukan/wrapped-catalogue.ts';

test('is a 503 that says so, not a failure of the service', async () => {
  const refuse = async () => {
    throw new SearchTooLong();
  };
  const get = await startWrapped(await restoreDemo(), (catalogue) => {
    const calls = ['search', 'searchAll', 'randomImages', 'latestImages', 'images'] as const;
    return Object.assign(Object.create(catalogue), Object.fromEntries(calls.map((name) => [name, refuse])));
  });
  const paths = ['search', 'image/random', 'image/latest', 'image/random/file'];
  for (const path of [
    ...paths.map((name) => `/api/${name}?q=a`),
    '/api/artist?search=a%25',
    '/feed.xml?q=a',
  ]) {
    const { status, json, headers } = await get(path);
    assert.equal(status, 503, path);
    assert.match(json.message, /^This search takes too long .*: use rarer words/);
    assert.equal(headers['retry-after'], '60');
  }
  const page = await get('/search?q=a', { Accept: 'text/html' });
  assert.equal(page.status, 503);
  assert.equal(page.headers['retry-after'], '60');
  assert.match(page.text, /This search takes too long .*: use rarer words/);
});

/** What folders say about their pictures. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choose, describeKept, isSameChoice } from '../../src/cli/importing/options.ts';
import { inherit, parseFolderFile, usedFolders } from '../../src/import/sources/walk.ts';

test('chooses the folders that are categories', () => {
  const folders = ['a', 'b', 'c'];
  assert.deepEqual(usedFolders(folders, 'all'), folders);
  assert.deepEqual(usedFolders(folders, 'last'), ['c']);
  assert.deepEqual(usedFolders(folders, 'none'), []);
  assert.deepEqual(usedFolders(folders, 2), ['a', 'b']);
  assert.deepEqual(usedFolders(folders, 9), folders);
  assert.deepEqual(usedFolders([], 'last'), []);
  const meaningless =
    'Backup of Art|old|Camera|Takeout|New Folder (2)|DCIM|100APPLE|101_PANA|Art - Copy|old2|Photos from 2024';
  assert.deepEqual(usedFolders(meaningless.split('|'), 'meaningful'), []);
  const names = ['Art', 'Old Masters', 'cameras', 'Photos of Ann', '2024', 'newt', '100 foxes', 'Temple'];
  assert.deepEqual(usedFolders(names, 'meaningful'), names);
});

test('an inner folder has its own rating and artist, and more categories', () => {
  const outer = { rating: 'nsfw', artist: 'Ann', categories: ['a', 'b'] } as const;
  assert.deepEqual(inherit({ ...outer, categories: ['a', 'b'] }, { rating: 'sfw', categories: ['b', 'c'] }), {
    rating: 'sfw',
    artist: 'Ann',
    categories: ['a', 'b', 'c'],
  });
  assert.deepEqual(inherit({}, { artist: 'Bob' }), { artist: 'Bob' });
});

test('a file with anything else in it is wrong', () => {
  const wrong: [string, RegExp][] = [
    ['{"ratng":"sfw"}', /unknown field "ratng"/],
    ['{"rating":"safe"}', /rating: must be "sfw", "questionable" or "nsfw"/],
    ['{"rating":null}', /rating: must be/],
    ['{"categories":"a"}', /categories: must be a list of names/],
    ['{"categories":[1]}', /categories\.0: must be a list of names/],
    ['{"categories":["a,b"]}', /"a,b" cannot be the name of a category/],
    ['{"artist":5}', /artist: must be a name/],
    ['{"artist":""}', /artist: "" cannot be/],
    ['[]', /must be object|must match/],
    ['{', /not valid JSON/],
  ];
  for (const [text, message] of wrong) assert.throws(() => parseFolderFile(text), message, text);
  assert.deepEqual(parseFolderFile('{}'), {});
});

test('what was chosen stays until something else is', () => {
  const before = { folderCategories: 'last', exclude: ['*.tmp'], defaultRating: 'nsfw' } as const;
  assert.deepEqual(choose({ albumsFrom: 'folders' }, {}), { albumsFrom: 'folders' });
  assert.equal(describeKept({ albumsFrom: 'folders' }, {}), '--albums-from folders');
  const chosen = { ...before, exclude: ['*.tmp'] };
  assert.deepEqual(choose(chosen, {}), chosen);
  assert.deepEqual(choose(chosen, { folderCategories: 2, exclude: ['a', 'b'] }), {
    folderCategories: 2,
    exclude: ['a', 'b'],
    defaultRating: 'nsfw',
  });
  assert.deepEqual(choose(chosen, { exclude: false }), { folderCategories: 'last', defaultRating: 'nsfw' });
  assert.ok(isSameChoice(chosen, { defaultRating: 'nsfw', exclude: ['*.tmp'], folderCategories: 'last' }));
  assert.ok(!isSameChoice(chosen, {}));
  assert.equal(describeKept(chosen, { defaultRating: 'sfw' }), "--folder-categories last --exclude '*.tmp'");
  assert.equal(describeKept({}, {}), '');
});

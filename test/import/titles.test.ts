/** Titles: what the name of a file becomes, and when an image keeps the one that it has. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cutText, isTakenAt, NO_DETAILS } from '../../src/catalogue/schemas.ts';
import { baseName, planDetails, readableName } from '../../src/import/plan/image.ts';
import type { ImageLine } from '../../src/import/records/record.ts';
import { codePoint } from '../support/characters.ts';

const HASH = 'd41d8cd98f00b204e9800998ecf8427e';
const UUID = '01890a5d-ac96-774b-bcce-b302099a8057';

/** Names that say nothing. */
const nameless = [
  ...['IMG_2041.JPG', 'IMG_2041 (1).JPG', 'IMG_E2041.HEIC.jpg', 'image0.jpg', 'DSC01234.ARW.jpg'],
  ...['_DSC0123.jpg', 'DSC01234.jpg', 'PXL_20240501_120000.jpg', 'PXL_20240501_120000123.MP.jpg'],
  ...['IMG-20240501-WA0001.jpg', '20240501_120000.jpg', '0001.webp', '102932581_p0.jpg'],
  ...['Screenshot 2024-05-01 at 12.00.00.png', `${HASH}.jpg`, `${HASH}${HASH}.jpg`, `${UUID}.png`],
  ...[`${HASH} (2).jpg`, ''],
];

const names: Record<string, string> = {
  ...Object.fromEntries(nameless.map((name) => [name, ''])),
  'fox-in_the snow (2).jpg': 'fox in the snow',
  'fox-in_the snow': 'fox in the snow',
  'Fox%20in%20the%20snow.png': 'Fox in the snow',
  '100%.png': '100%',
  '50%zz.png': '50%zz',
  'cafe\u0301.jpg': 'café',
  'fox copy.jpg': 'fox',
  'fox - Copy (3).jpg': 'fox',
  'fox_copy2.jpg': 'fox',
  'photocopy.jpg': 'photocopy',
  'the best copy.jpg': 'the best',
  'copy.jpg': 'copy',
  '(2).jpg': '(2)',
  'IMG_2041 the fox.jpg': 'IMG 2041 the fox',
  'fox1.png': 'fox1',
  'dragon-3.png': 'dragon 3',
  '3 foxes.png': '3 foxes',
  '2 men.png': '2 men',
  '2-cats.png': '2 cats',
  'moon 2024.png': 'moon 2024',
  'a--b__c.png': 'a b c',
  '- fox -.png': 'fox',
  'St. Mary.png': 'St. Mary',
  '---.png': '---',
  '.png': '.png',
  'line\nfeed.png': 'line feed',
  '風景_夜.png': '風景 夜',
  [`danbooru_294929_${HASH}.jpg`]: 'danbooru 294929',
  [`fox-${UUID}.png`]: 'fox',
};

for (const [name, title] of Object.entries(names))
  test(`${JSON.stringify(name)} becomes ${JSON.stringify(title)}`, () => {
    assert.equal(readableName(name), title);
  });

test('a title has at most 255 characters, none of them broken, and is empty for hashes only', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint, maxLength: 400 }), (name) => {
      const title = readableName(`${name}.png`);
      assert.ok(title.length <= 255 && title.isWellFormed());
      if (!/[0-9a-f]{32}|[0-9a-f]{12}/i.test(name) && /\p{L}{11}/u.test(name)) assert.notEqual(title, '');
    }),
  );
  assert.equal(readableName(`${'🦊'.repeat(200)}.png`), '🦊'.repeat(127));
  assert.equal(cutText('a🦊', 2), 'a');
});

test('a file name has no folders, whichever system they are of', () => {
  assert.deepEqual(['a/b/c.png', 'C:\\a\\c.png', 'c.png', ''].map(baseName), ['c.png', 'c.png', 'c.png', '']);
});

test('a date of a picture is a date that exists, with or without a time and an offset', () => {
  for (const text of ['', '2024-02-29', '2024-02-03T04:05', '2024-02-03T04:05:06', '2024-02-03T04:05:06.5Z'])
    assert.ok(isTakenAt(text), text);
  assert.ok(isTakenAt('2024-02-03T04:05:06+02:00'));
  for (const text of [
    '2023-02-29',
    '2024-13-01',
    '2024',
    '2024-02-03 04:05',
    '2024-02-03T25:00',
    'soon',
    '0000-00-00',
  ])
    assert.ok(!isTakenAt(text), text);
});

test('a title that nobody stated follows the name of the file', () => {
  const record = (fields: Partial<ImageLine>): ImageLine => ({ type: 'image', nsfw: 'sfw', ...fields });
  const plan = (fields: Partial<ImageLine>, before = NO_DETAILS, isDecided = false) =>
    planDetails(record({ isFromFolder: true, ...fields }), before, isDecided);
  const fox = plan({ file: 'cats/red_fox.png' });
  assert.deepEqual(fox, { ...NO_DETAILS, title: 'red fox', fileName: 'red_fox.png' });
  assert.deepEqual(plan({ file: 'b.png' }, fox), { ...NO_DETAILS, title: 'b', fileName: 'b.png' });
  assert.equal(plan({ file: 'b.png' }, { ...fox, title: 'A fox' }).title, 'A fox');
  assert.equal(plan({ file: 'b.png' }, { ...fox, title: '' }).title, 'b', 'of an older version');
  assert.equal(plan({ file: 'b.png' }, { ...fox, title: '' }, true).title, '', 'emptied by hand');
  const older = { ...NO_DETAILS, title: 'IMG_2041', fileName: 'IMG_2041.png' };
  assert.equal(plan({ file: 'IMG_2041.png' }, older).title, '', 'the name of a camera, of an older version');
  assert.equal(plan({ file: 'IMG_2041.png' }, older, true).title, 'IMG_2041', 'decided by hand');
  assert.equal(plan({ file: 'IMG_2042.png' }, older).fileName, 'IMG_2042.png');
  assert.equal(plan({ file: 'b.png' }, fox, true).title, 'red fox');
  assert.deepEqual(plan({ key: 'k' }, fox), fox);
  assert.deepEqual(planDetails(record({ file: 'b.png' }), fox), fox, 'another record of the same bytes');
  assert.deepEqual(plan({ file: `${HASH}.png` }, fox), fox, 'a hash tells less');
  assert.deepEqual(plan({ file: 'b.png', title: '', fileName: '' }, fox), NO_DETAILS);
});

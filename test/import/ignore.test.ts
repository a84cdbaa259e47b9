/** What an import leaves alone, and which pictures are thumbnails. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isNamedThumbnail, isThumbnailOf } from '../../src/import/plan/looks.ts';
import { isIgnored, isJunk, parseRules } from '../../src/import/sources/files.ts';
import { IGNORE_FILE, IgnoreFiles } from '../../src/import/sources/walk.ts';
import { temporaryFolder } from '../support/workspace.ts';

/** What a name matches, by a regular expression. Slow for some patterns, but simple. */
const modelOf = (glob: string) =>
  new RegExp(`^${glob.replace(/[*?]/g, (star) => (star === '*' ? '.*' : '.'))}$`, 'su');

/** A folder ends with a slash. What is inside an ignored folder is ignored. */
function isLeftOut(rules: string, path: string, folder: string[] = []): boolean {
  const parsed = parseRules(rules, folder);
  const names = path.replace(/\/$/, '').split('/');
  return names.some((_, at) =>
    isIgnored(parsed, names.slice(0, at + 1), at + 1 < names.length || path.endsWith('/')),
  );
}

describe('rules', () => {
  const cases: [rules: string, ignored: string[], kept: string[]][] = [
    ['# nothing\n\n   \n', [], ['a', '# nothing']],
    ['*.txt', ['a.txt', 'x/y/.txt', 'a.txt/b'], ['a.txt.jpg', 'txt']],
    ['a?.jpg', ['ab.jpg', 'x/a😀.jpg'], ['a.jpg', 'abc.jpg']],
    ['old', ['old', 'x/old', 'old/a.jpg', 'x/old/y/a.jpg'], ['older', 'x/bold']],
    ['old/', ['old/', 'x/old/a.jpg'], ['old', 'x/old']],
    ['/old', ['old', 'old/a'], ['x/old']],
    ['x/old', ['x/old', 'x/old/a'], ['old', 'y/x/old']],
    ['x/*.jpg', ['x/a.jpg'], ['x/y/a.jpg', 'a.jpg']],
    ['**/raw', ['raw', 'x/y/raw/a'], ['rawer']],
    ['x/**', ['x/a', 'x/y/a'], ['x', 'x/', 'y/x/a']],
    ['x/**/z', ['x/z', 'x/y/z', 'x/y/y/z/a'], ['x/y', 'z']],
    ['*.jpg\n!keep.jpg', ['a.jpg'], ['keep.jpg', 'x/keep.jpg']],
    ['!a.jpg\n*.jpg', ['a.jpg'], []],
    ['x/*\n!x/keep.jpg', ['x/a.jpg'], ['x/keep.jpg']],
    ['x\n!x/keep.jpg', ['x/keep.jpg'], []],
    ['\\#a\n\\!b\n\\*c', ['#a', '!b', '*c'], ['a', 'b', 'xc']],
    ['a.jpg   \r\nb.jpg\r\n', ['a.jpg', 'b.jpg'], ['a.jpg   ']],
    ['a\\ ', ['a '], ['a']],
    ['/\n!\n//', [], ['a', 'a/b', 'a/']],
    ['caf\u00e9', ['cafe\u0301', 'caf\u00e9'], ['cafe']],
    ['[ab]', ['[ab]'], ['a']],
    [`${'*'.repeat(900)}b`, ['b', 'ab'], ['a'.repeat(255)]],
  ];
  for (const [rules, ignored, kept] of cases)
    test(JSON.stringify(rules).slice(0, 40), () => {
      for (const path of ignored) assert.ok(isLeftOut(rules, path), path);
      for (const path of kept) assert.ok(!isLeftOut(rules, path), path);
    });
});

test('the rules of a folder are about what is below it', () => {
  assert.ok(isLeftOut('/a.jpg', 'x/a.jpg', ['x']));
  assert.ok(!isLeftOut('/a.jpg', 'a.jpg', ['x']));
  assert.ok(!isLeftOut('a.jpg', 'y/a.jpg', ['x']));
});

test('a file of rules may have a byte order mark, and is refused if it is no text', async () => {
  const folder = temporaryFolder();
  const rulesOf = (bytes: Buffer) => {
    writeFileSync(join(folder, IGNORE_FILE), bytes);
    return new IgnoreFiles(folder, []);
  };
  const text = '\ufeffsecret\r\n*.tmp\r\n';
  for (const encoding of ['utf8', 'utf16le'] as const)
    assert.ok(await rulesOf(Buffer.from(text, encoding)).isIgnored('secret/a.jpg'), encoding);
  await assert.rejects(rulesOf(Buffer.from('caf\xe9', 'latin1')).rulesIn([]), {
    message: '.zukanignore: not valid UTF-8',
  });
});

test('names match as a regular expression would say', () => {
  const glob = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), minLength: 1, maxLength: 8 });
  const name = fc.string({ unit: fc.constantFrom('a', 'b', '😀'), minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(glob, name, (glob, name) => {
      assert.equal(isLeftOut(`/${glob}`, name), modelOf(glob).test(name));
    }),
  );
});

test('too many or too long rules are an error', () => {
  assert.throws(() => parseRules('a\n'.repeat(1001)), /more than 1000 rules/);
  assert.throws(() => parseRules('a'.repeat(1001)), /more than 1000 characters/);
});

test('knows the junk of systems', () => {
  const junk = ['@eaDir', '#recycle', '$RECYCLE.BIN', '$Recycle.Bin', '.thumbnails', 'lost+found', '.a.jpg'];
  for (const name of [
    ...junk,
    'System Volume Information',
    '__MACOSX',
    '._x.jpg',
    'Thumbs.db',
    'desktop.ini',
  ])
    assert.ok(isJunk(name), name);
  for (const name of ['eaDir', 'recycle', 'lost', 'a.jpg', 'thumbs', '#1.jpg'])
    assert.ok(!isJunk(name), name);
});

test('knows the names of thumbnails', () => {
  const thumbnails = [
    ...[
      'thumbs/a.jpg',
      'x/Thumbnails/y/a.jpg',
      '.thumb/a.jpg',
      'resized/a.jpg',
      'previews/a.png',
      'cache/a.jpg',
    ],
    ...[
      'a_thumb.jpg',
      'a.thumb.jpg',
      'thumb_1.jpg',
      'thumb1.jpg',
      'tn_a.jpg',
      'a-150x150.jpg',
      'a 1024x768.png',
    ],
    ...['SYNOPHOTO_THUMB_M.jpg', 'a-preview.webp', 'Thumbnail (2).jpg'],
  ];
  for (const path of thumbnails) assert.ok(isNamedThumbnail(join(...path.split('/'))), path);
  const others = [
    'a.jpg',
    'thumbelina.jpg',
    'green thumbprint.jpg',
    'cached/a.jpg',
    'previewing.jpg',
    '4x4.jpg',
  ];
  for (const path of [...others, 'btn_ok.png', '150x150.jpg', 'x/small fox.jpg', '1920x1080 wall.jpg'])
    assert.ok(!isNamedThumbnail(join(...path.split('/'))), path);
});

test('a thumbnail has at most half the pixels, and says nothing stricter', () => {
  const large = { width: 1000, height: 500, rating: 'questionable' } as const;
  const cases: [
    width: number,
    height: number,
    rating: 'sfw' | 'questionable' | 'nsfw' | undefined,
    boolean,
  ][] = [
    [500, 500, undefined, true],
    [501, 500, undefined, false],
    [1000, 500, undefined, false],
    [2000, 1000, undefined, false],
    [100, 50, 'sfw', true],
    [100, 50, 'questionable', true],
    [100, 50, 'nsfw', false],
  ];
  for (const [width, height, rating, expected] of cases)
    assert.equal(isThumbnailOf({ width, height, rating }, large), expected, `${width} ${height} ${rating}`);
});

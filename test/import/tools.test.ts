/** The rules by which sidecars of tools, texts and JSON by hand are told apart. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkOwnJson, isNear } from '../../src/import/sidecar/json.ts';
import {
  looksLikeTags,
  readFlatYaml,
  readPhotoPrism,
  readSidecar,
  splitItems,
} from '../../src/import/sidecar/read.ts';
import { sidecarFinder } from '../../src/import/sources/walk.ts';
import { allKeywords } from '../../src/media/metadata/read.ts';

test('a text is read as tags only if it looks like tags', () => {
  const tags = [
    ...[
      'lake, night sky, rating:general',
      'cat\ndog\n',
      '1girl blue_hair cleo_(a)',
      'one tag of some words',
      '',
    ],
    ...[
      'K-On!, Dr. Mario, Yu-Gi-Oh!',
      'creator:Ann\nhttps://example.org/a/very/long/address/of/a/page?with=query',
    ],
    ...['a woman standing in a field, looking at the camera, blue sky, masterpiece, best quality'],
    ...['title:Where the wild things are and some more words that follow, a, b, c, d, e, f, g, h'],
  ];
  for (const text of tags) assert.ok(looksLikeTags(splitItems(text)), text);
  const others = [
    'We walked to the lake with the dog, and it was warmer than anybody had expected.',
    'Copyright (c) 2020 Ann\n\nPermission is hereby granted, free of charge, to any person obtaining a copy\nof this software',
    'All rights reserved. Do not use this picture without permission.',
    'Dear diary,\ntoday the fox came back.\nIt looked at me.\nI did not move until it was gone.',
    'A photo of a fox sitting in the snow at night',
    'x'.repeat(101),
  ];
  for (const text of others) assert.ok(!looksLikeTags(splitItems(text)), text);
});

test('what a text says about the rating counts, whatever it is', async () => {
  const diary = 'We walked to the lake and saw a fox there today.\nrating: explicit\n';
  const fields = await readSidecar('a.txt', Buffer.from(diary));
  assert.equal(fields.marked.rating, 'nsfw');
  assert.equal(fields.categories, undefined);
  const caption = 'A photo of two people who stand close together in a room, nsfw, indoors';
  assert.equal((await readSidecar('a.txt', Buffer.from(caption))).marked.rating, 'nsfw');
  const tags = await readSidecar(
    'a.tags.txt',
    Buffer.from('a tag that somebody made of more than eight words'),
  );
  assert.equal(tags.categories?.length, 1);
});

test('in JSON that no tool writes, wrong types and names that are nearly right are errors', () => {
  const wrong: [object, RegExp][] = [
    [{ artist: 5 }, /^artist: must be a name$/],
    [{ categories: [1, null, {}] }, /^categories: must be a list of names$/],
    [{ characters: { a: 1 } }, /^characters: must be/],
    [{ source: 7 }, /^source: must be/],
    [{ source: ['a', 1] }, /^source: must be/],
    [{ createdAt: 0 }, /^createdAt: must be a text$/],
    [{ title: ['a'] }, /^title: must be a text$/],
    [{ nfsw: true }, /^unknown field "nfsw"; did you mean "nsfw"\?$/],
    [{ nsf: true }, /did you mean "nsfw"/],
    [{ artst: 'Ann' }, /did you mean "artist"/],
    [{ artists: ['Ann'] }, /did you mean "artist"/],
    [{ Artist: 'Ann' }, /did you mean "artist"/],
    [{ catagories: [] }, /did you mean "categories"/],
    [{ raiting: 'e' }, /did you mean "rating"/],
    [{ tags: ['fox'], nfsw: true }, /did you mean "nsfw"/],
    [{ category: 'fox', nfsw: true }, /did you mean "nsfw"/],
    [{ author: 'Ann', raitng: 'e' }, /did you mean "rating"/],
  ];
  for (const [fields, message] of wrong)
    assert.throws(() => checkOwnJson(fields as Record<string, unknown>), { message }, JSON.stringify(fields));
  const right: object[] = [
    {
      artist: null,
      categories: 'a b',
      characters: ['c'],
      source: { name: 'n', url: '' },
      sfw: true,
      is_nsfw: 1,
    },
    { id: 5, data: 1, comment: 'anything', files: [], NSFW: true, Rating: 'e' },
    { category: 'pixiv', artist: 5, titel: 1 },
    { tags_general: [], artst: 1 },
  ];
  for (const fields of right) checkOwnJson(fields as Record<string, unknown>);
  assert.ok(
    isNear('acb', 'ACB') && !isNear('ab', 'abc') && !isNear('nsfww1', 'nsfw') && isNear('nsfw', 'nsfww'),
  );
});

test('reads the YAML of PhotoPrism, and nothing else', () => {
  const text = `# comment
---
A: 'it''s'
B: "a\\u00e9\\n\\"\\x41\\U0001f98a"
C: long
  text

  of lines
D: |-
  first
  second
E:
  F: x
  G: >
    folded
    text
  H:
  - a
  - b
I: null
J:
K: 2021-01-01T00:00:00Z
`;
  assert.deepEqual(Object.fromEntries(readFlatYaml(text)), {
    A: "it's",
    B: 'aé\n"A🦊',
    C: 'long text of lines',
    D: 'first\nsecond',
    'E.F': 'x',
    'E.G': 'folded text',
    I: '',
    J: '',
    K: '2021-01-01T00:00:00Z',
  });
  assert.throws(() => readFlatYaml('A: 1\n{b: 2}'), /not YAML of PhotoPrism, in line 2/);
  const of = (more: string) => readPhotoPrism(`UID: x\nType: image\n${more}`).hidden;
  assert.equal(of('Private: true'), 'private in PhotoPrism');
  assert.equal(of('DeletedAt: 2022-08-05T18:06:59Z'), 'archived in PhotoPrism');
  assert.equal(of('Private: "yes"'), 'private in PhotoPrism');
  assert.equal(of('Private: false'), undefined);
  const spaces = ' '.repeat(200_000);
  assert.throws(() => readFlatYaml(`A:${spaces}\u2028`), /in line 1/, 'takes no quadratic time');
});

test('what PhotoPrism composes of the names of people stays private', () => {
  const of = (more: string) => {
    const { title, description } = readPhotoPrism(`UID: x\nType: image\n${more}`);
    return [title, description];
  };
  assert.deepEqual(of('Title: Ann & Bob / 2021\nDescription: Ann, Bob, Cid & Dora\n'), [
    undefined,
    undefined,
  ]);
  assert.deepEqual(of('Caption: Ann\nCaptionSrc: meta\nTitle: b\nTitleSrc: name\n'), ['b', 'Ann']);
});

test('other YAML is no sidecar', async () => {
  const { marked, ...fields } = await readSidecar('a.yml', Buffer.from('services:\n  - {a: 1}\n'));
  assert.deepEqual(fields, {});
  assert.equal(marked.rating, undefined);
});

test('finds the sidecars of Google Takeout, however their names are cut', () => {
  const long = `${'x'.repeat(50)}.jpg`;
  const cases: [picture: string, sidecar: string][] = [
    ['a.jpg', 'a.jpg.json'],
    ['a.jpg', 'a.jpg.supplemental-metadata.json'],
    ['a.jpg', 'A.JPG.supplemental-metada.json'],
    ['a.jpg', 'a.jpg.s.json'],
    ['a.jpg', 'a.jpg..json'],
    ['a(1).jpg', 'a.jpg(1).json'],
    ['a(1).jpg', 'a.jpg.supplemental-metadata(1).json'],
    ['a-edited.jpg', 'a.jpg.supplemental-metadata.json'],
    ['a-edited(1).jpg', 'a.jpg.supplemental-metadata(1).json'],
    [long, `${'x'.repeat(46)}.json`],
  ];
  for (const [picture, sidecar] of cases) {
    assert.deepEqual(sidecarFinder([sidecar])(picture), [sidecar]);
    assert.deepEqual(sidecarFinder([sidecar])('b.jpg'), []);
  }
  assert.deepEqual(sidecarFinder(['a.jpg.supplemental-metadata.json'])('a(1).jpg'), []);
  const spellings = ['a', 'A'].flatMap((a) => ['b', 'B'].flatMap((b) => ['c', 'C'].map((c) => a + b + c)));
  const variants = spellings.flatMap((name) => spellings.map((end) => `${name}${end}`));
  const found = sidecarFinder(variants.map((name) => `${name}.jpg.s.json`))('ABCABC.jpg');
  assert.equal(found[0], 'ABCABC.jpg.s.json');
  assert.ok(found.length <= 10, 'one that differs in case only is not read for each of many pictures');
  assert.deepEqual(sidecarFinder(['.photoprism/a.yml', 'a.yml'])('a.jpg'), ['a.yml']);
});

test('the sidecar of a file that a picture was converted from is about the picture', () => {
  const find = (picture: string, ...others: string[]) => sidecarFinder([picture, ...others])(picture);
  assert.deepEqual(find('a.webp', 'a.PNG.json', 'b.png.json'), ['a.PNG.json']);
  assert.deepEqual(find('a.webp', 'a.png', 'a.png.json'), []);
  assert.deepEqual(find('a.jpg', 'a.cr2', 'a.cr2.xmp', 'a.jpg.txt'), ['a.jpg.txt', 'a.cr2.xmp']);
  assert.deepEqual(find('a.jpg', 'a.v2.json', 'a.png.bak'), []);
});

test('keywords of a tree are all levels of it, without people', () => {
  const paths = [['Animals', 'Fox'], ['People', 'Ann'], ['darktable', 'format', 'jpg'], ['Sky']];
  assert.deepEqual(allKeywords(['Fox', 'Ann', 'own'], paths), ['Fox', 'own', 'Animals', 'Sky']);
  assert.deepEqual(allKeywords(['People', 'Ann'], []), ['People', 'Ann']);
});

/** Sidecars of real tools: the files in sidecars/ have the fields that each tool writes. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { DETAIL_FIELDS } from '../../src/catalogue/schemas.ts';
import { RecordError } from '../../src/import/records/lines.ts';
import type { ImageLine } from '../../src/import/records/record.ts';
import { mergeFields, toRecord } from '../../src/import/sidecar/fields.ts';
import { readSidecar } from '../../src/import/sidecar/read.ts';
import { sidecarNames } from '../../src/import/sources/walk.ts';

const folder = join(import.meta.dirname, 'sidecars');
const corpus = readdirSync(folder);

async function read(files: Record<string, Buffer | string>, folders: string[] = []): Promise<ImageLine> {
  const sidecars = Object.entries(files).map(([name, content]) => readSidecar(name, Buffer.from(content)));
  return toRecord('a.jpg', folders, mergeFields(await Promise.all(sidecars)));
}
const readJson = (value: unknown) => read({ 'a.json': JSON.stringify(value) });

/** Only what is stated, in an order that does not depend on that of the sidecar. */
function stated({ openFields = [], ...record }: ImageLine): object {
  const { type, file, categories = [], characters = [], ...others } = record;
  const all = { ...others, categories: categories.toSorted(), characters: characters.toSorted() };
  // When a picture was published stands in for when it was taken, which the picture itself may say.
  const isStated = (name: string) => name === 'takenAt' || !openFields.includes(name as never);
  return Object.fromEntries(Object.entries(all).filter(([name]) => isStated(name)));
}

describe('reads the sidecar of', () => {
  for (const expected of corpus.filter((name) => name.endsWith('.expected.json'))) {
    const stem = expected.replace('.expected.json', '');
    test(stem, async () => {
      const [type = 'jpg'] = ['jpg', 'png', 'gif'].filter((type) =>
        corpus.some((name) => name.startsWith(`${stem}.${type}.`)),
      );
      const names = sidecarNames(`${stem}.${type}`).filter((name) => existsSync(join(folder, name)));
      assert.ok(names.length > 0);
      const record = await read(
        Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name))])),
      );
      const wanted = JSON.parse(readFileSync(join(folder, expected), 'utf8'));
      const lists = { categories: wanted.categories?.toSorted(), characters: wanted.characters?.toSorted() };
      assert.deepEqual(stated(record), JSON.parse(JSON.stringify({ ...wanted, ...lists })));
    });
  }
});

test('reads UTF-8 and UTF-16 with a byte order mark, and lines of Windows', async () => {
  const utf16 = Buffer.from('\uFEFFcat\r\nrating:q\r\n', 'utf16le');
  const files: Record<string, Buffer | string> = {
    'a.txt': utf16,
    'b.txt': Buffer.from(utf16).swap16(),
    'c.txt': '\uFEFFcat\r\nrating:q\r\n',
    'd.json': '\uFEFF{"tags":["cat"],\r\n"rating":"q"}',
    'e.json': Buffer.from('\uFEFF{"tags":["cat"],"rating":"q"}', 'utf16le'),
  };
  for (const [name, content] of Object.entries(files))
    assert.deepEqual(
      stated(await read({ [name]: content })),
      { categories: ['cat'], nsfw: 'questionable' },
      name,
    );
  await assert.rejects(read({ 'a.txt': Buffer.from([0x61, 0xff]) }), /a\.txt: not valid UTF-8/);
  await assert.rejects(read({ 'a.txt': Buffer.from('fffe00d861', 'hex') }), /a\.txt: not valid UTF-16LE/);
});

test('ignores values of tools that break the rules', async () => {
  const id = '01890a5d-ac96-774b-bcce-b302099a8057';
  const tags = [
    'fine',
    'a,b',
    ',',
    'x'.repeat(256),
    '\0\u200b',
    '\ud800',
    id,
    null,
    true,
    {},
    [],
    { names: [] },
    7,
  ];
  assert.deepEqual(stated(await readJson({ tags })), { categories: ['7', 'a b', 'fine'] });
  const odd = { user: { name: 'x'.repeat(256) }, source: 'ftp://a/', created_at: 'soon', id: 7 };
  assert.deepEqual(stated(await readJson(odd)), {});
  const many = Array.from({ length: 300 }, (_, index) => `t${index}`);
  assert.equal((await readJson({ tags: many })).categories?.length, 250);
  const long = many.map((name) => name.padEnd(200, '-'));
  const both = await readJson({ tags: [...long, 'short'], characters: long });
  assert.deepEqual([both.categories?.length, both.characters?.length], [50, 50], '10,000 characters');
});

test('image boards have numbers for the types of tags', async () => {
  const tags = [
    { id: 1, name: 'sky', category: '0' },
    { name: 'ann', type: 1 },
    { name: 'cleo', type: 4 },
  ];
  const { categories, artist, characters } = await readJson({ tags });
  assert.deepEqual([categories, artist, characters], [['sky'], 'ann', ['cleo']]);
});

test('an empty field states that there is none; a missing one states nothing', async () => {
  assert.deepEqual((await readJson({})).openFields?.length, 11);
  const empty = { artist: null, source: '', createdAt: null, tags: [], characters: [], rating: '' };
  assert.deepEqual((await readJson(empty)).openFields, ['nsfw', ...DETAIL_FIELDS]);
});

test('names of folders are categories, and can mark a picture as explicit', async () => {
  const record = await read({ 'a.json': '{"rating":"safe","tags":"b"}' }, ['R-18', 'cats']);
  assert.deepEqual(stated(record), { categories: ['R-18', 'b', 'cats'], nsfw: 'nsfw' });
  assert.equal((await read({}, ['R-18', 'cats'])).atLeast, 'nsfw');
});

test('XMP: no document types, no entities, no damaged or endless XML', async () => {
  const rdf = (inside: string) =>
    `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/">${inside}</rdf:Description></rdf:RDF>`;
  const subjects = (count: number) =>
    `<dc:subject><rdf:Bag>${'<rdf:li>a</rdf:li>'.repeat(count)}</rdf:Bag></dc:subject>`;
  assert.deepEqual(stated(await read({ 'a.xmp': rdf(subjects(3)) })), { categories: ['a'] });
  const ends = rdf(`${subjects(1)}${'<?xpacket end="?>'.repeat(4000)}\n`);
  const cdata = rdf('<!-- a --><dc:creator><![CDATA[A & <b>]]></dc:creator>');
  assert.deepEqual(stated(await read({ 'a.xmp': cdata })), { artist: 'A & <b>' });
  assert.deepEqual(stated(await read({ 'a.xmp': ends })), { categories: ['a'] });
  const entity = '<!DOCTYPE x [<!ENTITY e "boom"><!ENTITY f SYSTEM "file:///etc/passwd">]>';
  const bad = {
    entity: entity + rdf('<dc:creator>&e;&f;</dc:creator>'),
    'unknown entity': rdf('<dc:creator>&e;</dc:creator>'),
    open: rdf('<dc:subject>'),
    deep: rdf('<a>'.repeat(5000) + '</a>'.repeat(5000)),
    long: rdf(subjects(50_000)),
    'no XMP': 'hello',
    nothing: '',
    'another prefix': rdf(subjects(1)).replaceAll('rdf:', 'r:').replace('xmlns:rdf', 'xmlns:r'),
    attributes: `<rdf:RDF ${'a="b" '.repeat(50_000)}/>`,
  };
  for (const [what, text] of Object.entries(bad))
    await assert.rejects(read({ 'a.xmp': text }), /a\.xmp: not valid XMP/, what);
});

test('survives JSON that no tool writes', async () => {
  const depth = 100_000;
  const lists = `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const texts: Record<string, string> = {
    [`{"tags":${lists}}`]: '',
    [`{"any":["${' '.repeat(500_000)}x","${'a '.repeat(100_000)}"]}`]: '',
    [`${'{"tags":'.repeat(30_000)}1${'}'.repeat(30_000)}`]: '',
    [`{"tags":[${'"a",'.repeat(50_000)}"b"]}`]: '',
    [`{"tags":"${'a '.repeat(100_000)}"}`]: '',
    [`{"${'flags'.repeat(80_000)}x":1,"${'is'.repeat(50_000)}":1}`]: '',
    '{"user":{"name":{"name":1}},"author":[[]],"source":[{}],"sources":{"a":1},"created_at":{"s":1}}': '',
    [`{"created_at":1e999,"date":-1e308,"id":1e400,"tweet_id":${'9'.repeat(400)}}`]: '',
    [`{"rating":[${'"s",'.repeat(50_000)}"s"]}`]: 'sfw',
    [`{"rating":${lists}}`]: 'nsfw',
    [`{"rating":"${'s-'.repeat(50_000)}"}`]: 'nsfw',
    [`{"nsfw":[${'{},'.repeat(50_000)}1]}`]: 'nsfw',
    '{"__proto__":{"rating":"e"},"tags":{"__proto__":["x"]}}': 'nsfw',
    '{"constructor":{"prototype":{"nsfw":true}},"rating":"s"}': 'nsfw',
    '{"category":"__proto__","rating":"constructor","tags":{"constructor":["hasOwnProperty"]}}': 'nsfw',
    '{"tags":"\\ud800 \\udc00","rating":"\\ud800","hashtags":7}': 'nsfw',
  };
  for (const [text, rating] of Object.entries(texts)) {
    const { openFields, nsfw } = await read({ 'a.json': text });
    assert.equal(openFields?.includes('nsfw') ? '' : nsfw, rating, text.slice(0, 80));
  }
  const keys = [
    'id',
    'artist',
    'source',
    'sources',
    'urls',
    'created_at',
    'date',
    'tags',
    'tag_string',
    'hashtags',
  ];
  const others = [
    'tags_general',
    'characters',
    'categories',
    'user',
    'author',
    'metadata',
    'category',
    'labels',
  ];
  for (const key of [
    ...keys,
    ...others,
    'tweet_id',
    'post_url',
    'permalink',
    'url',
    'sha512_hash',
    'x_restrict',
  ])
    for (const value of [
      deep,
      '1e999',
      '{"":[]}',
      '[null,true,{},[[]],"\\ud800"]',
      '-0',
      '"\\u0000"',
      'null',
    ])
      await read({ 'a.json': `{"id":7,"x_restrict":0,"${key}":${value}}` }).catch((error) =>
        assert.ok(error instanceof RecordError, `${key}: ${value.slice(0, 40)}: ${error}`),
      );
  for (const text of ['', '{', '1', 'null', '"x"', '[{}]', '[1]', '{"a":1}x'])
    await assert.rejects(read({ 'a.json': text }), RecordError, text);
});

/** The studio lists pictures and entries, and sends their files, the same on both stores. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { UNKNOWN_ARTIST } from '../../src/catalogue/documents/document.ts';
import { readLayout } from '../../src/media/decoding.ts';
import { openSnapshot, openStore } from '../../src/server/engines.ts';
import { findLackingIds } from '../../src/studio/review.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { keyed, sandbox } from '../support/catalogues/import.ts';
import { paint } from '../support/pictures/painting.ts';
import { tinyPicture } from '../support/pictures/tiny.ts';
import { forEachEngineInDepth, tamper } from '../support/servers/engines.ts';
import { runCommand } from '../support/zukan/program.ts';
import { filesFolder } from '../support/zukan/service.ts';
import { openStudio } from '../support/zukan/studio.ts';

const image = (number: number) => uuid(4, number);

await forEachEngineInDepth(async (engine) => {
  const box = sandbox(engine);
  await box.import([
    { type: 'category', id: uuid(1, 1), name: 'sea' },
    { type: 'category', id: uuid(1, 2), name: 'seaside' },
    { type: 'category', id: uuid(1, 3), name: 'by the sea', aliases: ['shore'] },
    { type: 'artist', id: uuid(2, 1), name: 'Nami', url: 'https://example.org' },
    { type: 'character', id: uuid(3, 1), name: 'Umi', source: 'Waves' },
    keyed(1, { id: image(1), artist: 'Nami', categories: ['sea', 'seaside'], edited: [] }),
    keyed(2, { id: image(2), nsfw: 'nsfw', categories: ['sea'], characters: ['Umi'], edited: ['rating'] }),
    keyed(3, { id: image(3), artist: 'Nami', title: 'A lake', fileName: 'lake.png', edited: [] }),
  ]);
  const studio = await openStudio(box.config);

  describe('pictures', () => {
    const filters: Record<string, number[]> = {
      '': [1, 2, 3],
      [`category=${uuid(1, 1)}`]: [1, 2],
      [`category=${uuid(1, 1)}&category=${uuid(1, 2)}`]: [1],
      [`category=${uuid(1, 1)}&rating=nsfw`]: [2],
      [`artist=${uuid(2, 1)}`]: [1, 3],
      [`artist=${uuid(2, 1)}&without=category`]: [3],
      'without=category': [3],
      'without=character': [1, 3],
      'without=artist': [2],
      [`artist=${UNKNOWN_ARTIST.id}`]: [2],
      [`character=${uuid(3, 1)}`]: [2],
      'rating=sfw': [1, 3],
      'without=category&without=character': [3],
      'without=artist&without=category': [],
      unrated: [1, 3],
      'unrated&without=category': [3],
      edited: [2],
      'edited&rating=sfw': [],
      outdated: [1, 2, 3],
      'q=sea+-umi': [1],
      [`q=lak&artist=${uuid(2, 1)}`]: [3],
      [`category=${uuid(9, 9)}`]: [],
    };
    for (const [query, numbers] of Object.entries(filters))
      test(query || 'all', async () => assert.deepEqual(await studio.ids(query), numbers.map(image)));

    test('an unknown rating is an error', async () => {
      assert.equal((await studio.get('/data/images?rating=x')).status, 400);
    });
  });

  test('files, dates and sizes are searched in slices', async () => {
    const ids = [3, 1, 9, 2].map(image);
    const matches = async (filter: object) => (await studio.post('/data/matches', { ids, filter })).json;
    assert.deepEqual(await matches({}), [0, 1, 3]);
    assert.deepEqual(await matches({ path: 'Lake.p' }), [0]);
    assert.deepEqual(await matches({ path: 'lake*' }), [], 'a part, not a pattern');
    assert.deepEqual(await matches({ since: '2999-01-01T00:00:00.000Z' }), []);
    assert.deepEqual(await matches({ before: '2999-01-01T00:00:00.000Z', path: 'a' }), [0]);
    assert.deepEqual(await matches({ minSide: 30, maxSide: 30 }), [0, 1, 3]);
    assert.deepEqual([await matches({ minSide: 31 }), await matches({ maxSide: 29 })], [[], []]);
    const tooMany = Array.from({ length: 2001 }, (_, number) => image(number));
    assert.equal((await studio.post('/data/matches', { ids: tooMany, filter: {} })).status, 400);
  });

  test('tiles and the summary of a selection', async () => {
    const { json: tiles } = await studio.post('/data/tiles', { ids: [image(1), image(2), image(9)] });
    const looks = { fileName: '', width: 30, height: 20, color: '#00ff00' };
    assert.deepEqual(tiles, [
      { id: image(1), rating: 'sfw', label: 'sea and seaside by Nami', isEdited: false, ...looks },
      { id: image(2), rating: 'nsfw', label: 'Umi', isEdited: true, ...looks },
    ]);
    const { version, ...summary } = await studio.summary([image(1), image(2)]);
    assert.deepEqual(summary, {
      images: 2,
      ratings: { sfw: 1, nsfw: 1 },
      artists: [
        { id: uuid(2, 1), name: 'Nami', images: 1 },
        { id: UNKNOWN_ARTIST.id, name: 'Unknown', images: 1 },
      ],
      categories: [
        { id: uuid(1, 1), name: 'sea', images: 2 },
        { id: uuid(1, 2), name: 'seaside', images: 1 },
      ],
      characters: [{ id: uuid(3, 1), name: 'Umi', images: 1 }],
      albums: [],
      base: 1,
      source: { name: '', url: '' },
      ...{ title: '', description: '', takenAt: '', licence: '', credit: '', alt: '' },
      edited: { rating: 1 },
    });
    const { details, title } = await studio.summary([image(3)]);
    assert.deepEqual([details?.width, details?.fileName, title], [30, 'lake.png', 'A lake']);
    assert.equal((await studio.summary([image(1), image(3)])).title, undefined, 'several');
    const { json: named } = await studio.post('/data/tiles', { ids: [image(3)] });
    assert.equal(named[0].label, 'A lake by Nami');
  });

  test('entries have counts; suggestions prefer names that begin with the text', async () => {
    const { json: entries } = await studio.get('/data/entries?kind=category');
    assert.deepEqual(
      entries.map(({ name, images, aliases }: Record<string, unknown>) => [name, images, aliases]),
      [
        ['by the sea', 0, ['shore']],
        ['sea', 2, []],
        ['seaside', 1, []],
      ],
    );
    const suggest = async (text: string) =>
      (await studio.get(`/data/suggestions?kind=category&text=${text}`)).json.map(
        ({ name }: { name: string }) => name,
      );
    assert.deepEqual(await suggest('SEA'), ['sea', 'seaside', 'by the sea']);
    assert.deepEqual(await suggest('sho'), ['by the sea']);
    assert.deepEqual(await suggest('zzz'), []);
    assert.equal((await studio.get('/data/suggestions?kind=x')).status, 400);
  });

  test('what needs attention is counted, and leads to the same pictures', async () => {
    const { imports, disks, ...health } = (await studio.get('/data/health')).json;
    assert.deepEqual(health, {
      images: 3,
      unrated: 2,
      withoutArtist: 1,
      lacking: { title: 2, licence: 3, alt: 3, category: 1 },
      unused: { artist: 0, category: 1, character: 0, album: 0 },
    });
    assert.ok(disks.length > 0 && disks[0].free < disks[0].size);
    assert.deepEqual((await studio.ids('lacks=title')).toSorted(), [image(1), image(2)]);
    assert.equal((await studio.ids('lacks=title&lacks=alt&rating=sfw')).length, 1);
    assert.equal((await studio.ids('lacks=licence')).length, 3);
    const recorded = { at: new Date().toISOString(), bytes: 12_345_678 };
    {
      await using store = await openStore(box.config);
      await store.recordBackup(recorded);
    }
    assert.deepEqual((await studio.get('/data/health')).json.backup, { ...recorded, isOld: false });
    assert.deepEqual([imports.length, imports[0].added], [1, 3]);
    const { count, listed } = await studio.change('/check/files', {});
    assert.equal(count, 3);
    assert.match(listed[0], /^image .* is missing$/);
  });

  test('other requests are served while what pictures lack is found', async () => {
    const box = sandbox(engine);
    await box.import(Array.from({ length: 1100 }, (_, index) => keyed(index, { id: image(index) })));
    let turns = 0;
    const countTurn = () => {
      turns++;
      next = setImmediate(countTurn);
    };
    let next = setImmediate(countTurn);
    await using snapshot = await openSnapshot(box.config);
    const found = await findLackingIds(snapshot, ['title'], '');
    clearImmediate(next);
    assert.equal(found.size, 1100);
    assert.ok(turns > 1, `${turns} turns`);
  });

  test('pictures nearby suggest categories, and names of a list are looked up', async () => {
    const near = async (...numbers: number[]) =>
      (await studio.post('/data/neighbours', { ids: numbers.map(image) })).json.map(
        ({ name, images }: { name: string; images: number }) => [name, images],
      );
    assert.deepEqual(await near(3), [
      ['sea', 2],
      ['seaside', 1],
    ]);
    assert.deepEqual(await near(1), [], 'it has all of them');
    assert.deepEqual(await near(2, 3), [
      ['sea', 1],
      ['seaside', 1],
    ]);
    const names = ['SEA', 'shore', 'new'];
    assert.deepEqual((await studio.post('/data/names', { kind: 'category', names })).json, [
      { id: uuid(1, 1), name: 'sea' },
      { id: uuid(1, 3), name: 'by the sea' },
      { name: 'new' },
    ]);
  });

  test('look-alikes are grouped, and problems are listed', async () => {
    assert.deepEqual((await studio.get('/data/alike')).json, { total: 0, groups: [] });
    assert.deepEqual((await studio.get('/data/problems')).json, []);
    assert.deepEqual(await studio.ids('alike'), []);
    const [one, other] = ['0f'.repeat(16), '0f'.repeat(15).padEnd(32, '1f')];
    tamper(box.config, `insert into perceptual_hash (image, hash) values (1, '${one}'), (3, '${other}')`);
    const { json } = await studio.get('/data/alike');
    assert.equal(json.total, 1);
    assert.deepEqual(
      json.groups[0].map(({ id, size }: { id: string; size: number }) => [id, size]),
      [
        [image(3), 1003],
        [image(1), 1001],
      ],
    );
    assert.deepEqual(await studio.ids('alike'), [image(1), image(3)]);
    assert.deepEqual(await studio.ids(`alike&category=${uuid(1, 1)}`), [image(1)]);
    assert.deepEqual(await studio.ids(`like=${one}`), [image(1), image(3)]);
    assert.deepEqual(await studio.ids(`like=${one}&without=category`), [image(3)]);
    assert.deepEqual(await studio.ids(`like=${'f0'.repeat(16)}`), []);
    assert.equal((await studio.get('/data/images?like=x')).status, 400);
    const headers = { ...(await studio.signIn()), 'Content-Type': 'application/octet-stream' };
    const send = (bytes: Buffer) => studio.send('/data/looks?name=a.png', headers, bytes, 'POST');
    assert.match((await send(await paint(1, 96, 64)().png().toBuffer())).json.like, /^[0-9a-f]{32}$/);
    assert.equal((await send(Buffer.from('no picture'))).status, 422);
    tamper(box.config, "update shelf set size = 7 where name = 'sea'");
    assert.deepEqual((await studio.get('/data/problems')).json, [
      'the image list of category "sea" has a wrong size',
    ]);
    tamper(box.config, "update shelf set size = 2 where name = 'sea'");
  });

  test('an image without thumbnails is sent as it is, and cached', async () => {
    const path = join(filesFolder(box.config), 'some/1.png');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, tinyPicture(1));
    const { status, headers, bytes } = await studio.get(`/picture/${image(1)}/256`);
    assert.deepEqual([status, headers['content-type']], [200, 'image/png']);
    assert.deepEqual(bytes, tinyPicture(1));
    const session = await studio.signIn();
    const cached = { ...session, 'If-None-Match': String(headers.etag) };
    assert.equal((await studio.send(`/picture/${image(1)}/256`, cached)).status, 304);
    assert.equal((await studio.get(`/picture/${image(2)}/256`)).status, 404);
    assert.equal((await studio.get(`/picture/${uuid(9, 9)}`)).status, 404);
  });

  test('a tile gets the smallest thumbnail that is large enough, or else the largest', async () => {
    const box = sandbox(engine);
    mkdirSync(join(box.folder, 'paintings'));
    writeFileSync(join(box.folder, 'paintings/1.png'), await paint(1, 96, 64)().png().toBuffer());
    const environment = { ...box.environment, THUMBNAILS: '30,70' };
    await runCommand(['import', join(box.folder, 'paintings')], environment);
    const studio = await openStudio(box.config);
    const [id] = await studio.ids();
    const widthAt = async (size: number) =>
      (await readLayout((await studio.get(`/picture/${id}/${size}`)).bytes)).width;
    for (const [size, width] of [
      [30, 30],
      [31, 70],
      [71, 70],
    ] as const)
      assert.equal(await widthAt(size), width, `${size} pixels`);
  });
});

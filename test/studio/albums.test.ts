/** Albums in the studio: their pictures in their order, put in, taken out and moved, with undo; the same on both stores. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uuid } from '../support/catalogues/catalogue.ts';
import { keyed, sandbox } from '../support/catalogues/import.ts';
import { forEachEngineInDepth } from '../support/servers/engines.ts';
import { openStudio } from '../support/zukan/studio.ts';

const image = (number: number) => uuid(4, number);
const [summer, winter] = [uuid(5, 1), uuid(5, 2)];

await forEachEngineInDepth(async (engine) => {
  const box = sandbox(engine);
  await box.import([
    ...[1, 2, 3, 4, 5].map((number) =>
      keyed(number, { id: image(number), nsfw: number === 3 ? 'nsfw' : 'sfw' }),
    ),
    { type: 'album', id: summer, name: 'Summer', images: [4, 1, 3, 2].map(image) },
    { type: 'album', id: winter, name: 'Winter' },
  ]);
  const studio = await openStudio(box.config);
  const numbersIn = async (query: string) =>
    (await studio.ids(query)).map((id) => [1, 2, 3, 4, 5].find((number) => image(number) === id));
  const edit = async (numbers: number[], edit: object) => {
    const ids = numbers.map(image);
    assert.deepEqual(Object.keys(await studio.edit(ids, edit)), ['id']);
    return studio.summary(ids);
  };
  const move = (numbers: number[], before?: number) =>
    studio.post('/change/album/order', {
      id: summer,
      ids: numbers.map(image),
      ...(before !== undefined && { before: image(before) }),
    });
  const undoLast = async () => {
    const [last] = await studio.steps();
    return studio.undo(last?.id ?? 0);
  };

  test('one album is listed in its order, with other filters too; several are not', async () => {
    assert.deepEqual(await numbersIn(`album=${summer}`), [4, 1, 3, 2]);
    assert.deepEqual(await numbersIn(`album=${summer}&rating=sfw`), [4, 1, 2]);
    assert.deepEqual(await numbersIn(`album=${winter}`), []);
    await edit([2, 4], { addAlbums: [winter] });
    assert.deepEqual(await numbersIn(`album=${winter}&album=${summer}`), [2, 4]);
    await undoLast();
    assert.deepEqual(await numbersIn(`album=${uuid(9, 9)}`), []);
    const { json: entries } = await studio.get('/data/entries?kind=album');
    assert.deepEqual(
      entries.map(({ name, images }: { name: string; images: number }) => [name, images]),
      [
        ['Summer', 4],
        ['Winter', 0],
      ],
    );
  });

  test('pictures are put into an album in the order of the selection, and taken out', async () => {
    const summary = await edit([5, 1], { addAlbums: [winter] });
    assert.deepEqual(summary.albums, [
      { id: winter, name: 'Winter', images: 2 },
      { id: summer, name: 'Summer', images: 1 },
    ]);
    assert.deepEqual(await numbersIn(`album=${winter}`), [5, 1]);
    await edit([1, 2], { addAlbums: ['Spring'], removeAlbums: [winter], create: true });
    assert.deepEqual(await numbersIn(`album=${winter}`), [5]);
    assert.deepEqual(
      (await studio.steps()).map(({ label }) => label),
      ['add to Spring, remove from Winter: 2 images', 'add to Winter: 2 images'],
    );
    await undoLast();
    await undoLast();
    assert.deepEqual(await numbersIn(`album=${winter}`), []);
    assert.deepEqual((await studio.summary([image(5)])).albums, []);
  });

  test('pictures are moved, also past one in the trash, and the move can be undone', async () => {
    assert.equal((await move([2, 4], 3)).status, 200);
    assert.deepEqual(await numbersIn(`album=${summer}`), [1, 2, 4, 3]);
    const [{ label } = { label: '' }] = await studio.steps();
    assert.equal(label, 'move 2 images in the album Summer');
    await move([1]);
    assert.deepEqual(await numbersIn(`album=${summer}`), [2, 4, 3, 1]);
    const { version } = await studio.summary([image(4)]);
    await studio.change('/change/remove', { ids: [image(4)], version, reason: '', isTakeDown: false });
    await move([1], 3);
    await studio.change('/change/restore', { ids: [image(4)] });
    assert.deepEqual(await numbersIn(`album=${summer}`), [2, 4, 1, 3]);
    for (const { id } of (await studio.steps()).slice(0, 5)) await studio.undo(id);
    assert.deepEqual(await numbersIn(`album=${summer}`), [4, 1, 3, 2]);
    const [change] = (await studio.get('/data/history')).json;
    const { json: items } = await studio.get(`/data/change?number=${change.number}`);
    assert.deepEqual(
      items.map(({ kind, name }: { kind: string; name: string }) => [kind, name]),
      [['album', 'Summer']],
    );
  });

  test('a picture that the album does not have is not moved, and nothing goes before itself', async () => {
    for (const [numbers, before, message] of [
      [[5], 1, /"Summer" does not have the image/],
      [[1], 5, /"Summer" does not have the image/],
      [[1, 2], 2, /cannot go before themselves/],
    ] as const) {
      const { status, json } = await move([...numbers], before);
      assert.equal(status, 422);
      assert.match(json.error, message);
    }
    const gone = await studio.post('/change/album/order', { id: uuid(9, 9), ids: [image(1)] });
    assert.deepEqual([gone.status, gone.json.error], [409, 'the album was removed meanwhile']);
    assert.deepEqual(await numbersIn(`album=${summer}`), [4, 1, 3, 2]);
  });
});

/** Edits that waited in a browser: each is applied once, in order, and overwrites nothing that somebody else has changed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uuid } from '../support/catalogues/catalogue.ts';
import { openMaintained } from '../support/catalogues/maintained.ts';
import { forEachEngineInDepth } from '../support/servers/engines.ts';
import { openStudio } from '../support/zukan/studio.ts';

await forEachEngineInDepth(async (engine) => {
  const box = openMaintained(engine);
  for (const index of [1, 2, 3]) box.picture(index, { categories: ['sea'] });
  await box.ok('import', box.pictures);
  const studio = await openStudio(box.config);
  const other = await openStudio(box.config);
  const [one = '', two = '', three = ''] = await studio.ids();
  let page = 0;
  /** Of a new page: the edits that it makes, all based on what is now. */
  const newPage = async () => {
    page++;
    const { last: base } = (await studio.get('/data/steps')).json;
    const name = (number: number) => `${uuid(8, page)}-${number}`;
    const rate = (number: number, id: string, rating: 'sfw' | 'questionable' | 'nsfw') => ({
      ...{ id: name(number), base, ids: [id], edit: { rating } },
    });
    return { base, name, rate };
  };
  const ratings = async () =>
    Promise.all([one, two, three].map(async (id) => Object.keys((await studio.summary([id])).ratings)[0]));
  const labels = async () => (await studio.steps()).map(({ label }) => label);
  const undoAll = async () => {
    for (const { id } of await studio.steps()) await studio.undo(id);
  };

  test('a batch is applied in order; each edit is a step, and an undo may follow what it undoes', async () => {
    const { name, rate } = await newPage();
    const applied = await studio.apply([
      rate(1, one, 'nsfw'),
      rate(2, two, 'nsfw'),
      { ...rate(3, two, 'nsfw'), edit: { addCategories: ['none'] } },
      rate(4, two, 'questionable'),
      { id: name(5), undoes: name(4) },
      { id: name(6), undoes: name(3) },
    ]);
    assert.deepEqual(
      applied.map(({ refused, undone }) => refused ?? undone?.undone ?? ''),
      ['', '', 'there is no category "none" (--create creates it)', '', 'rate questionable: 1 image', ''],
    );
    assert.deepEqual(await ratings(), ['nsfw', 'nsfw', 'sfw']);
    assert.deepEqual(await labels(), ['rate nsfw: 1 image', 'rate nsfw: 1 image']);
    await undoAll();
  });

  test('an edit that is sent again is not applied again, also by another studio and after it was undone', async () => {
    const { name, rate } = await newPage();
    const batch = [rate(1, one, 'nsfw'), rate(2, one, 'questionable'), { id: name(3), undoes: name(2) }];
    await studio.apply(batch);
    assert.deepEqual(
      await other.apply(batch),
      batch.map(({ id }) => ({ id })),
    );
    assert.deepEqual(await ratings(), ['nsfw', 'sfw', 'sfw']);
    await undoAll();
    await studio.apply(batch);
    assert.deepEqual(await ratings(), ['sfw', 'sfw', 'sfw']);
  });

  test('what somebody else has changed stays, and other fields are changed', async () => {
    const { base, rate, name } = await newPage();
    const refused = async (edits: Parameters<typeof studio.apply>[0]) =>
      (await studio.apply(edits)).map(({ refused }) => refused);
    const stale = '1 image changed meanwhile; look again';
    await box.ok('edit', one, '--rating', 'questionable');
    await studio.edit([two], { addCategories: ['new'], create: true });
    const both = { ...rate(2, one, 'nsfw'), ids: [one, three] };
    assert.deepEqual(await refused([rate(1, one, 'nsfw'), both, rate(3, two, 'nsfw')]), [
      stale,
      '2 images changed meanwhile; look again',
      undefined,
    ]);
    const remove = { id: name(4), base, ids: [two], edit: { removeCategories: ['sea'] } };
    const title = { id: name(5), base, ids: [one], edit: { title: 'A fox' } };
    assert.deepEqual(await refused([remove, title]), [stale, undefined]);
    assert.deepEqual(await ratings(), ['questionable', 'nsfw', 'sfw']);
    // A log of another time, such as that before a backup was restored, says nothing.
    assert.deepEqual(await refused([{ ...rate(6, three, 'nsfw'), base: base + 1000 }]), [stale]);
    await undoAll();
  });

  test('the edits of another person or catalogue are refused', async () => {
    const { rate } = await newPage();
    const before = await ratings();
    const { catalogue } = (await studio.get('/data/session')).json;
    for (const owner of [
      { catalogue, user: 'anna' },
      { catalogue: uuid(9, 9), user: '' },
    ]) {
      const { status } = await studio.post('/change/images', { ...owner, edits: [rate(1, one, 'nsfw')] });
      assert.equal(status, 403);
    }
    assert.deepEqual(await ratings(), before);
  });
});

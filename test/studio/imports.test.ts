/** The last imports in the studio: listed, as a filter, undone; and adding pictures is a step that can be undone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openMaintained } from '../support/catalogues/maintained.ts';
import { filesIn } from '../support/checks/dump.ts';
import { tinyPicture } from '../support/pictures/tiny.ts';
import { forEachEngineInDepth } from '../support/servers/engines.ts';
import { filesFolder } from '../support/zukan/service.ts';
import { openStudio } from '../support/zukan/studio.ts';

await forEachEngineInDepth(async (engine) => {
  const box = openMaintained(engine);
  for (const index of [1, 2, 3]) box.picture(index, { categories: ['sea'] });
  await box.ok('import', box.pictures);
  const studio = await openStudio(box.config);
  const imported = await studio.ids();
  const runs = async () => (await studio.get('/data/imports')).json;
  const labels = async () => (await studio.steps()).map(({ label }) => label);
  const undo = async () => {
    const [last] = await studio.steps();
    return studio.undo(last?.id ?? 0);
  };
  const edit = async (id: string, rating: string) => {
    await studio.edit([id], { rating });
  };
  /** As the page does: each picture names the run of the one before. */
  const add = async (indices: number[], query = 'rating=sfw&category=new') => {
    const session = { ...(await studio.signIn()), 'Content-Type': 'application/octet-stream' };
    let run = '';
    for (const index of indices) {
      const path = `/add/picture?name=x.png&${query}${run}`;
      const { status, json } = await studio.send(path, session, tinyPicture(index), 'POST');
      assert.equal(status, 200);
      if (json.run) run = `&run=${json.run}`;
    }
  };
  const fileCount = () => filesIn(filesFolder(box.config)).filter((file) => file.includes('.png ')).length;

  test('imports are listed, and filter pictures', async () => {
    const [run] = await runs();
    const { number, origin, added, changed, removed, state } = run;
    assert.deepEqual([number, origin, added, changed, removed, state], [1, 'import', 3, 0, 0, 'done']);
    assert.match(run.source, /pictures$/);
    assert.deepEqual(await studio.ids('run=1'), imported);
    assert.deepEqual(await studio.ids('run=1&rating=nsfw'), []);
    assert.deepEqual(await studio.ids('run=2'), []);
    assert.equal((await studio.get('/data/images?run=x')).status, 400);
  });

  test('pictures that were added together are one import and one step, which can be undone', async () => {
    await add([11, 12, 13]);
    const added = await studio.ids('run=2');
    assert.equal(added.length, 3);
    const [run] = await runs();
    assert.deepEqual([run.number, run.origin, run.added, run.source], [2, 'studio', 3, '']);
    await edit(added[0] as string, 'nsfw');
    assert.equal((await labels()).length, 2);
    await undo();
    const { steps, undone } = await undo();
    assert.deepEqual(steps, []);
    assert.deepEqual(await studio.ids(), imported);
    assert.equal((await studio.change('/change/trash/empty', {})).files, 3);
    assert.equal(fileCount(), 3);
    assert.equal(
      (await studio.get('/data/entries?kind=category')).json.length,
      1,
      'the category is gone too',
    );
    assert.equal((await runs())[0].state, 'undone');
    assert.deepEqual((await studio.get('/data/removed')).json, [], 'and may be added again');
    assert.equal(undone, 'import: 3 images added, 1 entry changed');
  });

  test('the folders of a picture count like those of an import, and none of them is a path', async () => {
    const folders = ['../../up', 'a, b', 'nsfw']
      .map((name) => `&folder=${encodeURIComponent(name)}`)
      .join('');
    await add([21], `rating=sfw&category=own${folders}`);
    const [image] = (await studio.ids()).slice(-1);
    const { categories, ratings } = await studio.summary([image as string]);
    const names = (counted: { name: string }[]) => counted.map(({ name }) => name).sort();
    assert.deepEqual(names(categories), ['../../up', 'a  b', 'nsfw', 'own']);
    assert.deepEqual(ratings, { nsfw: 1 }, 'a folder makes it more explicit');
    await undo();
    await add([21], `rating=sfw${folders}&folderCategories=last&folder=inner`);
    const [other] = (await studio.ids()).slice(-1);
    const last = await studio.summary([other as string]);
    assert.deepEqual([names(last.categories), last.ratings], [['inner'], { nsfw: 1 }]);
    await undo();
    await studio.change('/change/trash/empty', {});
  });

  test('a picture that was there already gets its former fields back', async () => {
    const { version } = await studio.summary(imported);
    await add([1], 'rating=nsfw&category=city');
    assert.deepEqual((await studio.summary([imported[0] as string])).ratings, { nsfw: 1 });
    assert.deepEqual(await labels(), ['import: 1 image changed, 1 entry changed']);
    await undo();
    assert.equal((await studio.summary(imported)).version, version);
  });

  test('a picture that someone else edited since is not removed by an undo', async () => {
    await add([14]);
    const [id = ''] = (await studio.ids()).filter((id) => !imported.includes(id));
    await box.ok('edit', id, '--rating', 'nsfw');
    const { kept, removed } = await undo();
    assert.deepEqual([kept.listed[0].reason, removed.count], ['changed since', 0]);
    assert.ok((await studio.ids()).includes(id));
    await box.ok('remove', '--yes', id, '--allow-again');
  });

  test('an import is undone after a preview, and that can be undone', async () => {
    const [first = '', second = ''] = imported;
    await edit(second, 'questionable');
    const preview = await studio.undo(1, true);
    assert.deepEqual(
      [preview.removed.count, preview.removed.listed[0], preview.changed.count],
      [2, first, 0],
    );
    const pictures = preview.kept.listed.filter(({ kind }: { kind: string }) => kind === 'image');
    assert.deepEqual(pictures, [{ kind: 'image', id: second, name: '2.png', reason: 'changed since' }]);
    assert.deepEqual(await studio.ids(), imported, 'a preview changes nothing');
    const before = (await studio.get(`/picture/${first}`)).bytes;
    await studio.undo(1);
    assert.deepEqual(await studio.ids(), [second]);
    assert.equal(fileCount(), 3, 'the files stay in the trash');
    const [{ number, undoes }] = (await studio.get('/data/history')).json;
    assert.equal(undoes, 1);
    assert.ok(
      (await labels()).every((label) => !label.startsWith('undo')),
      'the button does not redo',
    );
    await studio.undo(number);
    assert.deepEqual(new Set(await studio.ids()), new Set(imported));
    assert.deepEqual((await studio.get(`/picture/${first}`)).bytes, before);
    assert.equal((await runs()).at(-1).state, 'done');
    assert.equal((await studio.post('/change/undo', { change: 1.5, isPreview: true })).status, 400);
    assert.equal(await box.ok('check'), 'no problems found\n');
  });
});

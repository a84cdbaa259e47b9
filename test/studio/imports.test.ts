/** The last imports in the studio: listed, as a filter, reverted; and adding pictures is a step that can be undone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openMaintained } from '../support/catalogues/maintained.ts';
import { filesIn } from '../support/checks/dump.ts';
import { tinyPicture } from '../support/pictures/tiny.ts';
import { forEachEngineInDepth, tamper } from '../support/servers/engines.ts';
import { filesFolder } from '../support/zukan/service.ts';
import { openStudio } from '../support/zukan/studio.ts';

await forEachEngineInDepth(async (engine) => {
  const box = openMaintained(engine);
  for (const index of [1, 2, 3]) box.picture(index, { categories: ['sea'] });
  await box.ok('import', box.pictures);
  const studio = await openStudio(box.config);
  const imported = await studio.ids();
  const runs = async () => (await studio.get('/data/imports')).json;
  const labels = async () =>
    (await studio.get('/data/steps')).json.map(({ label }: { label: string }) => label);
  const undo = async () => {
    const [last] = (await studio.get('/data/steps')).json;
    return studio.change('/change/undo', { step: last.id });
  };
  const edit = async (id: string, rating: string) => {
    const { version } = await studio.summary([id]);
    await studio.change('/change/images', { ids: [id], version, edit: { rating } });
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
    const { id, origin, added, changed, removed, state } = run;
    assert.deepEqual([id, origin, added, changed, removed, state], [1, 'command', 3, 0, 0, 'revertible']);
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
    assert.deepEqual([run.id, run.origin, run.added, run.source], [2, 'studio', 3, '']);
    await edit(added[0] as string, 'nsfw');
    assert.deepEqual(await labels(), ['Rate nsfw: 1 picture', 'Add 3 pictures']);
    await undo();
    const { steps, undone } = await undo();
    assert.deepEqual([undone, steps], ['Add 3 pictures', []]);
    assert.deepEqual(await studio.ids(), imported);
    assert.equal(fileCount(), 3);
    assert.equal(
      (await studio.get('/data/entries?kind=category')).json.length,
      1,
      'the category is gone too',
    );
    assert.equal((await runs())[0].state, 'reverted');
    assert.deepEqual((await studio.get('/data/removed')).json, [], 'and may be added again');
  });

  test('a picture that was there already gets its former fields back', async () => {
    const { version } = await studio.summary(imported);
    await add([1], 'rating=nsfw&category=city');
    assert.deepEqual((await studio.summary([imported[0] as string])).ratings, { nsfw: 1 });
    assert.deepEqual(await labels(), ['Update 1 picture']);
    await undo();
    assert.equal((await studio.summary(imported)).version, version);
  });

  test('a picture that someone else edited since is not removed by an undo', async () => {
    await add([14]);
    const [id = ''] = (await studio.ids()).filter((id) => !imported.includes(id));
    await box.ok('edit', id, '--rating', 'nsfw');
    const [step] = (await studio.get('/data/steps')).json;
    const { status, json } = await studio.post('/change/undo', { step: step.id });
    assert.equal(status, 409);
    assert.match(json.error, /"Add 1 picture" cannot be undone: some of the pictures were changed since/);
    assert.deepEqual(json.steps, []);
    assert.ok((await studio.ids()).includes(id));
    await box.ok('remove', id, '--allow-again');
  });

  test('an import is reverted after a preview, and that can be undone', async () => {
    const [first = '', second = ''] = imported;
    await edit(second, 'questionable');
    const preview = await studio.change('/change/import/revert', { run: 1, isPreview: true });
    assert.deepEqual(
      [preview.removed.count, preview.removed.listed[0], preview.restored.count, preview.lost],
      [2, first, 0, 0],
    );
    assert.deepEqual(preview.kept, {
      count: 1,
      listed: [{ kind: 'image', id: second, reason: 'edited by hand since' }],
    });
    assert.deepEqual(await studio.ids(), imported, 'a preview changes nothing');
    const before = (await studio.get(`/picture/${first}`)).bytes;
    const { steps } = await studio.change('/change/import/revert', { run: 1, isPreview: false });
    assert.equal(steps[0].label, 'Revert the import: 2 pictures');
    assert.deepEqual(await studio.ids(), [second]);
    assert.equal(fileCount(), 3, 'the files stay for the undo');
    const again = await studio.post('/change/import/revert', { run: 1, isPreview: false });
    assert.deepEqual([again.status, again.json.error], [422, 'import 1 was reverted already']);
    await undo();
    assert.deepEqual(new Set(await studio.ids()), new Set(imported));
    assert.deepEqual((await studio.get(`/picture/${first}`)).bytes, before);
    assert.equal((await studio.post('/change/import/revert', { run: 1.5, isPreview: true })).status, 400);
    assert.equal(await box.ok('check'), 'no problems found\n');
  });

  test('the end of the studio deletes the files of a reverted import', async () => {
    await add([21, 22]);
    const { id } = (await runs())[0];
    const count = (added: number) =>
      tamper(box.config, `update import_run set added = ${added} where id = ${id}`);
    count(300_000);
    const refused = await studio.post('/change/import/revert', { run: id, isPreview: true });
    assert.equal(refused.status, 422);
    assert.match(refused.json.error, /too many to revert it here; run "zukan imports revert \d+"/);
    count(2);
    await studio.change('/change/import/revert', { run: id, isPreview: false });
    assert.equal(fileCount(), 5);
    await studio.close();
    assert.equal(fileCount(), 3);
    assert.equal(await box.ok('check'), 'no problems found\n');
  });
});

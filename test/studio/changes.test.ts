/** Changes in the studio: refused if they are based on an old state, remembered, undone. */
import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openWriter } from '../../src/server/engines.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { openMaintained } from '../support/catalogues/maintained.ts';
import { tinyPicture } from '../support/pictures/tiny.ts';
import { forEachEngineInDepth, rowsIn } from '../support/servers/engines.ts';
import { filesFolder } from '../support/zukan/service.ts';
import { openStudio } from '../support/zukan/studio.ts';

await forEachEngineInDepth(async (engine) => {
  const box = openMaintained(engine);
  for (const index of [1, 2, 3]) box.picture(index, { categories: ['sea'], artist: 'Nami' });
  await box.ok('import', box.pictures);
  const studio = await openStudio(box.config);
  const other = await openStudio(box.config);
  const all = await studio.ids();
  const [id = ''] = all;
  const steps = async () => (await studio.get('/data/steps')).json;
  const undoAll = async () => {
    for (;;) {
      const [last] = await steps();
      if (!last) return;
      await studio.change('/change/undo', { step: last.id });
    }
  };

  test('an edit counts as decided by hand, is listed, and can be undone', async () => {
    const { version } = await studio.summary(all);
    const edit = { rating: 'nsfw', addCategories: ['new'], create: true };
    const result = await studio.change('/change/images', { ids: all, version, edit });
    assert.deepEqual([result.changed, result.summary.ratings], [3, { nsfw: 3 }]);
    assert.deepEqual(await studio.summary(all), result.summary);
    const found = await box.find('--edited');
    assert.deepEqual(found[0]?.edited, ['categories', 'rating']);
    assert.deepEqual(
      (await steps()).map(({ label }: { label: string }) => label),
      ['Rate nsfw, add new: 3 pictures'],
    );
    await undoAll();
    assert.deepEqual(await box.find('--edited'), []);
    assert.equal((await studio.summary(all)).version, version);
    const { json: categories } = await studio.get('/data/entries?kind=category');
    assert.deepEqual(
      categories.map(({ name }: { name: string }) => name),
      ['sea'],
    );
  });

  test('a change waits for another command, says so, and is then made', async () => {
    const { version } = await studio.summary([id]);
    const writer = await openWriter(box.config);
    const edit = { sourceName: 'A book' };
    let answer: ReturnType<typeof studio.post> | undefined;
    const first = await new Promise<string>((resolve) => {
      answer = studio.post('/change/images', { ids: [id], version, edit }, resolve);
    });
    assert.equal(first, '{"waiting":true}\n');
    await writer[Symbol.asyncDispose]();
    const last = (await answer)?.text.trim().split('\n').at(-1) as string;
    assert.equal(JSON.parse(last).result.changed, 1);
    await undoAll();
    assert.equal((await studio.summary([id])).version, version);
  });

  test('a change based on an old state is refused with the new state', async () => {
    const { version } = await studio.summary([id]);
    await other.change('/change/images', { ids: [id], version, edit: { rating: 'questionable' } });
    const refused = await studio.post('/change/images', { ids: [id], version, edit: { rating: 'nsfw' } });
    assert.equal(refused.status, 409);
    assert.deepEqual(refused.json.summary.ratings, { questionable: 1 });
    assert.deepEqual((await studio.summary([id])).ratings, { questionable: 1 });
    assert.deepEqual(await steps(), []);
  });

  test('a step whose pictures someone changed since cannot be undone, and those before it can', async () => {
    const edit = async (target: string, rating: string) => {
      const { version } = await studio.summary([target]);
      await studio.change('/change/images', { ids: [target], version, edit: { rating } });
    };
    await edit(all[1] as string, 'nsfw');
    await edit(id, 'nsfw');
    await box.ok('edit', id, '--rating', 'sfw');
    const [last, first] = await steps();
    const refused = await studio.post('/change/undo', { step: last.id });
    assert.equal(refused.status, 409);
    assert.match(
      refused.json.error,
      /^"Rate nsfw: 1 picture" cannot be undone: some of the pictures were changed/,
    );
    assert.deepEqual((await studio.summary([id])).ratings, { sfw: 1 });
    assert.equal((await studio.post('/change/undo', { step: last.id })).status, 409);
    await studio.change('/change/undo', { step: first.id });
    assert.deepEqual((await studio.summary([all[1] as string])).ratings, { sfw: 1 });
  });

  test('mistakes are explained, and change nothing', async () => {
    const { version } = await studio.summary([id]);
    const bad = [
      [{ addCategories: ['see'] }, /there is no category "see"; did you mean "sea"\?/],
      [{ sourceUrl: 'javascript:alert(1)' }, /source/],
      [{ artist: 'x'.repeat(9000), create: true }, /name/],
    ] as const;
    for (const [edit, message] of bad) {
      const { status, json } = await studio.post('/change/images', { ids: [id], version, edit });
      assert.equal(status, 422);
      assert.match(json.error, message);
    }
    const gone = await studio.post('/data/summary', { ids: [uuid(9, 9)] });
    assert.deepEqual([gone.status, gone.json.missing], [409, [uuid(9, 9)]]);
    assert.equal((await studio.summary([id])).version, version);
  });

  test('entries are renamed, merged and removed unless they changed meanwhile', async () => {
    const entry = async (name: string) =>
      (await studio.get('/data/entries?kind=category')).json.find(
        (entry: { name: string }) => entry.name === name,
      );
    const { id: sea, version } = await entry('sea');
    const rename = {
      kind: 'category',
      id: sea,
      version,
      fields: { name: 'ocean' },
      addAliases: [],
      removeAliases: [],
    };
    await studio.change('/change/entry', rename);
    assert.deepEqual((await entry('ocean')).aliases, ['sea']);
    const refused = await studio.post('/change/entry', rename);
    assert.equal(refused.status, 409);
    assert.match(refused.json.error, /the category "ocean" was changed meanwhile/);
    assert.equal((await studio.post('/change/entry', { ...rename, fields: { id: uuid(9, 9) } })).status, 400);
    assert.equal((await steps())[0].label, 'Change the category sea');
    await undoAll();
    assert.deepEqual((await entry('sea')).aliases, []);
  });

  test('removed pictures are remembered, and come back until their files are deleted', async () => {
    const [first = '', second = ''] = all;
    const file = (await box.find()).length;
    assert.equal(file, 3);
    const before = (await studio.get(`/picture/${first}`)).bytes;
    for (const [target, reason] of [
      [first, ''],
      [second, 'the artist asked'],
    ] as const) {
      const { version } = await studio.summary([target]);
      await studio.change('/change/remove', { ids: [target], version, reason });
    }
    assert.equal((await studio.get(`/picture/${first}`)).status, 404);
    assert.deepEqual(await studio.ids(), [all[2]]);
    // Not the last step: the removal after it is independent.
    const [, removal] = await steps();
    assert.deepEqual(removal.removed, [first]);
    await studio.change('/change/undo', { step: removal.id });
    assert.deepEqual((await studio.get(`/picture/${first}`)).bytes, before);
    const { json: removed } = await studio.get('/data/removed');
    assert.deepEqual(
      removed.map(({ id }: { id: string }) => id),
      [second],
    );
    assert.equal((await studio.change('/change/purge', {})).files, 1);
    assert.deepEqual(await steps(), []);
    assert.match(await box.ok('import', box.pictures), /the artist asked/);
    assert.equal((await studio.ids()).length, 2);
    await studio.change('/change/allow', { ids: [second] });
    assert.deepEqual((await studio.get('/data/removed')).json, []);
    await box.ok('import', box.pictures);
    assert.equal((await studio.ids()).length, 3);
    await box.ok('check');
  });

  test('the files stay while other commands run, and a removal whose files are gone stays', async () => {
    const [target = ''] = await studio.ids();
    const { version } = await studio.summary([target]);
    await studio.change('/change/remove', { ids: [target], version, reason: '' });
    const [removal] = await steps();
    await box.ok('import', box.pictures);
    await studio.change('/change/undo', { step: removal.id });
    const again = await studio.summary([target]);
    const [row] = rowsIn(box.config, `select key from image where id = '${target}'`) as { key: string }[];
    await studio.change('/change/remove', { ids: [target], version: again.version, reason: '' });
    rmSync(join(filesFolder(box.config), row?.key ?? ''));
    const [second] = await steps();
    const { status, json } = await studio.post('/change/undo', { step: second.id });
    assert.equal(status, 409);
    assert.match(json.error, /the files were deleted; import the pictures again/);
    assert.ok(json.steps.every((step: object) => !('removed' in step)));
    await box.ok('check');
  });

  test('a picture that the page sends is added with its fields, once', async () => {
    const session = { ...(await studio.signIn()), 'Content-Type': 'application/octet-stream' };
    const add = (query: string, body: Buffer) => studio.send(`/add/picture?${query}`, session, body, 'POST');
    const query = 'name=../x.PNG&rating=questionable&category=beach&category=sky&artist=Nami&character=Umi';
    const { status, json } = await add(query, tinyPicture(50));
    assert.equal(status, 200);
    assert.doesNotMatch(json.notes.join(), /zukan-add/);
    const [newest] = await box.find('--limit', '1');
    assert.deepEqual(
      [newest?.rating, newest?.artist.name, newest?.categories, newest?.characters],
      ['questionable', 'Nami', ['beach', 'sky'], ['Umi']],
    );
    const again = await add(query, tinyPicture(50));
    assert.deepEqual([again.json.added, again.json.updated], [0, 0]);
    const bad = await add('name=x.png&rating=sfw', Buffer.from('no picture'));
    assert.equal(bad.status, 422);
    assert.match(bad.json.error, /the picture/);
    for (const fields of [`category=${'x'.repeat(300)}`, 'rating=sfw&artist=%00']) {
      const refused = await add(`name=x.png&${fields}`, tinyPicture(52));
      assert.equal(refused.status, 422, fields);
      assert.doesNotMatch(refused.json.error, /zukan-add|picture\.(json|png)/);
    }
    await box.ok('remove', newest?.id ?? '', '--reason', 'as asked');
    const removed = await add(query, tinyPicture(50));
    assert.match(removed.json.notes.join('\n'), /as asked/);
    assert.doesNotMatch(removed.json.notes.join('\n'), /zukan-add/);
    const temporary = process.env.TMPDIR;
    process.env.TMPDIR = join(box.folder, 'missing');
    const unwritable = await add('name=x.png', tinyPicture(52)).finally(() => {
      if (temporary === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = temporary;
    });
    assert.doesNotMatch(unwritable.json.error, /zukan-add/);
    assert.match((await add('name=x.txt', tinyPicture(51))).json.error, /it is not a picture/);
    const form = { ...session, 'Content-Type': 'multipart/form-data' };
    assert.equal((await studio.send(`/add/picture?${query}`, form, 'x', 'POST')).status, 403);
    const foreign = { ...session, Origin: 'https://attacker.example' };
    assert.equal((await studio.send(`/add/picture?${query}`, foreign, 'x', 'POST')).status, 403);
  });

  test('the end of the studio deletes the files of removed pictures', async () => {
    const [target = ''] = await studio.ids();
    const [{ key }] = rowsIn(box.config, `select key from image where id = '${target}'`) as [{ key: string }];
    const { version } = await studio.summary([target]);
    await studio.change('/change/remove', { ids: [target], version, reason: '' });
    assert.ok(existsSync(join(filesFolder(box.config), key)));
    await studio.close();
    assert.ok(!existsSync(join(filesFolder(box.config), key)));
  });
});

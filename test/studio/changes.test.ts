/** Changes in the studio: refused if they are based on an old state, remembered, undone. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
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
  const undoLast = async () => {
    const [last] = await studio.steps();
    return studio.undo(last?.id ?? 0);
  };
  const labels = async () => (await studio.steps()).map(({ label }) => label);
  const edit = async (target: string, rating: string) => {
    assert.equal((await studio.edit([target], { rating })).refused, undefined);
  };
  const remove = async (target: string, reason: string, isTakeDown = false) => {
    const { version } = await studio.summary([target]);
    await studio.change('/change/remove', { ids: [target], version, reason, isTakeDown });
  };
  const removed = async () => (await studio.get('/data/removed')).json;

  test('an edit counts as decided by hand, is listed, and can be undone', async () => {
    const { version } = await studio.summary(all);
    const edit = { rating: 'nsfw', addCategories: ['new'], create: true };
    await studio.edit(all, edit);
    assert.deepEqual((await studio.summary(all)).ratings, { nsfw: 3 });
    const found = await box.find('--edited');
    assert.deepEqual(found[0]?.edited, ['categories', 'rating']);
    assert.deepEqual(await labels(), ['rate nsfw, add new: 3 images']);
    await undoLast();
    assert.deepEqual(await box.find('--edited'), []);
    assert.equal((await studio.summary(all)).version, version);
    const { json: categories } = await studio.get('/data/entries?kind=category');
    assert.deepEqual(
      categories.map(({ name }: { name: string }) => name),
      ['sea'],
    );
  });

  test('titles, descriptions and dates are changed, checked and undone', async () => {
    const { version } = await studio.summary([id]);
    const edit = { title: 'A fox', description: 'Red.', takenAt: '2024-02-03' };
    await studio.edit([id], edit);
    const { title, description, takenAt } = await studio.summary([id]);
    assert.deepEqual({ title, description, takenAt }, edit);
    const [change] = (await studio.get(`/data/history?image=${id}`)).json;
    const { json: items } = await studio.get(`/data/change?number=${change.number}`);
    assert.equal(items[0].name, 'A fox');
    assert.match((await studio.edit([id], { takenAt: 'soon' })).refused ?? '', /takenAt/);
    await undoLast();
    assert.equal((await studio.summary([id])).version, version);
  });

  test('a change waits for another command, says so, and is then made', async () => {
    const { version } = await studio.summary([id]);
    const { last: base } = (await studio.get('/data/steps')).json;
    const { catalogue } = (await studio.get('/data/session')).json;
    const owner = { catalogue, user: '' };
    const writer = await openWriter(box.config);
    const edit = { sourceName: 'A book' };
    let answer: ReturnType<typeof studio.post> | undefined;
    const first = await new Promise<string>((resolve) => {
      answer = studio.post(
        '/change/images',
        { ...owner, edits: [{ id: `${uuid(9, 9)}-1`, ids: [id], base, edit }] },
        resolve,
      );
    });
    assert.equal(first, '{"waiting":true}\n');
    await writer[Symbol.asyncDispose]();
    const last = (await answer)?.text.trim().split('\n').at(-1) as string;
    assert.deepEqual(JSON.parse(last).result.applied, [{ id: `${uuid(9, 9)}-1` }]);
    await undoLast();
    assert.equal((await studio.summary([id])).version, version);
  });

  test('a change based on an old state is refused', async () => {
    const { base } = await studio.summary([id]);
    await other.edit([id], { rating: 'questionable' });
    const { refused } = await studio.edit([id], { rating: 'nsfw' }, base);
    assert.equal(refused, '1 image changed meanwhile; look again');
    assert.deepEqual((await studio.summary([id])).ratings, { questionable: 1 });
    assert.deepEqual(await labels(), ['rate questionable: 1 image']);
  });

  test('what someone changed since stays when a step is undone, and those before it can be undone', async () => {
    const [, second = ''] = all;
    await edit(second, 'nsfw');
    await edit(id, 'nsfw');
    await box.ok('edit', id, '--rating', 'sfw');
    const [last = 0, first = 0] = (await studio.steps()).map(({ id }) => id);
    const { kept, changed } = await studio.undo(last);
    assert.equal(kept.count, 1);
    assert.deepEqual([kept.listed[0].id, changed.count], [id, 0]);
    assert.deepEqual((await studio.summary([id])).ratings, { sfw: 1 });
    await studio.undo(first);
    assert.deepEqual((await studio.summary([second])).ratings, { sfw: 1 });
  });

  test('the history has changes of commands, says what was before, and undoes them', async () => {
    await box.ok('edit', id, '--rating', 'nsfw');
    const { json: changes } = await studio.get('/data/history?origin=shell');
    const { number, summary, state } = changes[0];
    assert.deepEqual([summary, state], ['rate nsfw: 1 image', 'done']);
    const { json: ofImage } = await studio.get(`/data/history?image=${id}`);
    assert.equal(ofImage[0].number, number);
    assert.equal(ofImage.at(-1).origin, 'import');
    const { json: items } = await studio.get(`/data/change?number=${number}&image=${id}`);
    assert.deepEqual(items[0].differences[0], { field: 'rating', before: 'sfw', after: 'nsfw' });
    assert.deepEqual((await studio.get(`/data/change?number=${number}&image=${uuid(9, 9)}`)).json, []);
    assert.equal((await studio.undo(number, true)).changed.count, 1);
    assert.deepEqual((await studio.summary([id])).ratings, { nsfw: 1 }, 'a preview changes nothing');
    await studio.undo(number);
    assert.deepEqual((await studio.summary([id])).ratings, { sfw: 1 });
    const again = await studio.post('/change/undo', { change: number, isPreview: false });
    assert.deepEqual([again.status, again.json.error], [422, `change ${number} is undone already`]);
    const future = new Date(Date.now() + 60_000).toISOString();
    assert.deepEqual((await studio.get(`/data/history?since=${future}`)).json, []);
    for (const query of ['image=x', 'origin=x', 'since=x'])
      assert.equal((await studio.get(`/data/history?${query}`)).status, 400, query);
    assert.equal((await studio.get('/data/change?number=x')).status, 400);
  });

  test('mistakes are explained, and change nothing', async () => {
    const { version } = await studio.summary([id]);
    const bad = [
      [{ addCategories: ['see'] }, /there is no category "see"; did you mean "sea"\?/],
      [{ sourceUrl: 'javascript:alert(1)' }, /source/],
      [{ artist: 'x'.repeat(9000), create: true }, /name/],
    ] as const;
    for (const [edit, message] of bad) {
      assert.match((await studio.edit([id], edit)).refused ?? '', message);
    }
    const gone = await studio.post('/data/summary', { ids: [uuid(9, 9)] });
    assert.deepEqual([gone.status, gone.json.missing], [409, [uuid(9, 9)]]);
    assert.equal((await studio.summary([id])).version, version);
  });

  const entry = async (name: string) =>
    (await studio.get('/data/entries?kind=category')).json.find(
      (entry: { name: string }) => entry.name === name,
    );
  const refusal = async (path: string, body: object) => {
    const { status, json } = await studio.post(path, body);
    return [status, json.error];
  };

  test('entries are renamed unless they changed meanwhile', async () => {
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
    assert.equal((await labels())[0], 'change the category sea');
    await undoLast();
    assert.deepEqual((await entry('sea')).aliases, []);
  });

  test('entries are merged unless one of them changed or went meanwhile', async () => {
    const before = await studio.summary(all);
    const { id: from, version } = await entry('sea');
    await studio.change('/change/entry/create', { kind: 'category', name: 'ocean' });
    const { id: into, version: versionOfOcean } = await entry('ocean');
    const merge = { kind: 'category', from, into, version };
    assert.deepEqual(await refusal('/change/entry/merge', { ...merge, version: versionOfOcean }), [
      ...[409, 'the category "sea" was changed meanwhile; look at it again'],
    ]);
    assert.deepEqual(await refusal('/change/entry/merge', { ...merge, into: uuid(9, 9) }), [
      ...[409, 'the category to merge into was removed'],
    ]);
    await studio.change('/change/entry/merge', merge);
    const categories = async () =>
      (await studio.summary(all)).categories.map(({ name, images }) => [name, images]);
    assert.deepEqual(await categories(), [['ocean', 3]]);
    assert.equal(await entry('sea'), undefined);
    assert.deepEqual((await entry('ocean')).aliases, ['sea']);
    assert.deepEqual(await refusal('/change/entry/merge', merge), [
      409,
      'the category was removed meanwhile',
    ]);
    assert.equal((await labels())[0], 'merge the category sea');
    await undoLast();
    assert.deepEqual(await categories(), [['sea', 3]]);
    await undoLast();
    assert.equal(await entry('ocean'), undefined);
    assert.equal((await studio.summary(all)).version, before.version);
  });

  test('entries are removed unless they changed meanwhile, and a blocked name stays away', async () => {
    const before = await studio.summary(all);
    const { id: sea, version } = await entry('sea');
    const remove = { kind: 'category', id: sea, version, block: true };
    assert.deepEqual(await refusal('/change/entry/remove', { ...remove, version: 'old' }), [
      ...[409, 'the category "sea" was changed meanwhile; look at it again'],
    ]);
    await studio.change('/change/entry/remove', remove);
    assert.deepEqual((await studio.summary(all)).categories, []);
    assert.equal((await labels())[0], 'remove the category sea');
    await box.ok('import', '--full', box.pictures);
    assert.equal(await entry('sea'), undefined);
    await undoLast();
    assert.equal((await studio.summary(all)).version, before.version);
    assert.equal((await entry('sea')).images, 3);
  });

  test('removed pictures go to the trash, come back from it, and are deleted when it is emptied', async () => {
    const [first = '', second = ''] = all;
    const before = (await studio.get(`/picture/${first}`)).bytes;
    const { version } = await studio.summary([first, second]);
    await remove(first, '');
    await remove(second, 'the artist asked');
    assert.deepEqual(await studio.ids(), [all[2]]);
    assert.deepEqual((await studio.get(`/picture/${first}`)).bytes, before, 'the trash can be seen');
    await box.ok('import', box.pictures);
    await studio.change('/change/restore', { ids: [first] });
    assert.deepEqual((await labels())[0], 'restore 1 image from the trash');
    assert.deepEqual(
      (await removed()).map(({ id, reason, isInTrash }: Record<string, unknown>) => [id, reason, isInTrash]),
      [[second, 'the artist asked', true]],
    );
    // Not the last step: what came after it is independent.
    const [, removal] = await studio.steps();
    assert.deepEqual((await studio.undo(removal?.id ?? 0)).restored.listed, [second]);
    assert.equal((await studio.summary([first, second])).version, version);
    await remove(second, 'the artist asked');
    const emptied = await studio.change('/change/trash/empty', {});
    assert.deepEqual([emptied.images, emptied.files], [1, 1]);
    assert.equal((await studio.get(`/picture/${second}`)).status, 404);
    const [last] = await studio.steps();
    const { kept } = await studio.undo(last?.id ?? 0, true);
    assert.deepEqual(kept.listed, [{ kind: 'image', id: second, reason: 'deleted for good' }]);
    const gone = await studio.post('/change/restore', { ids: [second] });
    assert.deepEqual([gone.status, /the trash has no image/.test(gone.json.error)], [422, true]);
    await box.ok('check');
  });

  test('a picture that is taken down is gone at once, and imports add it again when they may', async () => {
    const before = await studio.ids();
    const [target = ''] = before;
    const [{ key }] = rowsIn(box.config, `select key from image where id = '${target}'`) as [{ key: string }];
    await remove(target, 'as asked', true);
    assert.ok(!existsSync(join(filesFolder(box.config), key)));
    const { isInTrash, reason } = (await removed()).find(({ id }: { id: string }) => id === target);
    assert.deepEqual([isInTrash, reason], [false, 'as asked']);
    assert.match(await box.ok('import', box.pictures), /as asked/);
    await studio.change('/change/allow', { ids: [target] });
    await box.ok('import', box.pictures);
    assert.equal((await studio.ids()).length, before.length);
    await box.ok('check');
  });

  test('a picture that the page sends is added with its fields, once', async () => {
    const session = { ...(await studio.signIn()), 'Content-Type': 'application/octet-stream' };
    const add = (query: string, body: Buffer) => studio.send(`/add/picture?${query}`, session, body, 'POST');
    const query =
      'name=../fox-in_snow.PNG&rating=questionable&category=beach&category=sky&artist=Nami&character=Umi';
    const { status, json } = await add(query, tinyPicture(50));
    assert.equal(status, 200);
    assert.doesNotMatch(json.notes.join(), /zukan-add/);
    const [newest] = await box.find('--limit', '1');
    assert.deepEqual(
      [newest?.rating, newest?.artist.name, newest?.categories, newest?.characters],
      ['questionable', 'Nami', ['beach', 'sky'], ['Umi']],
    );
    assert.deepEqual([newest?.title, newest?.fileName], ['fox in snow', 'fox-in_snow.PNG']);
    const again = await add(query, tinyPicture(50));
    assert.deepEqual([again.json.added, again.json.updated], [0, 0]);
    const bad = await add('name=x.png&rating=sfw', Buffer.from('no picture'));
    assert.equal(bad.status, 422);
    assert.match(bad.json.error, /the picture/);
    for (const fields of [`category=${'x'.repeat(300)}`, `rating=sfw&artist=${'x'.repeat(300)}`]) {
      const refused = await add(`name=x.png&${fields}`, tinyPicture(52));
      assert.equal(refused.status, 422, fields);
      assert.doesNotMatch(refused.json.error, /zukan-add|picture\.(json|png)/);
    }
    await box.ok('remove', '--yes', newest?.id ?? '', '--reason', 'as asked');
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

  test('a change can be undone when the studio runs again', async () => {
    const [target = ''] = await studio.ids();
    await edit(target, 'nsfw');
    await studio.close();
    const next = await openStudio(box.config);
    const [last] = await next.steps();
    assert.equal(last?.label, 'rate nsfw: 1 image');
    await next.undo(last?.id ?? 0);
    assert.deepEqual((await next.summary([target])).ratings, { sfw: 1 });
  });
});

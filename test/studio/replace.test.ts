/** A new picture that looks like one of the catalogue: it is shown first, and can take the place of the other. */
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { withFile } from '../../src/studio/pictures.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { openMaintained } from '../support/catalogues/maintained.ts';
import { paint } from '../support/pictures/painting.ts';
import { forEachEngineInDepth } from '../support/servers/engines.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { openStudio } from '../support/zukan/studio.ts';

const painting = paint(1, 96, 64);
const [large, small] = await Promise.all([
  painting().png().toBuffer(),
  painting().resize(60, 40).jpeg().toBuffer(),
]);
// The studio runs in this process.
const { TMPDIR } = process.env;
process.env.TMPDIR = temporaryFolder();
after(() => {
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
});
const leftovers = () =>
  readdirSync(process.env.TMPDIR as string).filter((name) => name.startsWith('zukan-add-'));

await forEachEngineInDepth(async (engine) => {
  const box = openMaintained(engine);
  writeFileSync(join(box.pictures, 'small.jpg'), small);
  writeFileSync(join(box.pictures, 'small.json'), JSON.stringify({ categories: ['sea'], artist: 'Nami' }));
  await box.ok('import', box.pictures);
  const before = await box.ok('export');
  const studio = await openStudio(box.config);
  const [id = ''] = await studio.ids();
  const bytesOf = async () => (await studio.get(`/picture/${id}`)).bytes;
  const upload = async (address: string, body: Buffer) => {
    const session = { ...(await studio.signIn()), 'Content-Type': 'application/octet-stream' };
    return studio.send(address, session, body, 'POST');
  };
  const removed = async () =>
    (await studio.get('/data/removed')).json.map(({ id, isFormer, isInTrash }: Record<string, unknown>) => [
      ...[id, isFormer, isInTrash],
    ]);
  const add = (query: string, body: Buffer) => upload(`/add/picture?${query}`, body);
  const replace = (query: string, body: Buffer) => upload(`/add/replacement?${query}`, body);

  test('it is not added before somebody decided', async () => {
    const { json } = await add('name=new.png&rating=sfw&category=beach&alike=ask', large);
    assert.deepEqual(
      json.alike.map(({ id, width, version }: Record<string, unknown>) => [id, width, typeof version]),
      [[id, 60, 'string']],
    );
    assert.equal(await box.ok('export'), before);
    const same = await add('name=new.jpg&rating=sfw&category=sea&artist=Nami&alike=ask', small);
    assert.equal(same.json.added, 0, 'the same bytes are no question');
  });

  test('an image gets the file and keeps its id and fields, also when its folder is imported again', async () => {
    const exported = await box.ok('export');
    const { version, title: former } = await studio.summary([id]);
    const stale = await replace(`name=new.png&id=${id}&version=other`, large);
    assert.deepEqual([stale.status, stale.json.summary.version], [409, version]);
    const { status, json } = await replace(`name=better.png&id=${id}&version=${version}`, large);
    assert.deepEqual([status, json.steps[0].label], [200, 'replace the file of 1 image']);
    assert.deepEqual(await bytesOf(), large);
    const { details, categories, title } = await studio.summary([id]);
    assert.deepEqual([details?.fileName, title], ['better.png', former]);
    assert.deepEqual([details?.width, details?.mimetype, categories[0]?.name], [96, 'image/png', 'sea']);
    assert.match(
      await box.ok('import', '--full', '--prune', '--yes', box.pictures),
      /replaced by another file/,
    );
    assert.deepEqual(await studio.ids(), [id]);
    assert.match(await box.ok('undo', '1', '--dry-run'), /: nothing left to change/);
    await box.ok('check');
    await studio.undo(json.steps[0].id);
    assert.deepEqual(await bytesOf(), small);
    assert.equal(await box.ok('export'), exported);
    await studio.change('/change/trash/empty', {});
    assert.deepEqual(await bytesOf(), small);
    await box.ok('check');
  });

  test('the former file is deleted with those of removed pictures, and refusals leave nothing behind', async () => {
    await box.ok('edit', id, '--rating', 'questionable');
    const { version } = await studio.summary([id]);
    assert.deepEqual(await studio.ids('fileChanged='), []);
    const { json } = await replace(`name=new.png&id=${id}&version=${version}`, large);
    assert.deepEqual(await studio.ids('fileChanged='), [id], 'somebody should look at its rating');
    assert.equal((await studio.change('/change/trash/empty', {})).files, 1);
    assert.deepEqual(await bytesOf(), large);
    assert.deepEqual(await removed(), [[id, true, false]]);
    const { kept } = await studio.undo(json.steps[0].id, true);
    assert.deepEqual(kept.listed, [
      { kind: 'image', id, name: 'new', reason: 'the former file was deleted for good' },
    ]);
    const current = await studio.summary([id]);
    const target = `id=${id}&version=${current.version}`;
    const refused: [string, Buffer, number, RegExp][] = [
      [target, large, 422, /already in the catalogue, as image/],
      [target, small, 422, /was removed on .* \(replaced by another file\); allow it again first/],
      [target, Buffer.from('no picture'), 422, /not a JPEG/],
      [`id=${uuid(9, 9)}&version=x`, large, 409, /there is no image with the id/],
      ["id=';--&version=x", large, 400, /out of date/],
    ];
    for (const [query, body, status, message] of refused) {
      const answer = await replace(`name=new.png&${query}`, body);
      assert.equal(answer.status, status, answer.text);
      assert.match(answer.json.error, message);
    }
    assert.deepEqual(leftovers(), []);
    await box.ok('check');
  });

  test('the former file of one that was edited is listed as that', async () => {
    for (const quality of [90, 60]) {
      writeFileSync(join(box.pictures, 'edited.jpg'), await paint(3, 60, 40)().jpeg({ quality }).toBuffer());
      await box.ok('import', '--full', box.pictures);
    }
    const [{ reason, isFormer, isInTrash }] = (await studio.get('/data/removed')).json;
    assert.deepEqual([reason, isFormer, isInTrash], ['replaced by another file', true, true]);
    assert.match(await box.ok('history', '--limit', '1'), /1 image changed/);
    const [{ number }] = JSON.parse(await box.ok('history', '--json'));
    assert.match(await box.ok('history', String(number)), /file: replaced by another one/);
    await box.ok('trash', '--empty', '--yes');
  });

  test('the former file comes back, and the stricter rating of both stays', async () => {
    const third = await paint(2, 90, 60)().png().toBuffer();
    const { version } = await studio.summary([id]);
    assert.match((await box.run('trash', '--restore', id)).errors, /no former file of it/);
    await replace(`name=third.png&id=${id}&version=${version}`, third);
    await box.ok('edit', id, '--title', 'Third', '--rating', 'nsfw');
    assert.match(await box.ok('trash'), new RegExp(`^${id} .* former file, replaced `));
    assert.match((await studio.summary([id])).details?.replacedAt ?? '', /^\d{4}-/);
    for (const address of ['former', 'former/64'])
      assert.deepEqual((await studio.get(`/picture/${id}/${address}`)).bytes, large, address);
    assert.deepEqual(await removed(), [[id, true, true]]);
    const exported = await box.ok('export');
    await box.ok('trash', '--restore', id);
    assert.deepEqual(await bytesOf(), large);
    const restored = await studio.summary([id]);
    assert.deepEqual([restored.title, restored.ratings], ['Third', { nsfw: 1 }]);
    assert.equal(restored.details?.fileName, 'new.png');
    assert.match(await box.ok('import', '--full', box.pictures), /replaced by another file/);
    const [{ number }] = JSON.parse(await box.ok('history', '--json'));
    await box.ok('undo', String(number));
    assert.equal(await box.ok('export'), exported);

    await box.ok('edit', id, '--rating', 'sfw');
    await studio.change('/change/restore', { ids: [id] });
    assert.deepEqual((await studio.summary([id])).ratings, { nsfw: 1 });
    assert.deepEqual(await studio.ids('fileChanged='), [id]);
    await studio.change('/change/restore', { ids: [id] });
    assert.deepEqual(await bytesOf(), third);
    await box.ok('check');
  });
});

test('a picture that is larger than an import accepts is refused, and nothing of it stays', async () => {
  const bytes = Readable.from([Buffer.alloc(1), Buffer.alloc(256 * 2 ** 20)]);
  const adding = withFile('large.png', bytes, async () => assert.fail('it was stored'));
  await assert.rejects(adding, /^Error: the picture is too large$/);
  assert.deepEqual(leftovers(), []);
});

/** What deletes for ever asks first; `zukan trash` moves images to the trash, and can be undone. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openMaintained } from '../support/catalogues/maintained.ts';
import { forEachEngineInDepth } from '../support/servers/engines.ts';
import { runAnswering } from '../support/zukan/program.ts';

await forEachEngineInDepth((engine) => {
  async function filled() {
    const box = openMaintained(engine);
    box.picture(1, { artist: 'Ann', tags: ['cat'], rating: 's' });
    box.picture(2, { artist: 'Ann', tags: ['cat'], rating: 's' });
    box.picture(3, { artist: 'Bob', rating: 's' });
    await box.ok('import', '--quiet', box.pictures);
    const environment = { ...box.environment, THUMBNAILS: 'off' };
    const answer = (text: string, ...command: string[]) => runAnswering(text, command, environment);
    return { ...box, answer, all: (await box.run('find')).output };
  }

  describe('trash', () => {
    test('lists what was removed last first, and of one removal the newest images first', async () => {
      const { ok, all } = await filled();
      const [third = '', second = '', first = ''] = all.trim().split('\n');
      await ok('trash', first, third);
      await ok('trash', second);
      const listed: { id: string }[] = JSON.parse(await ok('trash', '--json'));
      assert.deepEqual(
        listed.map(({ id }) => id),
        [second, third, first],
      );
    });

    test('moves images by id, filter and standard input to the trash, and undo restores them', async () => {
      const { ok, run, pipe, all } = await filled();
      const exported = await ok('export');
      const dry = await ok('trash', '--artist', 'Ann', '--dry-run');
      assert.match(dry, /^dry run, nothing was changed; 2 images would be moved to the trash\n\S+\n\S+\n$/);
      assert.equal(await ok('export'), exported);
      const moved = await ok('trash', '--artist', 'Ann');
      assert.match(moved, /^moved 2 images to the trash; "zukan undo 2" undoes it\n$/);
      assert.equal((await ok('find')).trim().split('\n').length, 1);
      await ok('undo', '2');
      assert.equal(await ok('export'), exported);
      const piped = await pipe(all, 'trash', '-');
      assert.match(piped.output, /^moved 3 images to the trash; "zukan undo 4"/);
      const ids = all.trim().split('\n');
      assert.match(
        await ok('trash', '--restore', ...ids, '--dry-run'),
        /nothing .*; 3 images would be restored/,
      );
      assert.equal(await ok('find'), '');
      await ok('trash', '--restore', ...ids);
      assert.equal(await ok('export'), exported);
      assert.equal(await ok('check'), 'no problems found\n');
      for (const wrong of [
        ['--artist', 'Ann', '--category', 'cat'],
        ['--artist', 'Ann', ...ids],
        [...ids, '--empty'],
      ])
        assert.equal((await run('trash', ...wrong)).status, 2, wrong.join(' '));
    });

    test('--empty says how many images it deletes, and asks', async () => {
      const { ok, run, answer, all } = await filled();
      await ok('trash', ...all.trim().split('\n'));
      assert.match(
        await ok('trash', '--empty', '--dry-run'),
        /nothing was changed; 3 images would be deleted/,
      );
      const refused = await run('trash', '--empty');
      assert.equal(refused.status, 1);
      assert.match(refused.errors, /^zukan: nothing was changed: This deletes 3 images .* Use --yes/);
      assert.equal((await answer('n\n', 'trash', '--empty')).status, 1);
      assert.equal(JSON.parse(await ok('trash', '--json')).length, 3);
      assert.match((await answer('y\n', 'trash', '--empty')).output, /^deleted 3 images and 3 files/);
      assert.equal(await ok('trash', '--empty'), 'deleted 0 images and 0 files for good\n');
    });
  });

  test('remove says how many images it removes for good, and asks', async () => {
    const { ok, pipe, run, answer, all } = await filled();
    const exported = await ok('export');
    const piped = await pipe(all, 'remove', '-');
    assert.equal(piped.status, 1);
    assert.match(piped.errors, /^zukan: nothing was changed: This removes 3 images for good; .* Use --yes/);
    assert.match((await run('remove', '--category', 'cat')).errors, /This removes 2 images for good/);
    for (const text of ['\n', 'no\n', '\u0003', '\u0004']) {
      const { status, errors } = await answer(text, 'remove', '--category', 'cat');
      assert.equal(status, 1, text);
      assert.match(errors, /This removes 2 images for good; .* Continue\? \[y\/N\]/);
    }
    assert.equal(await ok('export'), exported);
    const id = all.slice(0, 36);
    await ok('trash', id);
    assert.match((await run('remove', id)).errors, /This removes 1 image for good/);
    assert.match((await answer('y\n', 'remove', id)).output, /^removed 1 image and 1 file\n$/);
    assert.equal(await ok('remove', '--allow-again', id), '1 image removed before can be imported again\n');
    assert.match((await pipe(all.slice(37), 'remove', '-', '--yes')).output, /^removed 2 images/);
  });
});

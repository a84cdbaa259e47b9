/** The commands of the change log: history, undo and trash, as an operator uses them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uuid, writeKnownCatalogue } from '../support/catalogues/catalogue.ts';
import { openMaintained } from '../support/catalogues/maintained.ts';
import { filesIn } from '../support/checks/dump.ts';
import { forEachEngineInDepth, testOnOneStore } from '../support/servers/engines.ts';
import { filesFolder } from '../support/zukan/service.ts';

await forEachEngineInDepth((engine) => {
  async function prepare() {
    const { ok: run, run: tryRun, folder, config } = openMaintained(engine);
    const fails = async (...words: string[]) => (await tryRun(...words)).errors;
    await run('import', '--quiet', await writeKnownCatalogue(folder));
    return { run, fails, files: () => filesIn(filesFolder(config)).length };
  }
  const [first, second] = [uuid(4, 1), uuid(4, 2)];

  testOnOneStore(engine)('history lists what was changed by whom, and shows old and new values', async () => {
    const { run, fails } = await prepare();
    await run('edit', first, second, '--rating', 'nsfw');
    await run('entry', 'category', 'catgirl', '--name', 'cat girl');
    const [rename, edit, imported] = JSON.parse(await run('history', '--json'));
    assert.deepEqual([rename.number, edit.number, imported.number], [3, 2, 1]);
    assert.deepEqual([imported.origin, edit.origin], ['import', 'shell']);
    assert.deepEqual(Object.keys(edit), ['number', 'time', 'origin', 'user', 'summary']);
    assert.equal(edit.summary, 'rate nsfw: 2 images');
    assert.match(rename.summary, /^category "catgirl": name: catgirl → cat girl/);
    assert.match(
      await run('history', '2'),
      new RegExp(`\\nimage ${first} \\(1\\.jpg\\) changed {2}rating: \\S+ → nsfw\n`),
    );
    assert.equal(JSON.parse(await run('history', '2', '--json')).items.length, 2);
    assert.deepEqual(
      JSON.parse(await run('history', '--image', first, '--json')).map(
        ({ number }: { number: number }) => number,
      ),
      [2, 1],
    );
    for (const name of ['catgirl', 'cat girl'])
      assert.equal(JSON.parse(await run('history', '--entry', name, '--json'))[0].number, 3, name);
    assert.equal(JSON.parse(await run('history', '--limit', '1', '--json')).length, 1);
    assert.equal(await run('history', '--since', '2999-01-01'), 'no changes\n');
    assert.match(await fails('history', '99'), /there is no change 99/);
    assert.match(await fails('history', '2', '--limit', '3'), /name either the number/);
    assert.match(await fails('history', '--entry', 'nobody'), /is or was called "nobody"/);
  });

  testOnOneStore(engine)('the same edit again and again is one line, and is undone as one', async () => {
    const { run, fails } = await prepare();
    const before = await run('export');
    for (const id of [first, second]) await run('edit', id, '--rating', 'nsfw');
    const [, line] = (await run('history', '--limit', '1')).split('\n');
    assert.match(line ?? '', /^2-3 .* rate nsfw: 2 changes$/);
    assert.equal(JSON.parse(await run('history', '--json')).length, 3);
    for (const range of ['1-3', '3-4', '3-2', '2-3-4', '2-'])
      assert.match(
        await fails('undo', range),
        /does not show these changes as one|must be the number/,
        range,
      );
    for (const option of ['--strict', '--dry-run'])
      assert.match(await fails('undo', '2-3', option), /take one change/);
    assert.equal(
      await run('undo', '2-3'),
      'undid change 3: 1 image changed back\nundid change 2: 1 image changed back\n',
    );
    assert.equal(await run('export'), before);
    assert.match(
      await run('history'),
      /\n4-5 .* undo: rate nsfw: 2 changes\n2-3 .* rate nsfw: 2 changes \(undone\)\n1 /,
    );
  });

  test('undo restores what was before, keeps what was changed since, and can be undone', async () => {
    const { run, fails } = await prepare();
    const before = await run('export');
    await run('edit', first, second, '--rating', 'nsfw');
    const edited = await run('export');
    assert.match(
      await run('undo', '2', '--dry-run'),
      /^dry run, nothing was changed; .*: 2 images changed back\n/,
    );
    assert.equal(await run('export'), edited);
    assert.equal(await run('undo', '2'), 'undid change 2: 2 images changed back\n');
    assert.equal(await run('export'), before);
    assert.match(await fails('undo', '2'), /change 2 is undone already/);
    await run('undo', '3');
    assert.equal(await run('export'), edited);
    await run('edit', first, '--rating', 'questionable');
    assert.match(
      await fails('undo', '2', '--strict'),
      new RegExp(`nothing was undone: .*\\n.*\\n {2}image ${first} \\(1\\.jpg\\): rating changed since`),
    );
    const kept = `kept:\n  image ${first} (1.jpg): rating changed since\n`;
    assert.equal(await run('undo', '2'), `undid change 2: 1 image changed back\n${kept}`);
    assert.equal(await run('undo', '2'), `undid change 2: nothing left to change\n${kept}`);
    await run('undo', '5');
    assert.equal(await run('undo', '2'), 'undid change 2: 1 image changed back\n');
    assert.equal(await run('export'), before);
    for (const url of ['https://one.example', 'https://two.example'])
      await run('entry', 'artist', 'Unknown', '--url', url);
    const [, { number }] = JSON.parse(await run('history', '--json'));
    assert.match(
      await run('undo', String(number)),
      /: nothing left to change\nkept:\n.*: url changed since\n/,
    );
    assert.match(await fails('undo', 'x'), /must be the number of a change/);
  });

  test('the trash lists, restores and deletes; a take-down leaves only id and hash', async () => {
    const { run, fails, files } = await prepare();
    const [before, stored] = [await run('export'), files()];
    await run('undo', '1');
    assert.equal(files(), stored);
    assert.equal(
      (await run('trash')).split('\n').filter(Boolean).length,
      JSON.parse(await run('trash', '--json')).length,
    );
    assert.match(
      await run('trash'),
      new RegExp(`^${first} \\(1\\.jpg\\) {2}removed [0-9-]+, kept until `, 'm'),
    );
    assert.equal(
      JSON.parse(await run('trash', '--json')).find(({ id }: { id: string }) => id === first).name,
      '1.jpg',
    );
    await run('undo', '2');
    assert.equal(await run('export'), before);
    await run('edit', first, '--source-url', 'https://example.org/secret');
    await run('remove', '--yes', first, '--reason', 'asked to');
    const shown = await run('history', '5');
    assert.match(shown, new RegExp(`image ${first} taken down {2}hash: \\(none\\) → [0-9a-f]{64}`));
    for (const number of ['1', '2', '3', '4']) assert.doesNotMatch(await run('history', number), /secret/);
    assert.doesNotMatch(shown, /asked to/);
    assert.match(await fails('undo', '5'), /took images down, which cannot be undone/);
    await run('undo', '4');
    assert.doesNotMatch(await run('export'), new RegExp(`"type":"image","id":"${first}"`), 'it stays away');
    assert.match(await fails('trash', '--restore', first), /the trash has no image/);
    await run('undo', '1');
    assert.match(await run('trash', '--empty', '--yes'), /^deleted \d+ images and \d+ files for good\n/);
    assert.equal(files(), 0);
    assert.equal(await run('trash'), 'the trash is empty\n');
    assert.match(await fails('trash', '--empty', '--yes', '--restore', first), /name either/);
  });
});

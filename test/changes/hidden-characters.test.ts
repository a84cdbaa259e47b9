/** Texts with characters that nobody sees: refused, cleaned or listed, wherever they come from. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { uuid } from '../support/catalogues/catalogue.ts';
import { keyed, sandbox } from '../support/catalogues/import.ts';
import { parseLines } from '../support/catalogues/lines.ts';
import { storeOldText } from '../support/catalogues/older.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { forEachEngineInDepth } from '../support/servers/engines.ts';
import { runCommand } from '../support/zukan/program.ts';
import { openStudio } from '../support/zukan/studio.ts';

const HIDDEN = '\u0007\u202e';
const kinds = ['artist', 'category', 'character', 'album'] as const;
const idOf = (kind: string) => uuid(kinds.indexOf(kind as never) + 1, 1);
const image = uuid(5, 1);
const records = [
  ...kinds.map((type) => ({ type, id: idOf(type), name: `${type}¤`, aliases: [`former ${type}¤`] })),
  { type: 'blocked', kind: 'category', name: 'spam¤' },
  keyed(1, {
    id: image,
    title: 'title¤',
    description: 'a\n¤',
    ...{ licence: 'c¤', credit: 'd¤', alt: 'e\n¤' },
    source: { name: 'b¤', url: '' },
    characters: ['character¤'],
  }),
];

await forEachEngineInDepth((engine) => {
  const setUp = async () => {
    const box = sandbox(engine);
    await box.import(records);
    storeOldText(box.config, '¤', HIDDEN);
    const run = async (...command: string[]) => runCommand(command, box.environment);
    const check = async () =>
      (await run('check', '--quiet')).output.split('\n').filter((line) => line.includes('U+'));
    return { ...box, run, check };
  };

  test('check lists what an older version accepted, and its commands fix it', async () => {
    const { run, check } = await setUp();
    const found = (await check()).join('\n');
    assert.equal(found.split('\n').length, 15, found);
    for (const kind of kinds) {
      const command = `zukan entry ${kind} ${idOf(kind)} --name`;
      const place = kind.length + 1;
      assert.match(
        found,
        new RegExp(`^${kind} ${idOf(kind)}: name: character ${place} is U\\+0007.*: ${command}`, 'm'),
      );
      assert.match(found, new RegExp(`^${kind} ${idOf(kind)}: aliases\\.0: .*: ${command}`, 'm'));
      const renamed = await run('entry', kind, idOf(kind), '--name', `${kind} 2`);
      assert.equal(renamed.status, 0, renamed.errors);
      const { aliases } = JSON.parse((await run('entry', kind, idOf(kind), '--json')).output);
      assert.deepEqual(aliases, [kind, `former ${kind}`], 'as imports of folders find them');
    }
    for (const [field, place, option] of [
      ['title', 6, 'title'],
      ['description', 3, 'description'],
      ['licence', 2, 'licence'],
      ['credit', 2, 'credit'],
      ['alt', 3, 'alt'],
      ['source.name', 2, 'source-name'],
    ]) {
      const problem = `^image ${image}: ${field}: character ${place} is U\\+0007.*: zukan edit ${image} --${option} `;
      assert.match(found, new RegExp(problem, 'm'));
      assert.equal((await run('edit', image, `--${option}`, 'new')).status, 0);
    }
    assert.match(found, /^the blocked category "spam\\u0007\\u202e": .*so block "spam" too$/m);
    assert.equal((await check()).length, 1);
    assert.equal((await run('entry', 'category', `spam${HIDDEN}`, '--unblock')).status, 0);
    assert.deepEqual(await check(), []);
  });

  test('other fields of an old entry can be changed, and it can be undone', async () => {
    const { run, check } = await setUp();
    const before = await check();
    const id = idOf('character');
    assert.equal((await run('entry', 'character', id, '--gender', 'female')).status, 0);
    assert.equal((await check()).length, before.length - 1, 'its alias is clean');
    const [last] = JSON.parse((await run('history', '--json')).output);
    assert.equal((await run('undo', String(last.number))).status, 0);
    assert.deepEqual(await check(), before);
  });

  test('a block is on the name that imports of folders find', async () => {
    const { run, folder } = await setUp();
    assert.equal((await run('entry', 'category', idOf('category'), '--remove', '--block')).status, 0);
    const pictures = join(folder, 'pictures');
    writeTiny(pictures, `cate\u200bgory/a.png`, 1);
    writeTiny(pictures, `former category${HIDDEN}/b.png`, 2);
    const { status, output, errors } = await run('import', pictures);
    assert.equal(status, 0, errors);
    const { categories } = JSON.parse((await run('stats', '--json')).output);
    assert.equal(categories.count, 0, output);
  });

  test('new texts are refused, with the character and its place', async () => {
    const { config, run } = await setUp();
    const id = idOf('category');
    for (const command of [
      ['entry', 'category', id, '--name', 'a\u200b'],
      ['entry', 'category', id, '--add-alias', 'a\u200b'],
      ['entry', 'category', 'a\u200b', '--create'],
      ['entry', 'category', 'a\u200b', '--block'],
      ['entry', 'character', idOf('character'), '--source', 'a\u200b'],
      ['edit', image, '--title', 'a\u200b'],
      ['edit', image, '--source-name', 'a\u200b'],
      ['edit', image, '--add-album', 'a\u200b', '--create'],
    ]) {
      const { status, errors } = await run(...command);
      assert.equal(status, 2, command.join(' '));
      assert.match(errors, /character 2 is U\+200B/, command.join(' '));
    }
    const studio = await openStudio(config);
    const { status, text } = await studio.post('/change/entry/create', { kind: 'artist', name: 'a\u200b' });
    assert.notEqual(status, 200);
    assert.match(text, /character 2 is U\+200B/);
  });
});

await forEachEngineInDepth((engine) => {
  test('a backup brings back what an older version accepted', async () => {
    const box = sandbox(engine);
    await box.import(records.slice(0, -1));
    storeOldText(box.config, '¤', HIDDEN);
    const backup = join(box.folder, 'backup');
    const restored = { ...engine.environment(), DATA_DIR: join(box.folder, 'restored') };
    assert.equal((await runCommand(['backup', '--quiet', backup], box.environment)).status, 0);
    const { status, errors } = await runCommand(['restore', '--quiet', backup], restored);
    assert.equal(status, 0, errors);
    const [before, after] = [
      await runCommand(['check'], box.environment),
      await runCommand(['check'], restored),
    ];
    assert.match(after.output, /U\+0007/);
    assert.equal(after.output, before.output);
  });
});

test('a folder loses them, wherever they are', async () => {
  const box = sandbox();
  const pictures = join(box.folder, 'pictures');
  writeTiny(pictures, `f\u200box${HIDDEN}/sno\u00adw.png`, 1);
  writeFileSync(
    join(pictures, `f\u200box${HIDDEN}`, 'sno\u00adw.png.json'),
    JSON.stringify({
      artist: `An\u200bn${HIDDEN}`,
      tags: ['ra\u200bting:explicit', `a\u200bb`],
      characters: [HIDDEN, 'M\u200bei'],
      description: `a\n${HIDDEN}b`,
      source: { name: `s${HIDDEN}`, url: 'https://example.org/\u200b' },
    }),
  );
  writeTiny(pictures, 'n\u200bsfw/b.png', 2);
  const { status, errors } = await runCommand(['import', '--quiet', pictures], box.environment);
  assert.equal(status, 0, errors);
  const { output } = await runCommand(['export'], box.environment);
  const lines = parseLines(output);
  const names = lines.filter(({ type }) => type !== 'image').map(({ name }) => name);
  assert.deepEqual(names, ['ab', 'fox', 'nsfw', 'Ann', 'Unknown', 'Mei']);
  const [snow, other] = lines
    .filter(({ type }) => type === 'image')
    .toSorted((a, b) => b.title.length - a.title.length);
  assert.deepEqual([snow.title, snow.description, snow.nsfw], ['snow', 'a\nb', 'nsfw']);
  assert.deepEqual(snow.source, { name: 's', url: 'https://example.org/' });
  assert.equal(other.nsfw, 'nsfw');
});

/** The commands entry and remove: names stay aliases, and what was removed is not imported again. */
import assert from 'node:assert/strict';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { removeLocation } from '../../src/media/metadata/read.ts';
import { openWriter } from '../../src/server/engines.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { keyed, sandbox } from '../support/catalogues/import.ts';
import { openMaintained } from '../support/catalogues/maintained.ts';
import { filesIn, shelfProblems } from '../support/checks/dump.ts';
import { geotagged } from '../support/pictures/geotagged.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { forEachEngineInDepth, testOnOneStore } from '../support/servers/engines.ts';
import { runCommand } from '../support/zukan/program.ts';
import { filesFolder } from '../support/zukan/service.ts';

await forEachEngineInDepth((engine) => {
  const testOnce = testOnOneStore(engine);
  describe('entry', () => {
    test('a renamed or merged entry keeps its names, so that sidecars land in the right place', async () => {
      const { picture, pictures, ok, run, find, config } = openMaintained(engine);
      picture(1, { artist: 'ann', tags: ['cat', 'kitty'] });
      await ok('import', pictures);
      assert.equal(
        await ok('entry', 'category', 'CAT', '--name', 'Cats', '--description', 'All cats.'),
        'category "cat": name: cat → Cats; description: (none) → All cats.; aliases: (none) → cat\n',
      );
      await ok('entry', 'artist', 'Ann Ink', '--create', '--url', 'https://example.org/ann');
      assert.match(await ok('entry', 'artist', 'ann', '--merge-into', 'Ann Ink', '--dry-run'), /^dry run/);
      assert.equal(
        await ok('entry', 'artist', 'ann', '--merge-into', 'Ann Ink'),
        'merged the artist "ann" into "Ann Ink" (1 image)\n',
      );
      await ok('entry', 'category', 'kitty', '--merge-into', 'cat');
      picture(2, { artist: 'ann', tags: ['KITTY', 'cat'] });
      assert.match(await ok('import', pictures), /^1 added, 0 updated/, 'no entry was created');
      for (const { artist, categories } of await find())
        assert.deepEqual(
          [artist.name, artist.url, categories],
          ['Ann Ink', 'https://example.org/ann', ['Cats']],
        );
      const shown = JSON.parse(await ok('entry', 'category', 'kitty', '--json'));
      assert.deepEqual([shown.name, shown.aliases, shown.images], ['Cats', ['cat', 'kitty'], 2]);
      assert.match(
        await ok('entry', 'artist', 'ann'),
        /^artist +Ann Ink\nid .*\nname +Ann Ink\naliases +ann\n/,
      );
      assert.match(
        (await run('entry', 'artist', 'ann', '--create')).errors,
        /"ann" is an alias of the artist "Ann Ink"; remove it there first \(--remove-alias\)/,
      );
      await ok('entry', 'artist', 'Ann Ink', '--remove-alias', 'ann');
      picture(3, { artist: 'ann' });
      assert.match(await ok('import', pictures), /created:\n {2}artist ann\n/);
      for (const option of ['--name', '--add-alias'])
        assert.match((await run('entry', 'artist', 'ann', option, 'Ann Ink')).errors, /use --merge-into/);
      assert.deepEqual(shelfProblems(config), []);
      assert.equal(await ok('check'), 'no problems found\n');
    });

    testOnce('characters of different works may have the same name', async () => {
      const { ok, run, config } = openMaintained(engine);
      await ok('import', '-');
      const create = ['entry', 'character', 'Koharu', '--create'];
      await ok(...create, '--source', 'Nine Tails Post');
      for (const rest of [[], ['--source', 'Nine Tails Post']])
        assert.match(
          (await run(...create, ...rest)).errors,
          /the character "Koharu" already exists; give the --source of another work/,
        );
      await ok(...create, '--source', 'Winter', '--add-alias', 'Ko-chan');
      await ok('entry', 'character', 'Mei', '--create', '--source', 'Winter');
      assert.match(
        (await run('entry', 'character', 'Mei', '--name', 'Koharu')).errors,
        /the character "Koharu" already exists; use --merge-into/,
      );
      await ok(
        'entry',
        'character',
        'Mei',
        '--name',
        'Koharu',
        '--source',
        'Spring',
        '--remove-alias',
        'Mei',
      );
      assert.match((await run('entry', 'character', 'Koharu')).errors, /3 characters are called "Koharu"/);
      const shown = JSON.parse(await ok('entry', 'character', 'Ko-chan', '--json'));
      assert.deepEqual([shown.source, shown.aliases], ['Winter', ['Ko-chan']]);
      assert.deepEqual(shelfProblems(config), []);
    });

    testOnce('options that would be ignored are usage errors', async () => {
      const { ok, run } = openMaintained(engine);
      await ok('import', '-');
      for (const flags of [
        ['--create', '--name', 'Bob'],
        ['--create', '--remove-alias', 'Bob'],
        ['--create', '--block'],
        ['--block', '--name', 'Bob'],
        ['--block', '--add-alias', 'Bob'],
        ['--block', '--merge-into', 'Bob'],
        ['--remove', '--add-alias', 'Bob'],
      ])
        assert.equal((await run('entry', 'artist', 'Ann', ...flags)).status, 2, flags.join(' '));
      assert.equal(await ok('export'), '');
    });

    testOnce('records use aliases, and keep the name that an operator gave', async () => {
      const box = openMaintained(engine);
      const records = [
        { type: 'category', name: 'cat', description: 'one' },
        { type: 'artist', name: 'Ann' },
        keyed(1, { categories: ['cat'], artist: 'Ann' }),
      ];
      await box.import(records);
      await box.ok('entry', 'category', 'cat', '--name', 'Cats');
      assert.deepEqual(await box.import(records), { added: 0, updated: 0, unchanged: 3 });
      const changed = [{ type: 'category', name: 'CAT', description: 'two' }];
      assert.deepEqual(await box.import(changed), { added: 0, updated: 1, unchanged: 0 });
      assert.match(
        await box.ok('entry', 'category', 'cats'),
        /name +Cats\naliases +cat\n.*description +two/s,
      );
      const renamed = [{ type: 'category', id: uuid(1, 1), name: 'other', aliases: ['dog', 'Dogs'] }];
      await box.import(renamed);
      await box.import([{ ...renamed[0], name: 'more', aliases: undefined }]);
      assert.match(await box.ok('entry', 'category', 'other'), /aliases +Dogs, dog, other\n/);
      await box.import([{ ...renamed[0], aliases: [] }]);
      assert.match((await box.run('entry', 'category', 'more')).errors, /there is no category "more"/);
    });

    test('an artist is identified by its name, as long as one artist has it', async () => {
      const box = openMaintained(engine);
      await box.import([{ type: 'artist', name: 'Ann' }]);
      const withUrl = { type: 'artist', name: 'Ann', url: 'https://example.org/1' };
      assert.equal((await box.import([withUrl])).updated, 1);
      await box.import([{ ...withUrl, id: uuid(2, 2), url: 'https://example.org/2' }]);
      assert.equal((await box.import([withUrl])).unchanged, 1, 'the URL tells them apart');
      const third = box.import([{ ...withUrl, url: 'https://example.org/3' }]);
      await assert.rejects(third, /2 artists match this record; add the "id"/);
      assert.match(
        (await box.run('entry', 'artist', 'Ann')).errors,
        /2 artists are called "Ann": .*name one by its id/,
      );
    });

    test('several entries are removed at once, and those that no picture uses', async () => {
      const { import: importRecords, ok, run, pipe, config } = openMaintained(engine);
      const categories = ['cat', 'dog', 'fox', 'old one', 'gone'];
      await importRecords([
        ...categories.map((name) => ({ type: 'category', name, aliases: [`${name}s`] })),
        ...['Ann', 'Bob'].map((name) => ({ type: 'artist', name })),
        keyed(1, { id: uuid(4, 1), categories: ['cat', 'dog'], artist: 'Ann' }),
        keyed(2, { id: uuid(4, 2), categories: ['fox'] }),
      ]);
      const listed = async (...flags: string[]) =>
        JSON.parse(await ok('entries', 'category', '--json', ...flags)).map(
          ({ name, images }: { name: string; images: number }) => `${name} ${images}`,
        );
      assert.deepEqual(await listed(), ['cat 1', 'dog 1', 'fox 1', 'gone 0', 'old one 0']);
      assert.deepEqual(await listed('--empty'), ['gone 0', 'old one 0']);
      const before = await ok('export');
      assert.equal(
        (await pipe('dogs\n\nold one\r\n', 'entry', 'category', 'cat', '-', 'dog', '--remove')).output,
        [
          'removed the category "cat" from 1 image',
          'removed the category "dog" from 1 image',
          'removed the category "old one" from 0 images\n',
        ].join('\n'),
      );
      const [{ number, summary }] = JSON.parse(await ok('history', '--json'));
      assert.equal(summary, 'removed 3 categories');
      await ok('undo', String(number));
      assert.equal(await ok('export'), before);
      assert.match((await run('entry', 'category', 'cat', 'none', '--remove')).errors, /no category "none"/);
      assert.match((await run('entry', 'artist', 'Ann', 'Unknown', '--remove')).errors, /cannot be removed/);
      const wrong = [
        ['cat', 'dog'],
        [],
        ['--remove'],
        ['cat', '--remove-empty'],
        ['--remove', '--remove-empty'],
        ['cat', 'dog', '--name', 'x'],
      ];
      for (const parameters of wrong)
        assert.equal((await run('entry', 'category', ...parameters)).status, 2, parameters.join(' '));
      assert.equal((await run('entries', 'thing')).status, 2);
      assert.match(
        await ok('entry', 'category', '--remove-empty', '--dry-run'),
        /^dry run, nothing was changed; would remove 2 categories that no image has:\n {2}gone\n {2}old one\n$/,
      );
      assert.equal(await ok('export'), before);
      assert.match(
        await ok('entry', 'category', '--remove-empty'),
        /^removed 2 categories that no image has:/,
      );
      assert.match(
        await ok('entry', 'artist', '--remove-empty'),
        /^removed 1 artist that no image has:\n {2}Bob\n$/,
      );
      assert.equal(await ok('entry', 'artist', '--remove-empty'), 'removed 0 artists that no image has\n');
      assert.deepEqual(await listed(), ['cat 1', 'dog 1', 'fox 1']);
      const [artists, emptied] = JSON.parse(await ok('history', '--json'));
      for (const change of [artists, emptied]) await ok('undo', String(change.number));
      assert.equal(await ok('export'), before);
      assert.deepEqual(shelfProblems(config), []);
    });

    testOnce('an entry that a picture in the trash has is not empty', async () => {
      const { import: importRecords, ok, config } = openMaintained(engine);
      const records = [{ type: 'category', name: 'cat' }, keyed(1, { id: uuid(4, 1), categories: ['cat'] })];
      await importRecords(records);
      await importRecords([{ type: 'category', name: 'dog' }]);
      {
        await using writer = await openWriter(config);
        await writer.trashImages([uuid(4, 1)]);
        await writer.commit();
      }
      assert.match(await ok('entry', 'category', '--remove-empty'), /^removed 1 category .*:\n {2}dog\n$/);
      assert.match(await ok('trash', '--restore', uuid(4, 1)), /restored/);
    });

    testOnce('a removed entry is gone from all images, and a blocked name is not created again', async () => {
      const { picture, pictures, ok, run, find, config, pipe } = openMaintained(engine);
      picture(1, { artist: 'spammer', tags: ['spam', 'cat'] });
      picture(2, { tags: ['spam'] });
      await ok('import', pictures);
      assert.equal(
        await ok('entry', 'category', 'spam', '--remove', '--block'),
        'removed the category "spam" from 2 images, and blocked its name\n',
      );
      assert.match(
        await ok('entry', 'artist', 'spammer', '--remove', '--block'),
        /from 1 image, and blocked/,
      );
      const summary = await ok('import', pictures);
      assert.match(summary, /^0 added, 0 updated/);
      assert.match(
        summary,
        /left out \(blocked names\):\n {2}artist spammer: 1 picture\n {2}category spam: 2 pictures\n/,
      );
      assert.deepEqual(
        (await find()).map(({ artist, categories }) => [artist.name, categories]),
        [
          ['Unknown', []],
          ['Unknown', ['cat']],
        ],
      );
      assert.equal(await ok('check'), 'no problems found\n');
      assert.match(
        (await pipe('{"type":"category","name":"SPAM"}', 'import', '-')).errors,
        /the category "SPAM" is blocked; "zukan entry category 'SPAM' --unblock" lifts the block/,
      );
      for (const option of ['--name', '--add-alias']) {
        const { status, errors } = await run('entry', 'category', 'cat', option, 'Spam');
        assert.match(errors, /is blocked/);
        assert.equal(status, 1);
      }
      assert.match((await run('entry', 'category', 'cat', '--block')).errors, /add --remove to remove it/);
      assert.match(await ok('entry', 'category', 'spam', '--unblock'), /"zukan import --full" adds it again/);
      assert.match(await ok('import', '--full', pictures), /created:\n {2}category spam\n/);
      assert.match((await run('entry', 'artist', 'Unknown', '--remove')).errors, /cannot be removed/);
      assert.deepEqual(shelfProblems(config), []);
    });
  });

  testOnce('a picture that moves into a folder with a blocked name leaves its former category', async () => {
    const { pictures, ok, find } = openMaintained(engine);
    writeTiny(pictures, 'cats/1.png', 1);
    await ok('import', pictures);
    await ok('entry', 'category', 'foxes', '--block');
    renameSync(join(pictures, 'cats'), join(pictures, 'foxes'));
    assert.match(
      await ok('import', pictures),
      /left out \(blocked names\):\n {2}category foxes: 1 picture\n/,
    );
    assert.deepEqual((await find())[0]?.categories, []);
  });

  testOnce(
    'an entry that has a blocked name or alias nevertheless was added on purpose, and is used',
    async () => {
      const { picture, pictures, ok, find, pipe } = openMaintained(engine);
      const lines = [
        { type: 'artist', name: 'Kei Mori', aliases: ['Kei'] },
        { type: 'category', name: 'foxes' },
        { type: 'category', name: 'cat', aliases: ['cats'] },
        { type: 'blocked', kind: 'artist', name: 'Kei', skips: true },
        { type: 'blocked', kind: 'category', name: 'foxes' },
        { type: 'blocked', kind: 'category', name: 'cats' },
      ];
      const text = lines.map((line) => JSON.stringify(line)).join('\n');
      assert.equal((await pipe(text, 'import', '-')).status, 0);
      picture(1, { artist: 'Kei', tags: ['foxes', 'cats'] });
      assert.match(await ok('import', pictures), /^1 added/);
      assert.deepEqual(
        (await find()).map(({ artist, categories }) => [artist.name, categories]),
        [['Kei Mori', ['cat', 'foxes']]],
      );
    },
  );

  describe('remove --block', () => {
    testOnce('a picture is skipped if any copy of it names a blocked artist or character', async () => {
      const { picture, pictures, ok, find } = openMaintained(engine);
      picture(1, { artist: 'Ann' });
      picture(2, { characters: ['Koharu'] });
      picture(3, { artist: 'Bob' });
      await ok('import', pictures);
      await ok('remove', '--yes', '--artist', 'Ann', '--block');
      await ok('remove', '--yes', '--character', 'Koharu', '--block');
      writeTiny(pictures, 'a/4.png', 40);
      writeTiny(pictures, 'b/4.png', 40);
      writeFileSync(join(pictures, 'b/4.json'), '{"artist":"Ann"}');
      writeTiny(pictures, 'a/5.png', 50);
      writeTiny(pictures, 'b/5.png', 50);
      writeFileSync(join(pictures, 'b/5.json'), '{"artist":"Bob","characters":["Koharu"]}');
      // One that is in the catalogue stays as it is.
      writeTiny(pictures, 'b/3.png', 3);
      writeFileSync(join(pictures, 'b/3.json'), '{"artist":"Ann"}');
      const summary = await ok('import', pictures);
      assert.match(
        summary,
        /skipped \(blocked artists and characters\):\n {2}\S*a\/4\.png: artist Ann\n {2}\S*a\/5\.png: character Koharu\n/,
      );
      assert.deepEqual(
        (await find()).map(({ artist }) => artist.name),
        ['Bob'],
      );
      assert.match(await ok('import', pictures), /^0 added/);
      assert.equal(await ok('check'), 'no problems found\n');
    });

    test('pictures of a blocked artist or character are skipped and listed from then on', async (t) => {
      const { picture, pictures, ok, run, find, config, pipe } = openMaintained(engine);
      picture(1, { artist: 'Ann' });
      picture(2, { artist: 'Bob', characters: ['Koharu'] });
      picture(3, { artist: 'Bob' });
      await ok('import', pictures);
      await ok('entry', 'artist', 'Ann', '--add-alias', 'ann_ink');
      const dry = await ok('remove', '--artist', 'Ann', '--block', '--dry-run');
      assert.match(dry, /^dry run.*1 image would be removed:\n\S+\nwould block "Ann", "ann_ink"\n$/);
      assert.equal(
        await ok('remove', '--yes', '--artist', 'ann_ink', '--block', '--reason', 'she asked'),
        'removed 1 image and 1 file\nblocked "Ann", "ann_ink"; imports of folders skip their pictures\n',
      );
      assert.match(
        await ok('remove', '--yes', '--character', 'Koharu', '--block'),
        /^removed 1 image .*\nblocked "Koharu"/,
      );
      // Bytes that nobody removed.
      picture(4, { artist: 'Ann' });
      picture(5, { artist: 'ann_ink' });
      picture(6, { artist: 'Bob', characters: ['Koharu', 'Mio'] });
      picture(7, { artist: 'Bob' });
      const summary = await ok('import', pictures);
      assert.match(summary, /^1 added, 0 updated/);
      assert.match(
        summary,
        /skipped \(blocked artists and characters\):\n {2}\S*4\.png: artist Ann\n {2}\S*5\.png: artist ann_ink\n {2}\S*6\.png: character Koharu\n/,
      );
      assert.deepEqual(
        (await find()).map(({ artist, characters }) => [artist.name, characters]),
        [
          ['Bob', []],
          ['Bob', []],
        ],
      );
      assert.doesNotMatch(await ok('export'), /"name":"(Unknown|Mio)"/, 'skipped pictures create nothing');
      // A picture of the catalogue that turns out to be theirs stays as it is, and is listed.
      picture(7, { artist: 'Ann', nsfw: 'nsfw' });
      // Otherwise, files that were written just now would be read again in any case.
      t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 60_000 });
      const full = await ok('import', '--full', pictures);
      assert.match(full, /^0 added, 0 updated/);
      assert.match(
        full,
        /skipped \(blocked artists and characters\):\n(?: {2}.*\n)*? {2}\S*4\.png: artist Ann\n(?: {2}.*\n)*? {2}\S*7\.png: artist Ann\n/,
      );
      assert.equal((await find('--artist', 'Bob')).length, 2);
      assert.match((await run('import', '--prune', '--yes', pictures)).output, /, 0 removed\n/);

      assert.match(
        (await pipe('{"type":"artist","name":"Ann"}', 'import', '-')).errors,
        /the artist "Ann" is blocked; "zukan entry artist 'Ann' --unblock" lifts the block/,
      );
      assert.match(
        (await run('remove', '--yes', '--artist', 'Ann', '--block')).errors,
        /there is no artist "Ann"/,
      );
      await ok('entry', 'artist', 'Ann', '--block');
      assert.match(await ok('blocked'), /^kind +name +since +imports\nartist +Ann +\S+ +skip the pictures\n/);
      const listed = JSON.parse(await ok('blocked', '--json')) as { name: string; skips?: true }[];
      assert.deepEqual(
        listed.map(({ name, skips }) => [name, skips]),
        [
          ['Ann', true],
          ['ann_ink', true],
          ['Koharu', true],
        ],
      );

      const exported = await ok('export');
      assert.match(exported, /\{"type":"blocked","kind":"artist","name":"ann_ink","skips":true,"createdAt":/);
      const other = openMaintained(engine);
      await other.pipe(exported, 'import', '-');
      assert.equal(await other.ok('export'), exported);
      assert.match((await other.pipe(exported, 'import', '-')).output, /^0 added, 0 updated/);

      await ok('entry', 'artist', 'Ann', '--unblock');
      assert.match(await ok('import', pictures), /^1 added, 1 updated.*created:\n {2}artist Ann\n/s);
      assert.deepEqual(shelfProblems(config), []);
      assert.equal(await ok('check'), 'no problems found\n');
    });

    testOnce(
      'a block without pictures can be undone; a take-down cannot, but the block can be lifted',
      async () => {
        const { picture, pictures, ok, run } = openMaintained(engine);
        picture(1, { artist: 'Ann' });
        await ok('import', pictures);
        await ok('entry', 'artist', 'Bob', '--create');
        assert.match(
          await ok('remove', '--yes', '--artist', 'Bob', '--block'),
          /^removed 0 images and 0 files\nblocked "Bob"/,
        );
        const number = (
          JSON.parse(await ok('history', '--json')) as [{ number: number; summary: string }]
        )[0];
        assert.equal(number.summary, 'take down 0 images, block Bob');
        await ok('undo', String(number.number));
        assert.match(await ok('entry', 'artist', 'Bob'), /Bob/);
        assert.equal(await ok('blocked'), 'no names are blocked\n');
        await ok('remove', '--yes', '--artist', 'Ann', '--block');
        const [last] = JSON.parse(await ok('history', '--json')) as [{ number: number }];
        assert.match(
          (await run('undo', String(last.number))).errors,
          /took images down, which cannot be undone/,
        );
        await ok('entry', 'artist', 'Ann', '--unblock');
        assert.equal(await ok('blocked'), 'no names are blocked\n');
      },
    );

    testOnce('needs an artist or character', async () => {
      const { picture, pictures, ok, run, pipe } = openMaintained(engine);
      picture(1, { tags: ['cat'] });
      await ok('import', pictures);
      for (const flags of [
        ['--category', 'cat', '--block'],
        [uuid(1, 1), '--block'],
        ['--artist', 'Unknown', '--block', '--allow-again'],
      ])
        assert.equal((await run('remove', '--yes', ...flags)).status, 2, flags.join(' '));
      assert.match(
        (await run('remove', '--yes', '--artist', 'Unknown', '--block')).errors,
        /cannot be removed/,
      );
      const line = '{"type":"blocked","kind":"category","name":"cat","skips":true}';
      assert.match(
        (await pipe(line, 'import', '-')).errors,
        /skips: only for the kinds artist and character/,
      );
    });
  });

  describe('remove', () => {
    test('removed pictures are not imported again, unless that is allowed', async () => {
      const { picture, pictures, folder, ok, run, find } = openMaintained(engine);
      for (const index of [1, 2, 3]) picture(index, { artist: index === 3 ? 'Bob' : 'Ann' });
      await ok('import', pictures);
      const [bob] = await find('--artist', 'Bob');
      const dry = await ok('remove', '--artist', 'Bob', '--dry-run');
      assert.equal(dry, `dry run, nothing was changed; 1 image would be removed:\n${bob?.id}\n`);
      assert.equal(
        await ok('remove', '--yes', '--artist', 'Ann', '--reason', 'she asked'),
        'removed 2 images and 2 files\n',
      );
      const summary = await ok('import', pictures);
      assert.match(summary, /^0 added, 0 updated/);
      assert.match(
        summary,
        /skipped \(removed; .*\):\n {2}\S*\/1\.png: image (\S*), removed on 2\d{3}-\d\d-\d\d \(she asked\)\n/,
      );
      const removed = /1\.png: image ([0-9a-f-]{36})/.exec(summary)?.[1] ?? '';
      const line = { type: 'image', file: 'pictures/1.png', nsfw: 'sfw' };
      writeFileSync(join(folder, 'file.ndjson'), JSON.stringify(line));
      assert.match(await ok('import', join(folder, 'file.ndjson')), /^0 added.*skipped \(removed/s);
      assert.equal(
        await ok('remove', '--allow-again', removed, '--dry-run'),
        'dry run, nothing was changed; 1 image removed before could be imported again\n',
      );
      assert.equal(
        await ok('remove', '--allow-again', removed),
        '1 image removed before can be imported again\n',
      );
      assert.match(await ok('import', pictures), /^1 added/);
      const [again] = await find('--artist', 'Ann');
      await ok('remove', '--yes', '--allow-again', again?.id ?? '');
      assert.match(await ok('import', pictures), /^1 added/);
      const { status, errors } = await run('remove', '--allow-again', uuid(9, 9));
      assert.deepEqual([status, /nothing was removed: there is no image/.test(errors)], [1, true]);
      for (const parameters of [
        [],
        ['--artist', 'Bob', '--category', 'x'],
        [bob?.id ?? '', '--artist', 'Bob'],
      ])
        assert.equal((await run('remove', '--yes', ...parameters)).status, 2);
      assert.equal(await ok('check'), 'no problems found\n');
    });

    test('a take-down also finds the picture in the trash, where it was another image', async () => {
      const { picture, pictures, ok, run, find, config } = openMaintained(engine);
      picture(1);
      picture(2);
      await ok('import', pictures);
      const { id: former = '' } = (await find()).find(({ fileName }) => fileName === '1.png') ?? {};
      rmSync(join(pictures, '1.png'));
      await ok('import', '--prune', '--yes', pictures);
      picture(1);
      await ok('import', pictures);
      const { id = '' } = (await find()).find(({ fileName }) => fileName === '1.png') ?? {};
      assert.notEqual(id, former);
      const refused = await run('remove', '--yes', '--allow-again', former);
      assert.equal(refused.status, 1);
      assert.match(refused.errors, /is in the trash; "zukan trash --restore/);
      assert.match(await ok('trash'), new RegExp(former));
      assert.match((await run('trash', '--restore', former)).errors, /: the picture was imported again\n$/);
      const removed = await ok('remove', '--yes', id);
      assert.equal(removed, 'removed 2 images (1 not named, with the same bytes) and 1 file\n');
      assert.equal(filesIn(filesFolder(config)).length, 1);
      assert.doesNotMatch(await ok('trash'), new RegExp(former));
      await ok('undo', '2');
      assert.equal((await find()).length, 1);
      assert.match(await ok('import', pictures), /^0 added/);
      assert.equal(await ok('remove', '--allow-again', id), '1 image removed before can be imported again\n');
      assert.match(await ok('import', pictures), /^1 added/);
      assert.equal(await ok('check'), 'no problems found\n');
    });

    testOnce(
      'an image is removed with another one that has its bytes, but stays if a file says so',
      async () => {
        const [box, other] = [openMaintained(engine), openMaintained(engine)];
        const twins = [1, 2].map((index) => keyed(7, { id: uuid(4, index) }));
        await box.import(twins);
        await other.import(twins.slice(1));
        await box.ok('remove', '--yes', uuid(4, 1));
        assert.deepEqual(await box.import(twins), { added: 0, updated: 0, unchanged: 0 });
        await other.import((await box.records()).filter(({ type }) => type === 'removed'));
        assert.deepEqual(await other.import(twins), { added: 0, updated: 0, unchanged: 1 });
        const exported = await other.ok('export');
        const copy = sandbox();
        await runCommand(['import', '-'], copy.environment, exported);
        assert.equal((await runCommand(['export'], copy.environment)).output, exported);
      },
    );

    testOnce('a picture is remembered with and without its location', async () => {
      const { pictures, ok } = openMaintained(engine);
      const bytes = await geotagged('jpeg');
      writeFileSync(join(pictures, '1.jpg'), bytes);
      await ok('import', '--keep-location', pictures);
      const id = (await ok('find')).trim();
      await ok('remove', '--yes', id);
      writeFileSync(join(pictures, '1.jpg'), removeLocation(bytes, 'image/jpeg'));
      assert.match(await ok('import', pictures), /^0 added.*1\.jpg: image /s);
    });
  });
});

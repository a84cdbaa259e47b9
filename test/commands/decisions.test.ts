/** What an operator decides stays decided: edits, renamed, merged and removed entries, and removed pictures. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { runProgram } from '../../src/commands/program.ts';
import { openWriter } from '../../src/engines.ts';
import { removeLocation } from '../../src/media/metadata/location.ts';
import { uuid } from '../support/catalogue.ts';
import { shelfProblems, snapshot } from '../support/dump.ts';
import { type Engine, forEachEngine } from '../support/engines.ts';
import { geotagged } from '../support/geotagged.ts';
import { keyed, sandbox } from '../support/import.ts';
import { runCommand } from '../support/program.ts';
import { startService } from '../support/service.ts';
import { writeTiny } from '../support/tiny.ts';

interface Found {
  id: string;
  rating: string;
  artist: { name: string; url: string };
  categories: string[];
  characters: string[];
  source: { name: string; url: string };
  edited: string[];
}

function open(engine: Engine) {
  const box = sandbox(engine);
  const pictures = join(box.folder, 'pictures');
  mkdirSync(pictures);
  const environment = { ...box.environment, THUMBNAILS: 'off' };
  const run = (...command: string[]) => runCommand(command, environment);
  return {
    ...box,
    pictures,
    run,
    /** A command that must succeed. */
    async ok(...command: string[]): Promise<string> {
      const { status, output, errors } = await run(...command);
      assert.equal(status, 0, errors);
      return output;
    },
    pipe: (input: string, ...command: string[]) => runCommand(command, environment, input),
    picture(index: number, sidecar: object = {}): void {
      writeTiny(pictures, `${index}.png`, index);
      writeFileSync(join(pictures, `${index}.json`), JSON.stringify(sidecar));
    },
    async find(...filters: string[]): Promise<Found[]> {
      return JSON.parse((await run('find', '--json', ...filters)).output);
    },
  };
}

/** What a command prints on a terminal. */
async function onTerminal(parameters: string[], environment: Record<string, string>): Promise<string> {
  const stdout = Object.assign(new PassThrough(), { isTTY: true });
  const [stdin, stderr] = [Readable.from([]), new PassThrough()];
  assert.equal(await runProgram(parameters, environment, { stdin, stdout, stderr }), 0);
  stdout.end();
  return text(stdout);
}

await forEachEngine((engine) => {
  describe('edit', () => {
    test('a folder changes only what was not set by hand, until it is reset', async () => {
      const { picture, pictures, ok, find, config } = open(engine);
      picture(1, {
        rating: 's',
        artist: 'Ann',
        tags: ['cat'],
        characters: ['Cleo'],
        source: 'https://a.example/',
      });
      await ok('import', pictures);
      const [{ id } = { id: '' }] = await find();
      const service = await startService(config);
      const edit = ['--rating', 'questionable', '--artist', 'Bob', '--add-category', 'dog', '--create'];
      assert.equal(
        await ok('edit', id.toUpperCase(), ...edit, '--source-name', 'a site'),
        [
          `${id}  rating: sfw → questionable`,
          `${id}  artist: Ann → Bob`,
          `${id}  categories: cat → cat, dog`,
          `${id}  source: a.example https://a.example/ → a site https://a.example/`,
          `${id}  edited: (none) → artist categories rating source`,
          '1 image changed, 0 unchanged\n',
        ].join('\n'),
      );
      const shown = (await service.get(`/api/image/${id}`)).json.data;
      assert.deepEqual([shown.nsfw, shown.source.name], ['questionable', 'a site']);
      picture(1, {
        rating: 'e',
        artist: 'Eve',
        tags: ['fox'],
        characters: ['Dora'],
        source: 'https://b.example/',
      });
      assert.match(await ok('import', pictures), /^1 added, 1 updated/, 'the character is new');
      const [kept] = await find('--edited');
      assert.deepEqual(
        [kept?.rating, kept?.artist.name, kept?.categories, kept?.characters, kept?.source.name],
        ['questionable', 'Bob', ['cat', 'dog'], ['Dora'], 'a site'],
      );
      assert.deepEqual(
        await find('--category', 'fox').catch(() => 'unknown'),
        'unknown',
        'no entry for nothing',
      );
      assert.match(
        await ok('edit', id, '--reset', 'all'),
        /edited: artist categories rating source → \(none\)/,
      );
      assert.deepEqual(await find('--edited'), []);
      await ok('import', pictures);
      const [changed] = await find('--artist', 'Eve', '--rating', 'nsfw');
      assert.deepEqual([changed?.categories, changed?.source.name], [['fox'], 'b.example']);
      assert.deepEqual(shelfProblems(config), []);
      assert.equal(await ok('check'), 'no problems found\n');
    });

    test('reads ids from standard input; an unknown id or name changes nothing', async () => {
      const box = open(engine);
      await box.import([
        ...['catgirl', 'kimono'].map((name) => ({ type: 'category', name })),
        ...[1, 2, 3].map((index) => keyed(index, { id: uuid(4, index), categories: ['catgirl'] })),
      ]);
      const before = snapshot(box.config);
      const refused: [string[], RegExp][] = [
        [
          [uuid(4, 1), uuid(9, 9), '--rating', 'nsfw'],
          /nothing was changed: there is no image with the id 9/,
        ],
        [
          [uuid(4, 1), '--add-category', 'catgril'],
          /no category "catgril"; did you mean "catgirl"\? \(--create creates it\)/,
        ],
        [[uuid(4, 1), '--source-url', 'ftp://a'], /source\.url: must start with http/],
        [[uuid(4, 1), '--artist', 'Nobody'], /no artist "Nobody"/],
      ];
      for (const [parameters, reason] of refused) {
        const { status, errors } = await box.run('edit', ...parameters);
        assert.equal(status, 1);
        assert.match(errors, reason);
      }
      const invalid: [string[], RegExp][] = [
        [[uuid(4, 1)], /nothing to change/],
        [['1234', '--rating', 'sfw'], /1234 is not the id of an image/],
        [[uuid(4, 1), '--rating', 'lewd'], /Allowed choices are sfw, questionable, nsfw/],
        [[uuid(4, 1), '--reset', 'name'], /--reset name: must be artist, categories/],
      ];
      for (const [parameters, reason] of invalid) {
        const { status, errors } = await box.run('edit', ...parameters);
        assert.deepEqual([status, reason.test(errors)], [2, true], errors);
      }
      const dry = await box.pipe(
        `${uuid(4, 1)}\n${uuid(4, 2)}\n`,
        'edit',
        '-',
        '--rating',
        'nsfw',
        '--dry-run',
      );
      assert.match(dry.output, /rating: sfw → nsfw\n.*\n?dry run, nothing was changed; 2 images changed/s);
      assert.equal(snapshot(box.config), before);
      const ids = (await box.run('find', '--category', 'CATGIRL', '--limit', '2')).output;
      assert.equal(ids, `${uuid(4, 3)}\n${uuid(4, 2)}\n`, 'newest first');
      const edit = ['edit', '-', '--remove-category', 'catgirl', '--add-category', 'kimono'];
      assert.match((await box.pipe(ids, ...edit)).output, /2 images changed, 0 unchanged\n$/);
      assert.match((await box.pipe(ids, ...edit)).output, /^0 images changed, 2 unchanged\n$/);
      assert.deepEqual(
        (await box.find('--category', 'kimono')).map(({ id, categories }) => [id, categories]),
        [3, 2].map((index) => [uuid(4, index), ['kimono']]),
      );
      assert.deepEqual(shelfProblems(box.config), []);
    });
  });

  test('a command waits for another one that is changing the catalogue, and says so', async () => {
    const { import: importRecords, config, environment, ok } = open(engine);
    await importRecords([{ type: 'artist', name: 'Ann' }]);
    await using first = await openWriter(config);
    const [stdin, stdout, stderr] = [Readable.from([]), new PassThrough(), new PassThrough()];
    const command = ['entry', 'artist', 'Ann', '--name', 'Bob'];
    const second = runProgram(command, environment, { stdin, stdout, stderr });
    const [message] = await once(stderr, 'data');
    assert.equal(String(message), 'waiting for another zukan command to finish\n');
    await first.commit();
    assert.equal(await second, 0);
    assert.match(await ok('entry', 'artist', 'Ann'), /name +Bob/);
  });

  test('find filters by everything, also among edited images', async () => {
    const box = open(engine);
    await box.import([
      ...['cat', 'dog'].map((name) => ({ type: 'category', name })),
      ...['Ann', 'Bob'].map((name) => ({ type: 'artist', name })),
      { type: 'character', id: uuid(3, 1), name: 'Cleo' },
      keyed(1, { id: uuid(4, 1), artist: 'Ann', categories: ['cat'], createdAt: '2026-01-01T00:00:00Z' }),
      keyed(2, { id: uuid(4, 2), artist: 'Bob', categories: ['cat', 'dog'], nsfw: 'nsfw', edited: [] }),
      keyed(3, {
        id: uuid(4, 3),
        characters: ['Cleo'],
        edited: ['source'],
        createdAt: '2025-01-01T00:00:00Z',
      }),
      keyed(4, {
        id: uuid(4, 4),
        artist: 'Ann',
        categories: ['dog'],
        createdAt: '2026-02-01T00:00:00Z',
        edited: [],
      }),
    ]);
    const cases: [string[], number[]][] = [
      [[], [4, 3, 2, 1]],
      [
        ['--category', 'cat'],
        [2, 1],
      ],
      [['--category', 'cat', '--category', 'dog'], [2]],
      [
        ['--exclude', 'cat'],
        [4, 3],
      ],
      [
        ['--artist', 'Ann'],
        [4, 1],
      ],
      [['--artist', 'Ann', '--exclude', 'cat'], [4]],
      [['--artist', 'Unknown'], [3]],
      [['--character', uuid(3, 1)], [3]],
      [['--rating', 'nsfw'], [2]],
      [
        ['--since', '2026-01-01', '--rating', 'sfw'],
        [4, 1],
      ],
      [['--edited'], [3, 1]],
      [['--edited', '--category', 'cat'], [1]],
      [['--edited', '--exclude', 'cat'], [3]],
      [['--edited', '--artist', 'Ann', '--since', '2026-01-02'], []],
      [['--edited', '--limit', '1'], [3]],
    ];
    for (const [filters, expected] of cases) {
      const { output, errors } = await box.run('find', ...filters);
      assert.equal(errors, '');
      assert.equal(output, expected.map((index) => `${uuid(4, index)}\n`).join(''), filters.join(' '));
    }
    const lines = (await onTerminal(['find', '--category', 'dog'], box.environment)).split('\n');
    assert.match(lines[0] ?? '', /^id +created +rating +artist +edited +categories$/);
    assert.match(lines[1] ?? '', new RegExp(`^${uuid(4, 4)}  2026-02-01  sfw     Ann             dog$`));
    assert.equal((await box.run('find', '--since', 'soon')).status, 2);
    assert.equal((await box.run('find', '--limit', '0')).status, 2);
    assert.match(
      (await box.run('find', '--artist', 'Anne')).errors,
      /no artist "Anne"; did you mean "Ann"\?/,
    );
    assert.equal((await box.run('find', '--json', '--category', 'cat', '--exclude', 'cat')).output, '[\n]\n');
  });

  describe('entry', () => {
    test('a renamed or merged entry keeps its names, so that sidecars land in the right place', async () => {
      const { picture, pictures, ok, run, find, config } = open(engine);
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
      await ok('entry', 'artist', 'Ann Ink', '--remove-alias', 'ann');
      picture(3, { artist: 'ann' });
      assert.match(await ok('import', pictures), /created:\n {2}artist ann\n/);
      for (const option of ['--name', '--add-alias'])
        assert.match((await run('entry', 'artist', 'ann', option, 'Ann Ink')).errors, /use --merge-into/);
      assert.deepEqual(shelfProblems(config), []);
      assert.equal(await ok('check'), 'no problems found\n');
    });

    test('records use aliases, and keep the name that an operator gave', async () => {
      const box = open(engine);
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
      const box = open(engine);
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

    test('a removed entry is gone from all images, and a blocked name is not created again', async () => {
      const { picture, pictures, ok, run, find, config, pipe } = open(engine);
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
      assert.match((await run('entry', 'category', 'cat', '--name', 'Spam')).errors, /is blocked/);
      assert.match((await run('entry', 'category', 'cat', '--block')).errors, /add --remove to remove it/);
      await ok('entry', 'category', 'spam', '--unblock');
      assert.match(await ok('import', pictures), /created:\n {2}category spam\n/);
      assert.match((await run('entry', 'artist', 'Unknown', '--remove')).errors, /cannot be removed/);
      assert.deepEqual(shelfProblems(config), []);
    });
  });

  describe('remove', () => {
    test('removed pictures are not imported again, unless that is allowed', async () => {
      const { picture, pictures, folder, ok, run, find } = open(engine);
      for (const index of [1, 2, 3]) picture(index, { artist: index === 3 ? 'Bob' : 'Ann' });
      await ok('import', pictures);
      const [bob] = await find('--artist', 'Bob');
      const dry = await ok('remove', '--artist', 'Bob', '--dry-run');
      assert.equal(dry, `dry run, nothing was changed; 1 image would be removed:\n${bob?.id}\n`);
      assert.equal(
        await ok('remove', '--artist', 'Ann', '--reason', 'she asked'),
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
        await ok('remove', '--allow-again', removed),
        'removed 0 images and 0 files\n1 image removed before can be imported again\n',
      );
      assert.match(await ok('import', pictures), /^1 added/);
      const [again] = await find('--artist', 'Ann');
      await ok('remove', '--allow-again', again?.id ?? '');
      assert.match(await ok('import', pictures), /^1 added/);
      const { status, errors } = await run('remove', '--allow-again', uuid(9, 9));
      assert.deepEqual([status, /nothing was removed: there is no image/.test(errors)], [1, true]);
      for (const parameters of [
        [],
        ['--artist', 'Bob', '--category', 'x'],
        [bob?.id ?? '', '--artist', 'Bob'],
      ])
        assert.equal((await run('remove', ...parameters)).status, 2);
      assert.equal(await ok('check'), 'no problems found\n');
    });

    test('an image stays that has the bytes of a removed one', async () => {
      const box = open(engine);
      const twins = [1, 2].map((index) => keyed(7, { id: uuid(4, index) }));
      await box.import(twins);
      await box.ok('remove', uuid(4, 1));
      assert.deepEqual(await box.import(twins), { added: 0, updated: 0, unchanged: 1 });
      const exported = await box.ok('export');
      const copy = sandbox();
      await runCommand(['import', '-'], copy.environment, exported);
      assert.equal((await runCommand(['export'], copy.environment)).output, exported);
    });

    test('a picture is remembered with and without its location', async () => {
      const { pictures, ok } = open(engine);
      const bytes = await geotagged('jpeg');
      writeFileSync(join(pictures, '1.jpg'), bytes);
      await ok('import', '--keep-location', pictures);
      const id = (await ok('find')).trim();
      await ok('remove', id);
      writeFileSync(join(pictures, '1.jpg'), removeLocation(bytes, 'image/jpeg'));
      assert.match(await ok('import', pictures), /^0 added.*1\.jpg: image /s);
    });
  });
});

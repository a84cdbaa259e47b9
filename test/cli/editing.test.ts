/** The commands edit and find: what was set by hand stays, until it is reset. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { realpathSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { runProgram } from '../../src/cli/program.ts';
import { openWriter } from '../../src/server/engines.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { keyed } from '../support/catalogues/import.ts';
import { openMaintained } from '../support/catalogues/maintained.ts';
import { shelfProblems, snapshot } from '../support/checks/dump.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { forEachEngineInDepth, testOnOneStore } from '../support/servers/engines.ts';
import { startService } from '../support/zukan/service.ts';

/** What a command prints on a terminal. */
async function onTerminal(parameters: string[], environment: Record<string, string>): Promise<string> {
  const stdout = Object.assign(new PassThrough(), { isTTY: true });
  const [stdin, stderr] = [Readable.from([]), new PassThrough()];
  assert.equal(await runProgram(parameters, environment, { stdin, stdout, stderr }), 0);
  stdout.end();
  return text(stdout);
}

await forEachEngineInDepth((engine) => {
  const testOnce = testOnOneStore(engine);
  describe('edit', () => {
    testOnce('a folder changes only what was not set by hand, until it is reset', async () => {
      const { picture, pictures, ok, find, config } = openMaintained(engine);
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
      assert.match(
        await ok('import', pictures),
        /^0 added, 1 updated.*; entries: 1 added/,
        'the character is new',
      );
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

    testOnce('a title, a description and a date stay, until they are reset', async () => {
      const { picture, pictures, folder, ok, run, find, config } = openMaintained(engine);
      const named = { title: 'A fox', description: 'Red.', takenAt: '2024-02-03T04:05:06' };
      picture(1, named);
      picture(2);
      await ok('import', pictures);
      const read = async (index: number) => {
        const line = (await ok('export'))
          .split('\n')
          .find((line) => line.includes(`"fileName":"${index}.png"`));
        const { title, description, takenAt, edited } = JSON.parse(line ?? '{}');
        return { title, description, takenAt, edited };
      };
      assert.deepEqual(await read(1), { ...named, edited: [] });
      assert.equal((await read(2)).title, undefined, 'the name of the file says nothing');
      const [{ id: second } = { id: '' }, { id } = { id: '' }] = await find();
      assert.equal(
        await ok('edit', id, '--title', 'Mine', '--description', '', '--taken-at', '2024-02-04'),
        [
          `${id}  title: A fox → Mine`,
          `${id}  description: Red. → (none)`,
          `${id}  takenAt: 2024-02-03T04:05:06 → 2024-02-04`,
          `${id}  edited: (none) → description takenAt title`,
          '1 image changed, 0 unchanged\n',
        ].join('\n'),
      );
      assert.match(await ok('history'), /change the title, change the description, date 2024-02-04: 1 image/);
      await ok('edit', second, '--title', '');
      const mine = { title: 'Mine', description: '', takenAt: '2024-02-04' };
      const decided = { ...mine, edited: ['description', 'takenAt', 'title'] };
      picture(1, { title: 'Another', description: 'Blue.', takenAt: '2020-01-01' });
      await ok('import', '--full', pictures);
      assert.deepEqual(await read(1), decided);
      assert.deepEqual([(await read(2)).title, (await read(2)).edited], ['', ['title']]);
      for (const ending of ['png', 'json'])
        renameSync(join(pictures, `1.${ending}`), join(pictures, `9.${ending}`));
      await ok('import', pictures);
      assert.deepEqual(await read(9), decided);
      await ok('edit', id, '--reset', 'title');
      await ok('import', pictures);
      assert.deepEqual(await read(9), { ...mine, title: 'Another', edited: ['description', 'takenAt'] });
      const records = [{ type: 'image', file: 'pictures/2.png', nsfw: 'sfw' }];
      writeFileSync(join(folder, 'all.ndjson'), records.map((record) => JSON.stringify(record)).join('\n'));
      await ok('import', join(folder, 'all.ndjson'));
      assert.deepEqual((await read(2)).edited, ['rating', 'title'], 'a record that says nothing about it');
      for (const [option, value] of [
        ['--title', 'x'.repeat(256)],
        ['--taken-at', 'today'],
        ['--taken-at', '2024-02-31'],
      ] as const)
        assert.match(
          (await run('edit', id, option, value)).errors,
          /--title: must be a text of at most 255|--taken-at: /,
        );
      assert.equal(await ok('check'), 'no problems found\n');
      assert.deepEqual(shelfProblems(config), []);
    });

    testOnce('reads ids from standard input; an unknown id or name changes nothing', async () => {
      const box = openMaintained(engine);
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
        [[uuid(4, 1), '--artist', 'Nobody'], /no artist "Nobody"/],
      ];
      for (const [parameters, reason] of refused) {
        const { status, errors } = await box.run('edit', ...parameters);
        assert.equal(status, 1);
        assert.match(errors, reason);
      }
      const invalid: [string[], RegExp][] = [
        [[uuid(4, 1)], /nothing to change/],
        [
          [uuid(4, 1), '--source-url', 'x'],
          /^zukan: --source-url: must start with http:\/\/ or https:\/\/\n$/,
        ],
        [
          [uuid(4, 1), '--source-name', 'x'.repeat(256)],
          /^zukan: --source-name: must be a text of at most 255/,
        ],
        [[uuid(4, 1), '--taken-at', 'soon'], /^zukan: --taken-at: must look like/],
        [[uuid(4, 1), '--add-category', ',', '--create'], /^zukan: the new name: must be/],
        [['1234', '--rating', 'sfw'], /1234 is not the id of an image/],
        [[uuid(4, 1), '--rating', 'lewd'], /Allowed choices are sfw, questionable, nsfw/],
        [[uuid(4, 1), '--reset', 'name'], /--reset name: must be alt, artist, categories/],
        [[uuid(4, 1), '--reset', 'all', '--rating', 'sfw'], /--reset rating cannot be combined/],
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
      assert.match(
        dry.output,
        /rating: sfw → nsfw\n.*\n?dry run, nothing was changed; this would result in: 2 images changed/s,
      );
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
    const { import: importRecords, config, environment, ok } = openMaintained(engine);
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
    const box = openMaintained(engine);
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
        title: 'A dog',
        fileName: 'd.png',
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
      [['--title', 'DOG'], [4]],
      [['--title', 'cat'], []],
      [['--file', '?.png'], [4]],
      [['--file', '**/d.*'], [4]],
      [['--edited'], [3, 1]],
      [['--edited', '--category', 'cat'], [1]],
      [['--edited', '--exclude', 'cat'], [3]],
      [['--edited', '--character', 'Cleo'], [3]],
      [['--edited', '--artist', 'Ann', '--since', '2026-01-02'], []],
      [['--edited', '--limit', '1'], [3]],
    ];
    for (const [filters, expected] of cases) {
      const { output, errors } = await box.run('find', ...filters);
      assert.equal(errors, '');
      assert.equal(output, expected.map((index) => `${uuid(4, index)}\n`).join(''), filters.join(' '));
    }
    const lines = (await onTerminal(['find', '--category', 'dog'], box.environment)).split('\n');
    assert.match(lines[0] ?? '', /^id +title +file +created +rating +artist +edited +categories$/);
    assert.match(
      lines[1] ?? '',
      new RegExp(`^${uuid(4, 4)}  A dog  d.png  2026-02-01  sfw     Ann             dog$`),
    );
    assert.equal((await box.run('find', '--since', 'soon')).status, 2);
    assert.equal((await box.run('find', '--limit', '0')).status, 2);
    assert.match(
      (await box.run('find', '--artist', 'Anne')).errors,
      /no artist "Anne"; did you mean "Ann"\?/,
    );
    assert.equal((await box.run('find', '--json', '--category', 'cat', '--exclude', 'cat')).output, '[\n]\n');
  });

  test('find leads back to the file, also to copies, and not to a former one', async () => {
    const { pictures, ok, find } = openMaintained(engine);
    writeTiny(pictures, 'cats/cafe\u0301 (2).png', 1);
    writeTiny(pictures, 'zoo/copy of it.png', 1);
    writeTiny(pictures, 'IMG_2041.png', 2);
    await ok('import', pictures);
    const files = async (...filters: string[]) => (await find(...filters)).map(({ fileName }) => fileName);
    const cafe = 'café (2).png';
    const cases: [string, string[]][] = [
      ['*.png', ['IMG_2041.png', cafe]],
      ['caf?*', [cafe]],
      ['copy*', [cafe]],
      ['cats/*', [cafe]],
      ['**/*.png', ['IMG_2041.png', cafe]],
      ['*/*.png', [cafe]],
      [`${pictures}/IMG*`, ['IMG_2041.png']],
      ['*/cats/*', []],
      ['img*', []],
    ];
    for (const [glob, expected] of cases)
      assert.deepEqual((await files('--file', glob)).sort(), expected.toSorted(), glob);
    const [found] = await find('--title', 'CAFÉ');
    assert.equal((await find('--title', 'CAFÉ'.normalize('NFD'))).length, 1);
    const { title, path } = found as { title: string; path: string };
    assert.deepEqual([title, path], ['café', join(realpathSync(pictures), 'cats/cafe\u0301 (2).png')]);
    writeTiny(pictures, 'IMG_2041.png', 3);
    await ok('import', pictures);
    assert.equal((await find('--file', 'IMG*')).length, 2, 'the former picture still has the name');
    assert.equal((await find()).filter(({ path }) => path.endsWith('IMG_2041.png')).length, 1);
  });
});

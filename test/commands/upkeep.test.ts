/** Export, remove, check and stats. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { checkCatalogue, repairCatalogue } from '../../src/catalogue/check.ts';
import { importFiles } from '../../src/commands/import.ts';
import type { Config } from '../../src/config/config.ts';
import { openSnapshot, openWriter } from '../../src/engines.ts';
import { openFolder } from '../../src/media/local.ts';
import { images, uuid, writeKnownCatalogue } from '../support/catalogue.ts';
import { filesIn, shelfProblems, snapshot } from '../support/dump.ts';
import { forEachEngine, tamper } from '../support/engines.ts';
import { serve, zukan } from '../support/program.ts';
import { configFor, filesFolder } from '../support/service.ts';
import { temporaryFolder } from '../support/workspace.ts';

async function findings(config: Config) {
  await using snapshot = await openSnapshot(config);
  return await Array.fromAsync(checkCatalogue(snapshot));
}

async function repair(config: Config): Promise<void> {
  await using snapshot = await openSnapshot(config);
  const writer = await openWriter(config);
  await repairCatalogue(snapshot, writer);
  await writer.commit();
}

await forEachEngine(async (engine) => {
  async function filled() {
    const folder = temporaryFolder();
    const environment = { DATA_DIR: join(folder, 'data'), ...engine.environment() };
    const run = (...command: string[]) => zukan(command, environment);
    const config = configFor(folder, environment);
    await importFiles(config, [await writeKnownCatalogue(folder)]);
    return { folder, environment, run, config };
  }

  describe('export', () => {
    test('imported into an empty catalogue and exported again gives the same bytes', async () => {
      const { folder, run } = await filled();
      const path = join(folder, 'new folder/export.ndjson');
      assert.equal((await run('export', path)).status, 0);
      const first = readFileSync(path, 'utf8');
      assert.equal(first.trim().split('\n').length, 16);
      assert.equal((await run('export')).output, first);
      const other = { DATA_DIR: join(folder, 'other'), ...engine.environment() };
      assert.match((await zukan(['import', '-'], other, first)).output, /^16 added/);
      assert.equal((await zukan(['export'], other)).output, first);
      assert.match((await zukan(['import', '-'], other, first)).output, /^0 added, 0 updated, 16 unchanged/);
    });

    test('with --files can be imported anywhere, bytes and all', async () => {
      const { folder, run, config } = await filled();
      const backup = join(folder, 'backup');
      mkdirSync(backup);
      await run('export', '--files', join(backup, 'files'), join(backup, 'catalogue.ndjson'));
      const other = { DATA_DIR: join(folder, 'other'), ...engine.environment() };
      const { status, errors } = await zukan(['import', join(backup, 'catalogue.ndjson')], other);
      assert.equal(status, 0, errors);
      assert.deepEqual(filesIn(join(folder, 'other/files')), filesIn(filesFolder(config)));
      assert.equal((await zukan(['export'], other)).output, (await run('export')).output);
      assert.equal((await zukan(['check'], other)).output, 'all is well\n');
    });

    test('that cannot be finished leaves no half of a file', async () => {
      const { folder, run, config } = await filled();
      rmSync(filesFolder(config), { recursive: true });
      const { status, errors } = await run(
        'export',
        '--files',
        join(folder, 'copy'),
        join(folder, 'half.ndjson'),
      );
      assert.equal(status, 1);
      assert.match(errors, /the bytes of .* are missing/);
      assert.ok(!readdirSync(folder).some((name) => name.startsWith('half')));
    });
  });

  test('check --repair says what it mended, and ends well', async () => {
    const { run, config } = await filled();
    tamper(config, "update shelf set size = size + 1 where kind = 'rating'");
    const { status, errors } = await run('check');
    assert.equal(status, 1);
    assert.match(errors, /3 wrong; --repair mends 3 of them/);
    const repaired = await run('check', '--repair');
    assert.deepEqual([repaired.status, repaired.output], [0, 'all is well\n']);
    assert.match(repaired.errors, /3 repaired/);
  });

  test('a document that cannot be read is told of, and the rest is checked all the same', async () => {
    const { run, config } = await filled();
    tamper(config, "update image set document = '{' where number = 1");
    const { status, output, errors } = await run('check', '--quiet');
    assert.equal(status, 1);
    assert.equal(output, `image ${uuid(4, 1)}: its document cannot be read\n`);
    assert.equal(errors, 'zukan: 1 wrong\n');
  });

  test('an import that cleans up between the commit and the end of another does not make it fail', async () => {
    const files = openFolder(join(temporaryFolder(), 'files'));
    const upload = await files.beginUpload();
    await upload.put('ab/cd.png', Buffer.from('bytes'), { hash: 'h', mimetype: 'image/png' });
    await files.clearAbandoned();
    await upload.finish();
    assert.deepEqual(await Array.fromAsync(files.keys()), ['ab/cd.png']);
  });

  describe('remove', () => {
    test('takes record, places and bytes, at once and for a running server too', async () => {
      const { run, environment, config } = await filled();
      const server = await serve({ ...environment, LOG_LEVEL: 'silent' });
      const path = `${server.origin}/api/image/${uuid(4, 1)}`;
      assert.equal((await fetch(path)).status, 200);
      assert.equal(
        (await run('remove', uuid(4, 1).toUpperCase(), uuid(4, 3))).output,
        '2 removed, with the bytes of 2\n',
      );
      assert.equal((await fetch(path)).status, 404);
      const { data } = (await (await fetch(`${server.origin}/api/stats`)).json()) as {
        data: { images: { count: number } };
      };
      assert.equal(data.images.count, images.length - 2);
      assert.equal(filesIn(filesFolder(config)).length, images.length - 2);
      assert.deepEqual(shelfProblems(config), []);
      assert.equal((await run('check')).status, 0);
      server.child.kill('SIGTERM');
      await server.ended;
    });

    test('leaves bytes that another image uses, and refuses what it does not know', async () => {
      const { folder, run, config } = await filled();
      const second = { type: 'image', id: uuid(4, 99), file: 'p/1.jpg', nsfw: 'sfw' };
      writeFileSync(join(folder, 'second.ndjson'), JSON.stringify(second));
      await run('import', join(folder, 'second.ndjson'));
      assert.equal((await run('remove', uuid(4, 99))).output, '1 removed, with the bytes of 0\n');
      const before = snapshot(config);
      const { status, errors } = await run('remove', uuid(4, 1), uuid(9, 9));
      assert.equal(status, 1);
      assert.match(errors, new RegExp(`there is no image ${uuid(9, 9)}`));
      assert.equal(snapshot(config), before);
    });
  });

  describe('check', () => {
    test('finds all well', async () => {
      const { run } = await filled();
      const { status, output } = await run('check');
      assert.deepEqual([status, output], [0, 'all is well\n']);
    });

    test('finds bytes that are missing, changed, or nobody’s', async () => {
      const { run, config } = await filled();
      const [first = '', second = '', third = ''] = filesIn(filesFolder(config)).map(
        (line) => line.split(' ')[0] ?? '',
      );
      rmSync(join(filesFolder(config), first));
      truncateSync(join(filesFolder(config), second), 10);
      const bytes = readFileSync(join(filesFolder(config), third));
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
      writeFileSync(join(filesFolder(config), third), bytes);
      writeFileSync(join(filesFolder(config), 'stray.png'), 'x');
      const { status, output, errors } = await run('check');
      assert.equal(status, 1);
      assert.match(output, new RegExp(`its bytes \\(${first}\\) are missing`));
      assert.match(output, new RegExp(`its bytes \\(${second}\\) are 10 and should be`));
      assert.match(output, new RegExp(`its bytes \\(${third}\\) have changed`));
      assert.match(output, /stray\.png: no image uses these bytes/);
      assert.match(errors, /4 wrong/);
      assert.equal(JSON.parse((await run('check', '--json')).output).length, 4);
    });

    const damages: [string, string, RegExp][] = [
      ['a wrong size', "update shelf set size = size + 1 where kind = 'rating'", /has gaps or a wrong size/],
      ['a gap', 'update placement set position = position + 5 where position = 5', /has gaps/],
      [
        'a missing place',
        'delete from placement where image = 3 and shelf > 7',
        /stands on the wrong shelves/,
      ],
      [
        'a place too many',
        "insert into placement values ((select number from shelf where name = 'empty'), 0, 1)",
        /wrong shelves/,
      ],
      [
        'a place of nothing',
        "insert into placement values ((select number from shelf where name = 'empty'), 0, 999)",
        /does not exist/,
      ],
      [
        'an old copy of a category',
        `update image set document = replace(document, 'With the ears', 'Without')`,
        /repeats old/,
      ],
      [
        'a list out of order',
        "update shelf set position = 9 where name = 'abe'",
        /list of artists is out of order/,
      ],
    ];
    for (const [what, sql, problem] of damages) {
      test(`finds and mends ${what}`, async () => {
        const folder = temporaryFolder();
        const config = configFor(folder, engine.environment());
        await importFiles(config, [await writeKnownCatalogue(folder)]);
        const before = snapshot(config);
        tamper(config, sql);
        const found = await findings(config);
        assert.ok(found.every(({ canBeRepaired }) => canBeRepaired));
        assert.match(found.map((finding) => finding.problem).join('\n'), problem);
        await repair(config);
        assert.deepEqual(await findings(config), []);
        assert.equal(snapshot(config), before);
      });
    }
  });

  test('stats is a table, or JSON', async () => {
    const { run } = await filled();
    assert.match((await run('stats')).output, /^what +how many\nimages +6\n {2}rated nsfw +1\n/);
    assert.equal(JSON.parse((await run('stats', '--json')).output).images.count, 6);
  });
});

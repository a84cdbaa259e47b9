/** The commands export, remove, check and stats. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { checkCatalogue, repairCatalogue } from '../../src/catalogue/documents/check.ts';
import type { Config } from '../../src/config/config.ts';
import { openSnapshot, openWriter } from '../../src/server/engines.ts';
import { images, uuid } from '../support/catalogues/catalogue.ts';
import { filesIn, shelfProblems, snapshot } from '../support/checks/dump.ts';
import {
  casesFor,
  environmentOf,
  forEachEngine,
  tamper,
  testOnOneStore,
} from '../support/servers/engines.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand } from '../support/zukan/program.ts';
import { filesFolder, importKnownCatalogue, startService } from '../support/zukan/service.ts';

async function findings(config: Config) {
  await using snapshot = await openSnapshot(config);
  return await Array.fromAsync(checkCatalogue(snapshot));
}

async function repair(config: Config): Promise<void> {
  await using snapshot = await openSnapshot(config);
  await using writer = await openWriter(config);
  await repairCatalogue(snapshot, writer);
  await writer.commit();
}

await forEachEngine(async (engine) => {
  const testOnce = testOnOneStore(engine);
  async function filled() {
    const folder = temporaryFolder();
    const config = await importKnownCatalogue({ engine }, folder);
    const environment = environmentOf(config);
    const run = (...command: string[]) => runCommand(command, environment);
    return { folder, environment, run, config };
  }

  /** A device, a pipe and a link to one stay what they are. */
  async function exportsToPipe(folder: string, run: (...command: string[]) => unknown, expected: string) {
    const [pipe, link] = [join(folder, 'pipe'), join(folder, 'link')];
    execFileSync('mkfifo', [pipe]);
    symlinkSync(pipe, link);
    // Open for writing too: neither side waits for the other one.
    await using reader = await open(pipe, 'r+');
    for (const path of [pipe, link]) {
      await run('export', path);
      assert.ok(lstatSync(pipe).isFIFO() && lstatSync(link).isSymbolicLink());
      const { buffer, bytesRead } = await reader.read();
      assert.equal(buffer.toString('utf8', 0, bytesRead), expected);
    }
  }

  describe('export', () => {
    test('an import of an export gives the same export again', async () => {
      const { folder, run } = await filled();
      const path = join(folder, 'new folder/export.ndjson');
      assert.equal((await run('export', path)).status, 0);
      const first = readFileSync(path, 'utf8');
      assert.equal(first.trim().split('\n').length, 18, 'the artist "Unknown" is one of them');
      for (const more of [[], ['-']]) assert.equal((await run('export', ...more)).output, first);
      if (process.platform !== 'win32') await exportsToPipe(folder, run, first);
      const other = { DATA_DIR: join(folder, 'other'), ...engine.environment() };
      assert.match(
        (await runCommand(['import', '-'], other, first)).output,
        /^6 added, 0 updated, 0 unchanged; entries: 12 added/,
      );
      assert.equal((await runCommand(['export'], other)).output, first);
      assert.match(
        (await runCommand(['import', '-'], other, first)).output,
        /^0 added, 0 updated, 6 unchanged; entries: 0 added, 0 updated, 12 unchanged/,
      );
    });

    testOnce('--files copies the image files for an import anywhere', async () => {
      const { folder, run, config } = await filled();
      const backup = join(folder, 'backup');
      mkdirSync(backup);
      await run('export', '--files', join(backup, 'files'), join(backup, 'catalogue.ndjson'));
      const other = { DATA_DIR: join(folder, 'other'), ...engine.environment() };
      const { status, errors } = await runCommand(['import', join(backup, 'catalogue.ndjson')], other);
      assert.equal(status, 0, errors);
      assert.deepEqual(filesIn(join(folder, 'other/files')), filesIn(filesFolder(config)));
      assert.equal((await runCommand(['export'], other)).output, (await run('export')).output);
      assert.equal((await runCommand(['check'], other)).output, 'no problems found\n');
    });

    testOnce('--files never writes to files that are stored, under whatever name', async () => {
      const { folder, run, config } = await filled();
      symlinkSync(filesFolder(config), join(folder, 'another name'));
      for (const path of [filesFolder(config), join(folder, 'another name')]) {
        const { status, errors } = await run('export', '--files', path, join(folder, 'all.ndjson'));
        assert.equal(status, 1);
        assert.match(errors, /is inside the folder of the image files; choose another folder/);
      }
      const elsewhere = await run(
        'export',
        '--files',
        join(folder, 'copies'),
        join(folder, 'below', 'all.ndjson'),
      );
      assert.equal(elsewhere.status, 2);
      assert.match(elsewhere.errors, /--files must name a folder next to the catalogue file or below/);
      // The files of a backup are hard links, and have the same names.
      const backup = join(folder, 'linked');
      await run('backup', '--quiet', backup);
      await run('export', '--files', join(backup, 'files'), join(folder, 'all.ndjson'));
      assert.equal((await run('check')).output, 'no problems found\n');
      assert.equal((await run('restore', '--check', '--quiet', backup)).status, 0);
    });

    testOnce('leaves no partial file if it fails', async () => {
      const { folder, run, config } = await filled();
      rmSync(filesFolder(config), { recursive: true });
      const { status, errors } = await run(
        'export',
        '--files',
        join(folder, 'copy'),
        join(folder, 'half.ndjson'),
      );
      assert.equal(status, 1);
      assert.match(errors, /the file .* is missing/);
      assert.ok(!readdirSync(folder).some((name) => name.startsWith('half')));
    });
  });

  testOnce('check --repair prints how much it repaired, and succeeds', async () => {
    const { run, config } = await filled();
    tamper(config, "update shelf set size = size + 1 where kind = 'rating'");
    const { status, errors } = await run('check');
    assert.equal(status, 1);
    assert.match(errors, /found 3 problems; "zukan check --repair" can repair 3/);
    const repaired = await run('check', '--repair');
    assert.deepEqual([repaired.status, repaired.output], [0, 'no problems found\n']);
    assert.match(repaired.errors, /repaired 3 problems/);
  });

  testOnce('check reports an unreadable document and checks the rest', async () => {
    const { run, config } = await filled();
    tamper(config, "update image set document = '{' where number = 1");
    const { status, output, errors } = await run('check', '--quiet');
    assert.equal(status, 1);
    assert.equal(output, `image ${uuid(4, 1)}: the document cannot be read\n`);
    assert.equal(errors, 'zukan: found 1 problem\n');
  });

  describe('remove', () => {
    test('removes records, placements and files at once, also for a running server', async () => {
      const { run, config } = await filled();
      const service = await startService(config);
      const path = `/api/image/${uuid(4, 1)}`;
      assert.equal((await service.get(path)).status, 200);
      assert.equal(
        (await run('remove', '--yes', uuid(4, 1).toUpperCase(), uuid(4, 3))).output,
        'removed 2 images and 2 files\n',
      );
      assert.equal((await service.get(path)).status, 404);
      const { data } = (await service.get('/api/stats')).json;
      assert.equal(data.images.count, images.length - 2);
      const originals = filesIn(filesFolder(config)).filter((file) => !file.startsWith('thumbnails/'));
      assert.equal(originals.length, images.length - 2);
      assert.deepEqual(shelfProblems(config), []);
      assert.equal((await run('check')).status, 0);
    });

    testOnce('keeps a file that another image uses, and rejects unknown ids', async () => {
      const { folder, run, config } = await filled();
      const second = { type: 'image', id: uuid(4, 99), file: 'p/1.jpg', nsfw: 'sfw' };
      writeFileSync(join(folder, 'second.ndjson'), JSON.stringify(second));
      await run('import', join(folder, 'second.ndjson'));
      assert.match(
        (await run('remove', '--dry-run', uuid(4, 99))).output,
        /2 images \(1 not named, .*\) would/,
      );
      const removed = await run('remove', '--yes', '--allow-again', uuid(4, 99));
      assert.equal(removed.output, 'removed 1 image and 0 files\n');
      const before = snapshot(config);
      const { status, errors } = await run('remove', '--yes', uuid(4, 1), uuid(9, 9));
      assert.equal(status, 1);
      assert.match(errors, new RegExp(`nothing was removed: there is no image with the id ${uuid(9, 9)}`));
      assert.equal(snapshot(config), before);
    });
  });

  describe('check', () => {
    testOnce('finds missing, changed and unused files', async () => {
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
      assert.match(output, new RegExp(`the file ${first} is missing`));
      assert.match(output, new RegExp(`the file ${second} has 10 bytes instead of`));
      assert.match(output, new RegExp(`the file ${third} is damaged`));
      assert.match(output, /stray\.png: no image uses this file/);
      assert.match(errors, /found 4 problems.*; "zukan import --full <folder>" stores lost files again\n$/);
      assert.equal(JSON.parse((await run('check', '--json')).output).length, 4);
    });

    /** Each group is repaired at once. The problems of a group differ, so that each is found for its own reason. */
    const damages: Record<string, [string, RegExp][]> = {
      'sizes, decisions and covers': [
        ["update shelf set size = size + 1 where kind = 'rating'", /has a wrong size/],
        [`update image set document = replace(document, 'With the ears', 'Without')`, /contains an outdated/],
        [
          "insert into alias (kind, key, name, shelf) values ('artist', 'x', 'X', 999)",
          /the artist with the alias "X" does not exist/,
        ],
        ["insert into edited values (999, 'rating')", /fields of an image that does not exist/],
        [
          "update shelf set cover = 1 where name = 'Mariko'",
          /the cover of artist "Mariko" is not its newest sfw image/,
        ],
        ["update shelf set position = 9 where name = 'abe'", /list of artists is out of order/],
      ],
      'gaps and missing rows': [
        ['delete from image_shelves where image = 2', /is on the wrong shelves/],
        ['update image_shelves set width = 1 where image = 4', /filters use another width and height/],
        ["update size_block set sizes = ''", /the list of sizes differs from those of the images/],
        [
          `update image set document = replace(document, '"name":"abe"', '"name":"Abe"')`,
          /contains an outdated/,
        ],
        ["update edited set fields = fields || ' x' where image = 1", /an unknown field is marked as edited/],
        ["update shelf set cover = null where name = 'Kimono'", /the cover of category "Kimono"/],
      ],
      'a missing block': [
        [
          'delete from shelf_block where shelf = (select min(shelf) from shelf_block)',
          /has other images than those that belong on it/,
        ],
      ],
      'a superfluous block': [
        [
          "insert into shelf_block values ((select number from shelf where name = 'empty'), 0, 'AQA=')",
          /has other images/,
        ],
        ["insert into shelf_block values (999, 0, 'AQA=')", /images are on a list that does not exist/],
      ],
      'rows of a missing image': [
        [
          'insert into image_shelves (image, shelves) select 999, shelves from image_shelves where image = 1',
          /a list has an image that does not exist/,
        ],
      ],
    };
    // One catalogue for all of them: each repair restores it.
    const catalogue = filled();
    const undamaged = catalogue.then(({ config }) => snapshot(config));
    for (const [what, group] of casesFor(engine, Object.entries(damages), 3)) {
      test(`finds and repairs ${what}`, async () => {
        const { config } = await catalogue;
        tamper(config, group.map(([sql]) => sql).join(';'));
        const found = await findings(config);
        assert.ok(found.every(({ canBeRepaired }) => canBeRepaired));
        for (const [, problem] of group)
          assert.match(found.map((finding) => finding.problem).join('\n'), problem);
        await repair(config);
        assert.deepEqual(await findings(config), []);
        assert.equal(snapshot(config), await undamaged);
      });
    }
  });

  test('stats prints a table or JSON', async () => {
    const { run } = await filled();
    assert.match((await run('stats')).output, /^item +count\nimages +6\n {2}rated nsfw +1\n/);
    assert.equal(JSON.parse((await run('stats', '--json')).output).images.count, 6);
  });
});

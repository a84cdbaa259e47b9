/** `check` and `export --files` while other commands change the catalogue. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { UNKNOWN_ARTIST } from '../../src/catalogue/documents/document.ts';
import { checkFiles } from '../../src/cli/maintenance/check.ts';
import { exportLines } from '../../src/cli/moving/copies.ts';
import type { Files } from '../../src/media/files.ts';
import { openFiles } from '../../src/server/engines.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { sandbox } from '../support/catalogues/import.ts';
import { image, importTwoImages } from '../support/catalogues/two-images.ts';
import { testDeep } from '../support/depth.ts';
import { forEachEngineInDepth, testOnOneStore } from '../support/servers/engines.ts';
import { importFiles } from '../support/zukan/import-files.ts';
import { runCommand } from '../support/zukan/program.ts';
import { killBefore, launchUntil } from '../support/zukan/run-until.ts';

/** The files, with changes just before they are first opened and just before they are listed. */
function changing(files: Files, beforeOpen: () => Promise<unknown>, beforeList = async () => {}): Files {
  let changed: Promise<unknown> | undefined;
  return {
    ...files,
    async open(key) {
      changed ??= beforeOpen();
      await changed;
      return files.open(key);
    },
    async *keys() {
      await beforeList();
      yield* files.keys();
    },
  };
}

await forEachEngineInDepth(async (engine) => {
  const testOnce = testOnOneStore(engine);
  test('check reports nothing for images that change while it runs', async () => {
    const box = await importTwoImages(engine);
    const files = changing(
      openFiles(box.config),
      async () => {
        assert.equal((await runCommand(['remove', '--yes', uuid(4, 1)], box.environment)).status, 0);
        await box.import([image(2, 3)]);
      },
      async () => {
        await box.import([image(4, 4)]);
      },
    );
    const report = await checkFiles(box.config, files, () => {});
    assert.deepEqual([report.problems, report.lackThumbnails, report.unused], [[], [], []]);
  });

  testOnce('export --files leaves out images that are removed, and copies replaced files', async () => {
    const box = await importTwoImages(engine);
    const files = changing(openFiles(box.config), async () => {
      assert.equal((await runCommand(['remove', '--yes', uuid(4, 1)], box.environment)).status, 0);
      await box.import([image(2, 3)]);
    });
    const backup = join(box.folder, 'backup');
    const path = join(backup, 'catalogue.ndjson');
    const exporting = exportLines(box.config, files, join(backup, 'files'), path, () => {});
    const lines = await Array.fromAsync(exporting);
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).id),
      [UNKNOWN_ARTIST.id, uuid(4, 2)],
    );
    writeFileSync(path, lines.join('\n'));
    const copy = sandbox(engine);
    assert.equal((await importFiles(copy.config, [path])).added, 2);
    assert.equal((await runCommand(['check'], copy.environment)).status, 0);
  });
});

test('the next export removes the temporary file of a killed one, and not of a running one', async () => {
  const box = await importTwoImages();
  const path = join(box.folder, 'out.ndjson');
  const temporary = () => readdirSync(box.folder).filter((name) => name.endsWith('.part'));
  // The first operation on files is to create the folder, the second to open the temporary file.
  for (let point = 1; temporary().length === 0; point++) {
    assert.ok(point < 20, 'no temporary file');
    await killBefore(point, ['export', path], box.environment);
  }
  assert.ok(!existsSync(path));
  const running = `out.ndjson.${process.ppid}.part`;
  writeFileSync(join(box.folder, running), '');
  assert.equal((await runCommand(['export', path], box.environment)).status, 0);
  assert.deepEqual(temporary(), [running]);
});

testDeep('Ctrl-C stops an export and leaves no file', async () => {
  const box = await importTwoImages();
  const path = join(box.folder, 'out.ndjson');
  const moment = { operation: 1, signal: 'SIGINT' } as const;
  const { status } = await launchUntil(moment, ['export', path], box.environment).ended;
  assert.equal(status, 1);
  assert.deepEqual(
    readdirSync(box.folder).filter((name) => name.startsWith('out.')),
    [],
  );
});

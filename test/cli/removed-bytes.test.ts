/** Removed and replaced pictures: their bytes do not stay behind, whenever the command is killed. */
import assert from 'node:assert/strict';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { uuid } from '../support/catalogues/catalogue.ts';
import { image, importTwoImages } from '../support/catalogues/two-images.ts';
import { filesIn } from '../support/checks/dump.ts';
import { type Engine, forEachEngineInDepth, testOnOneStore } from '../support/servers/engines.ts';
import { runCommand } from '../support/zukan/program.ts';
import { traceCommand } from '../support/zukan/run-until.ts';
import { filesFolder } from '../support/zukan/service.ts';

async function filled(engine?: Engine) {
  const box = await importTwoImages(engine);
  const stored = () => filesIn(filesFolder(box.config)).length;
  return { ...box, stored };
}

/** A catalogue to copy, a command that stops using a file, and what the command does. */
async function prepare(what: 'remove' | 'import') {
  const box = await filled();
  const path = join(box.folder, 'next.ndjson');
  writeFileSync(path, JSON.stringify(image(1, 3)));
  const command = what === 'remove' ? ['remove', '--yes', uuid(4, 1)] : ['import', '--quiet', path];
  const copy = (name: string) => {
    const data = join(box.folder, name);
    cpSync(box.environment.DATA_DIR ?? '', data, { recursive: true });
    return data;
  };
  const traced = await traceCommand(command, { DATA_DIR: copy('whole') });
  return { copy, command, traced };
}

/** The commands that stop using a file: a removal, and an import of the same id with another file. */
const prepared = { remove: await prepare('remove'), import: await prepare('import') };

await forEachEngineInDepth(async (engine) => {
  const testOnce = testOnOneStore(engine);
  test('an import that gives an image another file removes the former one', async () => {
    const box = await filled(engine);
    await box.import([image(1, 3)]);
    assert.equal(box.stored(), 2);
    assert.equal((await runCommand(['check'], box.environment)).output, 'no problems found\n');
  });

  testOnce('an import keeps the former file of an image if another one uses it', async () => {
    const box = await filled(engine);
    await box.import([image(2, 1)]);
    assert.equal(box.stored(), 1);
    await box.import([image(1, 3)]);
    assert.equal(box.stored(), 2);
    assert.equal((await runCommand(['check'], box.environment)).output, 'no problems found\n');
  });

  testOnce('check --repair removes unused files that zukan stored, and no others', async () => {
    const box = await filled(engine);
    const folder = filesFolder(box.config);
    const [first = ''] = filesIn(folder).map((line) => line.split(' ')[0] ?? '');
    const unused = `${first.slice(0, 3)}${first.slice(3, 5)}${'0'.repeat(62)}.png`;
    writeFileSync(join(folder, unused), 'bytes');
    writeFileSync(join(folder, 'mine.png'), 'bytes');
    const found = await runCommand(['check', '--json'], box.environment);
    assert.deepEqual(
      JSON.parse(found.output).sort((a: { problem: string }, b: { problem: string }) =>
        a.problem < b.problem ? -1 : 1,
      ),
      [
        { problem: `${unused}: no image uses this file`, canBeRepaired: true },
        { problem: 'mine.png: no image uses this file', canBeRepaired: false },
      ].sort((a, b) => (a.problem < b.problem ? -1 : 1)),
    );
    const repaired = await runCommand(['check', '--repair'], box.environment);
    assert.equal(repaired.output, 'mine.png: no image uses this file\n');
    assert.match(repaired.errors, /removed 1 unused file/);
    assert.equal(box.stored(), 3);
  });
});

for (const what of ['remove', 'import'] as const) {
  const { traced } = prepared[what];
  test(`${what}: after a power failure, a journal or nothing is left`, async () => {
    const after = (start: number, pattern: RegExp) => {
      const index = traced.trace.findIndex((line, index) => index > start && pattern.test(line));
      assert.ok(index > start, `${pattern} after ${start} in\n${traced.trace.join('\n')}`);
      return index;
    };
    const listed = after(-1, /^appendFile .*\.intake-/);
    const synced = after(listed, /^datasync .*\.intake-/);
    const folder = after(-1, /^sync .*\/files$/);
    assert.ok(synced < traced.commit && folder < traced.commit);
    const removed = after(traced.commit - 1, /^rm .*\.png$/);
    const flushed = after(removed, /^sync .*\/files\/..$/);
    const finished = after(traced.commit - 1, /^rm .*\.intake-/);
    assert.ok(flushed < finished);
  });
}

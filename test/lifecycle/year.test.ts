// process: own
/**
 * A year in the life of a folder: pictures and sidecars come, move, change and go, and an operator imports, watches, corrects,
 * renames, merges and takes down, in random order. ZUKAN_YEAR_SEED, ZUKAN_YEAR_RUNS and ZUKAN_YEAR_STEPS look further.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { mock, test } from 'node:test';
import fc from 'fast-check';
import { historyOf } from '../support/catalogues/history.ts';
import { sandbox } from '../support/catalogues/import.ts';
import { atDepth } from '../support/depth.ts';
import { setClockAhead } from '../support/later.ts';
import { type Engine, forEachEngineInDepth } from '../support/servers/engines.ts';
import { runCommand } from '../support/zukan/program.ts';
import { KEPT } from './state.ts';
import { anyStep, type Step } from './steps.ts';
import { Year } from './year.ts';

/** Files that were just written are read again the next time. This test is a minute late. */
setClockAhead();

const { ZUKAN_YEAR_SEED = '35', ZUKAN_YEAR_RUNS = atDepth('1', '2') } = process.env;
const { ZUKAN_YEAR_STEPS = atDepth('25', '120') } = process.env;

const engines: Engine[] = [];

await forEachEngineInDepth((engine) => {
  engines.push(engine);
  test('decisions stay, no rating goes down silently, and an export has everything', async () => {
    const done = new Set<string>();
    const length = Number(ZUKAN_YEAR_STEPS);
    const steps = fc.array(anyStep, { minLength: length, maxLength: length });
    const property = fc.asyncProperty(steps, async (steps) => {
      const year = new Year(engine);
      await live(year, steps);
      await finish(year);
      assert.equal(await year.run(['check', '--quiet']), 'no problems found\n');
      await compareCopies(year, engines.find((other) => other !== engine) ?? engine);
      for (const action of year.done.keys()) done.add(action);
    });
    // A shorter example would take minutes to find; the steps before the failure are listed instead.
    await fc.assert(property, {
      numRuns: Number(ZUKAN_YEAR_RUNS),
      seed: Number(ZUKAN_YEAR_SEED),
      endOnFailure: true,
    });
    assert.ok(done.size > Math.min(12, length / 10), `only ${[...done].join(', ')} happened`);
  });
});

async function live(year: Year, steps: Step[]): Promise<void> {
  year.folder.writePicture('first.png', 0);
  year.folder.writePicture('kept.png', KEPT);
  await year.run(['import', '--quiet', year.folder.root]);
  year.model.importPicture(0, { fileName: 'first.png' }, 'sfw');
  year.model.importPicture(KEPT, { fileName: 'kept.png' }, 'sfw');
  await year.compare();
  for (const [index, step] of steps.entries()) {
    mock.timers.tick(60_000);
    try {
      const command = step.apply(year);
      await command;
      // Writing files changes nothing in the catalogue.
      if (command) await year.compare();
    } catch (error) {
      console.error(`these steps fail: ${fc.stringify(steps.slice(0, index + 1))}`);
      throw error;
    }
  }
}

/** When everything has been imported and the trash is empty, only the files of images are stored. */
async function finish(year: Year): Promise<void> {
  for (const path of year.folder.paths.filter((path) => year.folder.statementOf(path).isBad)) {
    year.folder.removePicture(path);
    year.folder.removeSidecars(path);
  }
  mock.timers.tick(60_000);
  const output = await year.run(['import', '--quiet', '--default-rating', 'sfw', year.folder.root]);
  await year.checkImport({ full: false, defaultRating: 'sfw' }, output, () => true);
  await year.emptyTrash();
  await year.compare();
  assert.deepEqual(new Set(year.stored()), new Set(year.model.images.keys()));
}

/** An export makes the same catalogue in the other store, with the files and without them, and so does a backup. */
async function compareCopies(year: Year, other: Engine): Promise<void> {
  const exported = await year.run(['export']);
  const [file, backup] = [join(year.root, 'all/catalogue.ndjson'), join(year.root, 'backup')];
  await year.run(['export', '--quiet', '--files', join(year.root, 'all/files'), file]);
  await year.run(['backup', '--quiet', backup]);
  for (const [command, input] of [
    [['import', '--quiet', '-'], exported],
    [['import', '--quiet', file], ''],
    [['restore', '--quiet', backup], ''],
  ] as const) {
    const environment = { ...sandbox(other).environment, THUMBNAILS: 'off' };
    const { status, errors } = await runCommand([...command], environment, input);
    assert.equal(status, 0, errors);
    assert.equal((await runCommand(['export'], environment)).output, exported);
    if (command[0] === 'restore')
      assert.deepEqual(await historyOf(environment), await historyOf(year.environment));
  }
}

// process: own
/** Whatever interrupts imports, and whatever happens between the attempts: the catalogue is that of the folder in the end. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import fs, { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { after, mock, test } from 'node:test';
import fc from 'fast-check';
import { OWNER_KEY } from '../../src/media/files.ts';
import { openSnapshot } from '../../src/server/engines.ts';
import { sandbox } from '../support/catalogues/import.ts';
import { atDepth } from '../support/depth.ts';
import { setClockAhead } from '../support/later.ts';
import { tinyPicture, writeTiny } from '../support/pictures/tiny.ts';
import { forEachEngineInDepth } from '../support/servers/engines.ts';
import { runCommand } from '../support/zukan/program.ts';
import { filesFolder } from '../support/zukan/service.ts';

setClockAhead();

/** Interrupts the import when it opens this many pictures. */
let openings = Number.POSITIVE_INFINITY;
const { open } = fs.promises;
fs.promises.open = async (path, ...rest) => {
  if (String(path).includes('/pictures/') && --openings === 0) process.emit('SIGINT');
  return open(path, ...rest);
};
syncBuiltinESMExports();
after(() => {
  fs.promises.open = open;
  syncBuiltinESMExports();
});

const path = fc.constantFrom('a.png', 'b/c.png', 'b/d.png', 'e.png', 'f.png');
const picture = fc.integer({ min: 0, max: 5 });
const flags = fc.constantFrom<string[]>([], ['--keep-location'], ['--full']);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('write' as const), path, picture }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), path }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('interrupt' as const),
      after: fc.integer({ min: 1, max: 8 }),
      flags,
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('fail' as const), flags }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('import' as const), flags }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('take down' as const), picture }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('trash' as const, 'check' as const) }) },
);
const steps = fc.array(step, { minLength: 4, maxLength: 12, size: 'max' });

const hashOf = (index: number) => hash('sha256', tinyPicture(index));
const isFile = (folder: string, name: string) => statSync(join(folder, name)).isFile();

await forEachEngineInDepth((engine) => {
  test('attempts, changes and take-downs in any order', async () => {
    const property = fc.asyncProperty(steps, async (steps) => {
      const { folder, config, environment: variables } = sandbox(engine);
      const environment = { ...variables, THUMBNAILS: 'off' };
      const pictures = join(folder, 'pictures');
      mkdirSync(pictures);
      const run = (...parameters: string[]) => runCommand(parameters, environment);
      const images = async () => {
        await using snapshot = await openSnapshot(config);
        return await Array.fromAsync(snapshot.images());
      };
      const importFolder = (...more: string[]) => run('import', '--quiet', ...more, pictures);
      await run('import', '--quiet', '-');
      /** What the folder has, and what may not come back. */
      const model = new Map([
        ['a.png', 0],
        ['b/c.png', 1],
        ['e.png', 2],
      ]);
      for (const [path, index] of model) writeTiny(pictures, path, index);
      const removed = new Set<number>();
      for (const step of steps) {
        mock.timers.setTime(Date.now() + 60_000);
        if (step.do === 'write') {
          writeTiny(pictures, step.path, step.picture);
          model.set(step.path, step.picture);
        } else if (step.do === 'delete') {
          rmSync(join(pictures, step.path), { force: true });
          model.delete(step.path);
        } else if (step.do === 'interrupt') {
          openings = step.after;
          await importFolder(...step.flags);
          openings = Number.POSITIVE_INFINITY;
        } else if (step.do === 'fail') {
          writeFileSync(join(pictures, 'bad.png'), 'text');
          assert.equal((await importFolder(...step.flags)).status, 1);
          rmSync(join(pictures, 'bad.png'));
        } else if (step.do === 'import') {
          assert.equal((await importFolder(...step.flags)).status, 0);
        } else if (step.do === 'take down') {
          const image = (await images()).find(({ eTag }) => eTag === hashOf(step.picture));
          if (!image) continue;
          removed.add(step.picture);
          assert.equal((await run('remove', '--yes', image.id)).status, 0);
          const left = existsSync(filesFolder(config))
            ? readdirSync(filesFolder(config), { recursive: true })
            : [];
          assert.ok(!left.some((name) => String(name).includes(hashOf(step.picture))), 'bytes stay');
        } else {
          const command =
            step.do === 'check' ? ['check', '--repair', '--quiet'] : ['trash', '--empty', '--yes'];
          assert.equal((await run(...command)).status, 0);
        }
      }
      mock.timers.setTime(Date.now() + 60_000);
      const { status, errors } = await importFolder('--prune', '--yes');
      assert.equal(status, 0, errors);
      await run('trash', '--empty', '--yes');
      const expected = new Set([...model.values()].filter((index) => !removed.has(index)).map(hashOf));
      assert.deepEqual(new Set((await images()).map(({ eTag }) => eTag)), expected);
      const stored = filesFolder(config);
      const names = existsSync(stored) ? readdirSync(stored, { recursive: true, encoding: 'utf8' }) : [];
      const found = names
        .filter((name) => name !== OWNER_KEY && isFile(stored, name))
        .map((name) => name.slice(3, 67));
      assert.deepEqual(found.sort(), [...expected].sort(), 'nothing else is stored');
      const checked = await run('check', '--quiet');
      assert.equal(checked.output, 'no problems found\n', checked.errors);
    });
    await fc.assert(property, { numRuns: atDepth(2, 60) });
  });
});

/** Killed, interrupted and failed commands. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inParallel } from '../../src/lib/concurrency.ts';
import { newPlaces, type Place } from '../../torture/kill-stores.ts';
import { randomFor } from '../../torture/random.ts';
import { type Command, prepareScenarios } from '../../torture/scenarios.ts';
import { verify } from '../../torture/verify.ts';
import { keyed } from '../support/catalogues/import.ts';
import { filesIn } from '../support/checks/dump.ts';
import { atDepth } from '../support/depth.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand, start } from '../support/zukan/program.ts';
import { killBefore } from '../support/zukan/run-until.ts';
import { configFor, filesFolder, startService } from '../support/zukan/service.ts';

const POINTS = 7;
const commands = atDepth<Command[]>(
  // An import: resumed.test.ts.
  ['removal'],
  [
    ...(['import', 'removal', 'repair', 'restore', 'edit', 'rename', 'revert', 'undo'] as const),
    ...(['restore from the trash', 'empty the trash'] as const),
  ],
);
const folder = temporaryFolder();
const newPlace = (name: string) => newPlaces(join(folder, name), { postgres: undefined })[0]?.[1] as Place;
const spare = { empty: newPlace('empty'), other: newPlace('other') };
const scenarios = await prepareScenarios(folder, newPlace('catalogue'), spare, new Set(commands));

type Point = [operation: number, from: string, left?: 'the old one' | 'the new one'];
/** How many operations come before the commit may depend on timing. */
const atCommit: Point[] = [
  [1, '^commit', 'the old one'],
  [2, '^commit', 'the new one'],
];

for (const [name, scenario] of scenarios) {
  const { command, commit, operations } = scenario;

  test(`${name}: a kill leaves the old catalogue or the new one, and the next command cleans up`, async () => {
    const spread = Array.from({ length: POINTS }, (_, index): Point[] => [
      [1 + Math.floor((index * commit) / POINTS), ''],
      [2 + Math.floor((index * (operations - commit)) / POINTS), '^commit'],
    ]);
    await inParallel([...atCommit, ...atDepth([], spread.flat())], 2, async ([operation, from, expected]) => {
      const place = await scenario.place.copy();
      await killBefore(operation, command, place.environment, { from });
      const left = await verify(scenario, place, randomFor(operation, name));
      if (expected && left !== 'the same') assert.equal(left, expected, `before ${operation} ${from}`);
      await place.remove();
    });
  });
}

test('readers see the old catalogue until an import commits, and then the new one', async (t) => {
  const [OLD, NEW, READERS] = [100, atDepth(150, 2400), 4];
  const lines = (name: string, count: number) => {
    const source = { name, url: 'https://example.org/' };
    const images = Array.from({ length: count }, (_, index) => keyed(index, { source, categories: ['all'] }));
    return [{ type: 'category', name: 'all', description: name }, ...images].map(
      (line) => `${JSON.stringify(line)}\n`,
    );
  };
  const environment = { DATA_DIR: join(temporaryFolder(), 'data') };
  await runCommand(['import', '-'], environment, lines('old', OLD).join(''));
  const { get } = await startService(configFor('', environment));
  const seen = { old: 0, new: 0 };

  /** Reads until it has seen the generation, and checks that no response mixes the two. */
  const readUntil = async (expected: 'old' | 'new') => {
    for (let last = ''; last !== expected; ) {
      const random = await get('/api/image/random?limit=25&categories=all');
      assert.equal(random.status, 200);
      const generations = new Set<string>();
      for (const { source, categories } of random.json.data)
        generations.add(source.name).add(categories[0].description);
      assert.equal(generations.size, 1, [...generations].join());
      last = [...generations][0] as string;
      seen[last as 'old' | 'new']++;
      const { count, nsfw } = (await get('/api/stats')).json.data.images;
      assert.ok(count === OLD || count === NEW, `${count} images`);
      assert.equal(nsfw.sfw, count);
    }
  };

  const importing = start(['import', '--quiet', '-'], environment);
  const ended = once(importing, 'close');
  const records = lines('new', NEW);
  importing.stdin?.write(records.slice(0, NEW / 2).join(''));
  await Promise.all(Array.from({ length: READERS }, () => readUntil('old')));
  const readers = Promise.all(Array.from({ length: READERS }, () => readUntil('new')));
  importing.stdin?.end(records.slice(NEW / 2).join(''));
  assert.deepEqual(await ended, [0, null]);
  await readers;
  t.diagnostic(`${seen.old} responses from the old catalogue, ${seen.new} from the new one`);
  assert.ok(seen.old >= READERS && seen.new >= READERS);
});

// Interrupted and failed imports leave the catalogue and the storage unchanged.

function newCatalogue() {
  const folder = temporaryFolder();
  const environment = { DATA_DIR: join(folder, 'data') };
  const config = configFor(folder);
  const files = filesFolder(config);
  return { folder, environment, config, files };
}

/** An import that waits for standard input has the write lock and a journal. */
const hasJournal = (files: string) =>
  existsSync(files) && readdirSync(files).some((name) => name.startsWith('.intake-'));

test('rejects a named pipe instead of waiting for it', async () => {
  const { folder, environment } = newCatalogue();
  execFileSync('mkfifo', [join(folder, 'pipe.png')]);
  writeFileSync(join(folder, 'pipe.ndjson'), '{"type":"image","file":"pipe.png","nsfw":"sfw"}\n');
  const { status, output } = await runCommand(['import', join(folder, 'pipe.ndjson')], environment);
  assert.equal(status, 1);
  assert.match(output, /pipe\.png: is not a file/);
});

test('tokens can be created and revoked while an import runs', async () => {
  const { environment, files } = newCatalogue();
  const waiting = start(['import', '-'], environment);
  const ended = once(waiting, 'close');
  waiting.stdin?.write('{"type":"artist","name":"Somebody"}\n');
  await until('the import has started', () => hasJournal(files));
  const create = ['token', 'create', '--owner', 'me', '--purpose', 'x', '--json'];
  const created = await runCommand(create, environment);
  assert.equal(created.status, 0, created.errors);
  const { id } = JSON.parse(created.output);
  assert.equal((await runCommand(['token', 'revoke', id], environment)).status, 0);
  waiting.stdin?.end();
  assert.deepEqual(await ended, [0, null]);
});

test('Ctrl-C in the middle of pictures leaves no files behind', async () => {
  const PICTURES = 20;
  const { folder, environment, files } = newCatalogue();
  const records = Array.from({ length: PICTURES }, (_, index) => {
    writeTiny(folder, `${index}.png`, index);
    return JSON.stringify({ type: 'image', file: `${index}.png`, nsfw: 'sfw' });
  });
  writeFileSync(join(folder, 'pictures.ndjson'), records.join('\n'));
  const stored = () =>
    existsSync(files)
      ? readdirSync(files, { recursive: true }).filter((name) => /\.png$/.test(String(name))).length
      : 0;
  for (const count of atDepth([PICTURES], [1, 7, PICTURES])) {
    // Standard input stays open, so the import cannot finish.
    const child = start(['import', join(folder, 'pictures.ndjson'), '-'], environment);
    const ended = once(child, 'close');
    await until(`${count} pictures are stored`, () => stored() >= count);
    child.kill('SIGINT');
    assert.deepEqual(await ended, [1, null]);
    assert.deepEqual(filesIn(files), []);
  }
});

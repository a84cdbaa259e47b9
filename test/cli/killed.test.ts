/** Killed imports, and imports under readers: they see the old catalogue or the new one, never a mixture. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkCatalogue } from '../../src/catalogue/documents/check.ts';
import { entryLine, imageLine } from '../../src/catalogue/line.ts';
import { importFiles } from '../../src/cli/importing/import.ts';
import { inParallel } from '../../src/lib/parallel.ts';
import { openSnapshot } from '../../src/server/engines.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { keyed } from '../support/catalogues/import.ts';
import { filesIn } from '../support/checks/dump.ts';
import { atDepth } from '../support/depth.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand, start } from '../support/zukan/program.ts';
import { configFor, startService } from '../support/zukan/service.ts';

const OLD_PICTURES = 4;
const PICTURES = 8;
const RECORDS_PER_PICTURE = 2;
const KILLS = 14;

/** Writes pictures, and a catalogue file with several records for each of them. */
function writeGeneration(folder: string, name: string, count: number): string {
  const lines: object[] = [{ type: 'category', name: 'all', description: name }];
  for (let index = 0; index < count; index++) {
    const [file, source] = [`${name}/${index}.png`, { name, url: 'https://example.org/' }];
    // The new generation replaces the pictures of the old one.
    writeTiny(folder, file, name === 'old' ? 1000 + index : index);
    for (let record = 0; record < RECORDS_PER_PICTURE; record++) {
      const id = uuid(4, index * RECORDS_PER_PICTURE + record);
      lines.push({ type: 'image', id, file, nsfw: 'sfw', source, categories: ['all'] });
    }
  }
  const path = join(folder, `${name}.ndjson`);
  writeFileSync(path, lines.map((line) => JSON.stringify(line)).join('\n'));
  return path;
}

/** The records, without generated ids and times. */
async function readContents(data: string): Promise<string> {
  await using snapshot = await openSnapshot(configFor(data, { DATA_DIR: data }));
  const lines: string[] = [];
  for await (const entry of snapshot.entries('category')) lines.push(entryLine(entry));
  for await (const image of snapshot.images()) lines.push(imageLine(image));
  const generated = /"(id|createdAt)":"[^"]*",?|"categories":\["[^"]*"\]/g;
  return lines.map((line) => line.replaceAll(generated, '')).join('\n');
}

test('a killed import leaves the old catalogue or the new one, and the next import cleans up', async (t) => {
  const folder = temporaryFolder();
  const original = join(folder, 'original');
  await importFiles(configFor(folder, { DATA_DIR: original }), [
    writeGeneration(folder, 'old', OLD_PICTURES),
  ]);
  const next = writeGeneration(folder, 'new', PICTURES);
  const copyOriginal = (name: string) => {
    const data = join(folder, name);
    cpSync(original, data, { recursive: true });
    return data;
  };
  const startImport = (data: string, killAt: number) =>
    start(['import', '--quiet', next], { DATA_DIR: data, KILL_AT: String(killAt) }, [
      `--import=${join(import.meta.dirname, '../support/zukan/kill-at.ts')}`,
    ]);

  const whole = copyOriginal('whole');
  const child = startImport(whole, 0);
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  assert.deepEqual(await once(child, 'close'), [0, null], errors);
  const { operations, commit } = JSON.parse(errors) as { operations: number; commit: number };
  assert.ok(operations > 2 * PICTURES && commit > 0);
  const [before, after] = [await readContents(original), await readContents(whole)];
  assert.notEqual(before, after);

  /** Verifies what a killed import left behind, and that a repair or the next import cleans up. */
  const verify = async (data: string, what: string, index: number): Promise<boolean> => {
    const found = await readContents(data);
    assert.ok(found === before || found === after, `${what}: a mixture`);
    await using snapshot = await openSnapshot(configFor(data, { DATA_DIR: data }));
    assert.deepEqual(await Array.fromAsync(checkCatalogue(snapshot)), [], what);
    const environment = { DATA_DIR: data };
    const { output } = await runCommand(['check', '--quiet'], environment);
    assert.match(output, /^(an interrupted command left files in the storage|no problems found)\n$/, what);
    if (index % 2 === 0) {
      assert.equal((await runCommand(['check', '--quiet', '--repair'], environment)).status, 0, what);
      const expected = found === before ? OLD_PICTURES : PICTURES;
      assert.equal(filesIn(join(data, 'files')).length, expected, `${what}: leftover files`);
    }
    assert.equal((await runCommand(['import', '--quiet', next], environment)).status, 0, what);
    assert.equal(await readContents(data), after, what);
    assert.equal(filesIn(join(data, 'files')).length, PICTURES, `${what}: leftover files`);
    rmSync(data, { recursive: true });
    return found === after;
  };

  /** Spread evenly from one operation to another, without the latter. */
  const spread = (from: number, to: number) =>
    Array.from({ length: KILLS / 2 }, (_, index) => from + Math.floor((index * (to - from)) / (KILLS / 2)));
  // The commit comes late, so kills that are spread over the whole import would miss what follows it.
  const deep = [...spread(1, commit), commit - 1, commit, ...spread(commit + 1, operations + 1)];
  const points = [...new Set(atDepth([commit >> 1, commit + 1], deep))];
  const outcomes = { old: 0, new: 0 };
  await inParallel(points, 2, async (point, index) => {
    const data = copyOriginal(`killed at ${point}`);
    const child = startImport(data, point);
    assert.deepEqual(await once(child, 'close'), [null, 'SIGKILL']);
    const isNew = await verify(data, `killed before operation ${point}`, index);
    assert.equal(isNew, point > commit, `killed before operation ${point}`);
    outcomes[isNew ? 'new' : 'old']++;
  });
  t.diagnostic(`${outcomes.old} kills left the old catalogue, ${outcomes.new} the new one`);
  assert.ok(outcomes.old > 0 && outcomes.new > 0);

  await t.test('killed during the commit', async () => {
    await inParallel(atDepth([], [1, 2, 3, 4, 5, 6]), 2, async (round) => {
      const data = copyOriginal(`committing ${round}`);
      const child = startImport(data, 0);
      const ended = once(child, 'close');
      await once(child.stdout as NodeJS.ReadableStream, 'data');
      child.kill('SIGKILL');
      await ended;
      await verify(data, `killed during the commit, ${round}`, round);
    });
  });
});

test('readers see the old catalogue until an import commits, and then the new one', async (t) => {
  const [OLD, NEW, READERS] = [100, atDepth(300, 2400), 4];
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

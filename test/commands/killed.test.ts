/** Imports that are killed, and imports under readers: the old catalogue or the new one, never a mixture. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { checkCatalogue } from '../../src/catalogue/check.ts';
import { entryLine, imageLine } from '../../src/catalogue/line.ts';
import { importFiles } from '../../src/commands/import.ts';
import type { Config } from '../../src/config/config.ts';
import { openSnapshot } from '../../src/engines.ts';
import { inParallel } from '../../src/parallel.ts';
import { uuid } from '../support/catalogue.ts';
import { filesIn } from '../support/dump.ts';
import { serve, start, zukan } from '../support/program.ts';
import { configFor, seededChance, send } from '../support/service.ts';
import { writeTiny } from '../support/tiny.ts';
import { temporaryFolder } from '../support/workspace.ts';

/** So many that most kills come before the commit, which is short. */
const PICTURES = 80;

/** Pictures, and a file that gives each of them a record of this generation, or several. */
function generation(folder: string, name: string, from: number, to: number, records = 1): string {
  const lines: object[] = [{ type: 'category', name: 'all', description: name }];
  for (let index = from; index < to; index++) {
    const [file, source] = [`pictures/${index}.png`, { name, url: 'https://example.org/' }];
    writeTiny(folder, file, index);
    for (let record = 0; record < records; record++) {
      // Images that share their bytes are told apart by their ids.
      const id = records > 1 ? { id: uuid(4, index * records + record) } : {};
      lines.push({ type: 'image', ...id, file, nsfw: 'sfw', source, categories: ['all'] });
    }
  }
  const path = join(folder, `${name}.ndjson`);
  writeFileSync(path, lines.map((line) => JSON.stringify(line)).join('\n'));
  return path;
}

/** The records, without the ids and times that each import makes up. */
async function contents(config: Config): Promise<string> {
  await using snapshot = await openSnapshot(config);
  const lines: string[] = [];
  for await (const entry of snapshot.entries('category')) lines.push(entryLine(entry));
  for await (const image of snapshot.images()) lines.push(imageLine(image));
  const made = /"(id|createdAt)":"[^"]*",?|"categories":\["[^"]*"\]/g;
  return lines.map((line) => line.replaceAll(made, '')).join('\n');
}

test('killed at fifty moments, an import leaves the old catalogue or the new one, and the next one cleans up', async (t) => {
  const folder = temporaryFolder();
  const original = join(folder, 'original');
  const config = (data: string) => configFor(folder, { DATA_DIR: data });
  await importFiles(config(original), [generation(folder, 'old', 0, 12, 5)]);
  const next = generation(folder, 'new', 0, PICTURES, 5);
  let wholeImport = 0;
  const [before, after] = [await contents(config(original)), await expected()];

  async function expected(): Promise<string> {
    const data = join(folder, 'expected');
    cpSync(original, data, { recursive: true });
    const begun = performance.now();
    assert.equal((await zukan(['import', '--quiet', next], { DATA_DIR: data })).status, 0);
    wholeImport = performance.now() - begun;
    return contents(config(data));
  }

  const randomInt = seededChance(50);
  const moments = Array.from({ length: 50 }, () => 250 + randomInt(Math.round(wholeImport)));
  const outcomes = { before: 0, after: 0 };
  await inParallel(moments, 2, async (moment, index) => {
    const data = join(folder, `data ${index}`);
    cpSync(original, data, { recursive: true });
    const child = start(['import', '--quiet', next], { DATA_DIR: data });
    const ended = once(child, 'close');
    await Promise.race([setTimeout(moment), ended]);
    child.kill('SIGKILL');
    await ended;
    const found = await contents(config(data));
    assert.ok(found === before || found === after, `a mixture after ${moment} ms`);
    outcomes[found === before ? 'before' : 'after']++;
    await using snapshot = await openSnapshot(config(data));
    assert.deepEqual(await Array.fromAsync(checkCatalogue(snapshot)), []);
    if (index % 10 === 0) {
      assert.equal((await zukan(['check', '--quiet'], { DATA_DIR: data })).status, 0);
      assert.equal((await zukan(['import', '--quiet', next], { DATA_DIR: data })).status, 0);
      assert.equal(await contents(config(data)), after);
      assert.equal(filesIn(join(data, 'files')).length, PICTURES, 'nothing is left behind');
    }
    rmSync(data, { recursive: true });
  });
  t.diagnostic(
    `${Math.round(wholeImport)} ms an import; ${outcomes.before} times the old one, ${outcomes.after} the new one`,
  );
  assert.ok(outcomes.before > 5);
});

test('an import of 5,000 pictures under fifty readers: no error, and no answer that mixes', async (t) => {
  const folder = temporaryFolder();
  const environment = { DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'silent' };
  await zukan(['import', '--quiet', generation(folder, 'old', 0, 200)], environment);
  const next = generation(folder, 'new', 0, 5000);
  const server = await serve(environment);
  const importing = zukan(['import', '--quiet', next], environment);
  let isDone = false;
  const seen = { old: 0, new: 0 };
  const read = async () => {
    while (!isDone) {
      const { status, json } = await send(
        new URL('/api/image/random?limit=25&categories=all', server.origin),
      );
      assert.equal(status, 200);
      const generations = new Set(
        json.data.flatMap(
          ({ source, categories }: { source: { name: string }; categories: { description: string }[] }) => [
            source.name,
            categories[0]?.description,
          ],
        ),
      );
      assert.equal(generations.size, 1, [...generations].join());
      seen[[...generations][0] as 'old' | 'new']++;
      const stats = await send(new URL('/api/stats', server.origin));
      const { count, nsfw } = stats.json.data.images;
      assert.ok(count === 200 || count === 5000);
      assert.equal(nsfw.sfw, count);
      await setTimeout(300);
    }
  };
  const readers = Promise.all(Array.from({ length: 50 }, read));
  const { status, errors } = await importing;
  assert.equal(status, 0, errors);
  await setTimeout(500);
  isDone = true;
  await readers;
  t.diagnostic(`${seen.old} answers from the old catalogue, ${seen.new} from the new one`);
  assert.ok(seen.old > 50 && seen.new > 50);
  server.child.kill('SIGTERM');
  await server.ended;
});

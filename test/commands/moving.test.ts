/** A catalogue moves from one store to the other and back: ids, order and documents stay what they are. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { SavedImage } from '../../src/catalogue/writer.ts';
import { openSnapshot } from '../../src/engines.ts';
import { uuid, writeKnownCatalogue } from '../support/catalogue.ts';
import { type Engine, forEachEngine, sqlite } from '../support/engines.ts';
import { keyed } from '../support/import.ts';
import { start, zukan } from '../support/program.ts';
import { configFor } from '../support/service.ts';
import { temporaryFolder } from '../support/workspace.ts';

const folder = temporaryFolder();
const place = (engine: Engine, name: string) => ({
  DATA_DIR: join(folder, name),
  FILES_URL: join(folder, 'files'),
  ...engine.environment(),
});
const source = place(sqlite, 'source');
const odd = [
  '{a,b}',
  'NULL',
  '"quoted"',
  "it's",
  'back\\slash',
  '😀 emoji',
  '\u{ffff}',
  'tab\tinside',
  'Ünï',
  '%_',
];
const lines = [
  ...odd.map((name) => ({ type: 'category', name: name.replaceAll(',', ';'), description: name })),
  ...odd.flatMap((name) => [
    { type: 'artist', name, url: 'https://example.org/1' },
    { type: 'artist', name, url: 'https://example.org/2' },
    { type: 'character', name, source: name, occupations: [name], description: name },
  ]),
  ...odd.map((name, index) =>
    keyed(index, { source: { name, url: '' }, characters: [name], categories: [name.replaceAll(',', ';')] }),
  ),
];
await zukan(['import', await writeKnownCatalogue(folder)], source);
await zukan(['import', '-'], source, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
// Gaps in the numbers, and an order that is not that of the file.
await zukan(['remove', uuid(4, 2)], source);
await zukan(['import', '-'], source, JSON.stringify(keyed(3, { nsfw: 'nsfw' })));

/** What images are, without the numbers that each store gives them. */
async function documents(environment: Record<string, string>): Promise<string[]> {
  await using snapshot = await openSnapshot(configFor(folder, environment));
  const rows: SavedImage[] = await Array.fromAsync(snapshot.images());
  return rows.map(({ number, ...row }) => JSON.stringify(row));
}

await forEachEngine((engine) => {
  test('export | import - moves a catalogue there and back', async () => {
    const [there, back] = [place(engine, `there ${engine.name}`), place(sqlite, `back ${engine.name}`)];
    for (const [from, to] of [
      [source, there],
      [there, back],
    ] as const) {
      const [exporting, importing] = [start(['export'], from), start(['import', '-'], to)];
      exporting.stdout?.pipe(importing.stdin as NodeJS.WritableStream);
      const status = await new Promise((resolve) => importing.once('close', resolve));
      assert.equal(status, 0);
    }
    const first = (await zukan(['export'], source)).output;
    assert.ok(first.split('\n').length > 60);
    assert.equal((await zukan(['export'], there)).output, first);
    assert.equal((await zukan(['export'], back)).output, first);
    assert.deepEqual(await documents(there), await documents(source));
    assert.deepEqual(await documents(back), await documents(source));
    assert.match((await zukan(['import', '-'], there, first)).output, /^0 added, 0 updated/);
  });
});

/** Moving a catalogue to another store and back keeps ids, order and documents. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseStored } from '../../src/catalogue/documents/document.ts';
import { parseEdited } from '../../src/catalogue/documents/edit-image.ts';
import type { SavedImage } from '../../src/catalogue/writer.ts';
import { newId } from '../../src/lib/random.ts';
import { openSnapshot } from '../../src/server/engines.ts';
import { uuid, writeKnownCatalogue } from '../support/catalogues/catalogue.ts';
import { keyed } from '../support/catalogues/import.ts';
import { type Engine, forEachEngine, sqlite } from '../support/servers/engines.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand, start } from '../support/zukan/program.ts';
import { configFor } from '../support/zukan/service.ts';

const folder = temporaryFolder();
const environmentFor = (engine: Engine, name: string) => ({
  DATA_DIR: join(folder, name),
  FILES_URL: join(folder, 'files'),
  THUMBNAILS: 'off',
  ...engine.environment(),
});
const source = environmentFor(sqlite, 'source');
const unusualNames = [
  '{a,b}',
  'NULL',
  '"quoted"',
  "it's",
  'back\\slash',
  '😀 emoji',
  '\u{fffd}',
  'می\u200cخواهم',
  'Ünï',
  '%_',
];
const lines = [
  ...unusualNames.map((name) => ({ type: 'category', name: name.replaceAll(',', ';'), description: name })),
  ...unusualNames.flatMap((name) => [
    { type: 'artist', name, url: 'https://example.org/1' },
    { type: 'artist', id: newId(), name, url: 'https://example.org/2' },
    { type: 'character', name, source: name, occupations: [name], description: name },
  ]),
  ...unusualNames.map((name, index) =>
    keyed(index, { source: { name, url: '' }, characters: [name], categories: [name.replaceAll(',', ';')] }),
  ),
];
await runCommand(['import', await writeKnownCatalogue(folder)], source);
await runCommand(['import', '-'], source, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
// Makes gaps in the numbers, and an order that differs from the file.
await runCommand(['remove', '--yes', uuid(4, 2)], source);
await runCommand(['import', '-'], source, JSON.stringify(keyed(3, { nsfw: 'nsfw' })));
// Decisions move too: marks of fields, aliases and blocked names. The removal above left the hash of its bytes.
const details = {
  title: 'A title',
  description: 'two\nlines',
  'taken-at': '2024-02-03',
  licence: 'cc0',
  credit: 'Me',
  alt: 'a fox',
};
const decided = Object.entries(details).flatMap(([option, text]) => [`--${option}`, text]);
await runCommand(['edit', uuid(4, 1), '--artist', 'abe', '--reset', 'rating', ...decided], source);
await runCommand(['entry', 'category', 'catgirl', '--name', '{;}', '--add-alias', 'NULL "x"'], source);
await runCommand(['entry', 'artist', 'Mariko', '--merge-into', 'abe'], source);
await runCommand(['entry', 'category', 'empty', '--remove', '--block'], source);

/** The image rows, without the numbers that each store assigns, and without what is not exported. */
async function documents(environment: Record<string, string>): Promise<string[]> {
  await using snapshot = await openSnapshot(configFor(folder, environment));
  const rows: SavedImage[] = await Array.fromAsync(snapshot.images());
  return rows.map(({ number, perceptualHash, document, edited, ...row }) => {
    const { previews, ...stored } = parseStored(document);
    return JSON.stringify({ ...row, edited: parseEdited(edited), stored });
  });
}

await forEachEngine((engine) => {
  test('zukan export | zukan import - moves a catalogue there and back', async () => {
    const [there, back] = [
      environmentFor(engine, `there ${engine.name}`),
      environmentFor(sqlite, `back ${engine.name}`),
    ];
    for (const [from, to] of [
      [source, there],
      [there, back],
    ] as const) {
      const refused = await runCommand(['import', '-'], to);
      assert.equal(refused.status, 1);
      assert.match(refused.errors, /the files in \S+ belong to the catalogue .*"zukan adopt"/);
      assert.equal((await runCommand(['adopt'], to)).status, 0);
      if (engine !== sqlite || to === back) {
        const exported = (await runCommand(['export'], from)).output;
        assert.equal((await runCommand(['import', '-'], to, exported)).status, 0);
        continue;
      }
      const [exporting, importing] = [start(['export'], from), start(['import', '-'], to)];
      exporting.stdout?.pipe(importing.stdin as NodeJS.WritableStream);
      const status = await new Promise((resolve) => importing.once('close', resolve));
      assert.equal(status, 0);
    }
    const first = (await runCommand(['export'], source)).output;
    assert.ok(first.split('\n').length > 60);
    for (const decision of [
      '"aliases":["NULL \\"x\\"","catgirl"]',
      `"aliases":["${uuid(2, 1)}","Mariko"]`,
      '"type":"blocked"',
      '"type":"removed"',
    ])
      assert.ok(first.includes(decision), decision);
    assert.match(
      first,
      new RegExp(
        `"id":"${uuid(4, 1)}".*"edited":\\["alt","artist","categories","characters","credit","description","licence","source",`,
      ),
    );
    assert.equal((await runCommand(['export'], there)).output, first);
    assert.equal((await runCommand(['export'], back)).output, first);
    assert.deepEqual(await documents(there), await documents(source));
    assert.deepEqual(await documents(back), await documents(source));
    assert.match((await runCommand(['import', '-'], there, first)).output, /^0 added, 0 updated/);
  });
});

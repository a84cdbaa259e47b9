/** Moving a catalogue to another store and back keeps ids, order and documents. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseStored } from '../../src/catalogue/documents/document.ts';
import { parseEdited } from '../../src/catalogue/documents/edit-image.ts';
import type { SavedImage } from '../../src/catalogue/writer.ts';
import { newId } from '../../src/lib/random.ts';
import { openFiles, openSnapshot } from '../../src/server/engines.ts';
import { uuid, writeKnownCatalogue } from '../support/catalogues/catalogue.ts';
import { keyed } from '../support/catalogues/import.ts';
import { drawInto } from '../support/pictures/pictures.ts';
import { type Engine, forEachEngine, forEachEngineInDepth, sqlite } from '../support/servers/engines.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand, start } from '../support/zukan/program.ts';
import { configFor } from '../support/zukan/service.ts';

type Environment = Record<string, string>;

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
await runCommand(['edit', uuid(4, 1), '--artist', 'abe', '--reset', 'rating'], source);
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
      new RegExp(`"id":"${uuid(4, 1)}".*"edited":\\["artist","categories","characters","source"\\]`),
    );
    assert.equal((await runCommand(['export'], there)).output, first);
    assert.equal((await runCommand(['export'], back)).output, first);
    assert.deepEqual(await documents(there), await documents(source));
    assert.deepEqual(await documents(back), await documents(source));
    assert.match((await runCommand(['import', '-'], there, first)).output, /^0 added, 0 updated/);
  });
});

await forEachEngineInDepth((engine) => {
  test('a catalogue that moves keeps its thumbnails and files, there and back', async () => {
    const box = temporaryFolder();
    const pictures = join(box, 'pictures');
    const drawing = { format: 'png', width: 30, height: 24 } as const;
    for (const colour of ['red', 'blue'])
      await drawInto(pictures, { ...drawing, file: `${colour}.png`, colour });
    const environmentOf = (each: Engine, name: string): Environment => ({
      DATA_DIR: join(box, name),
      FILES_URL: join(box, 'files'),
      THUMBNAILS: '16,20',
      ...each.environment(),
    });
    const first = environmentOf(sqlite, 'first');
    const run = async (command: string[], environment: Environment, input = '') => {
      const { status, output, errors } = await runCommand(command, environment, input);
      assert.equal(status, 0, errors);
      return output;
    };
    const stored = () => readdirSync(join(box, 'files'), { recursive: true, encoding: 'utf8' }).sort();
    await run(['import', '--quiet', pictures], first);
    const before = stored();
    assert.equal(before.filter((name) => name.endsWith('.webp')).length, 4);
    const exported = await run(['export'], first);
    const old = exported.replaceAll(/"thumbnails":\{[^}]*\},/g, '');
    assert.notEqual(old, exported);

    // A killed command left a journal with files that images use.
    const files = openFiles(configFor(box, first));
    const journal = await files.startJournal();
    for (const name of before) if (/\.(png|webp)$/.test(name)) await journal.add(name);
    await journal.abandon();
    const mistyped = await runCommand(['import', '--dry-run', '-'], environmentOf(sqlite, 'mistyped'));
    assert.match(
      mistyped.errors,
      /there is no catalogue at \S+, but the files in \S+ belong to the catalogue/,
    );

    let from = first;
    for (const to of [environmentOf(engine, 'there'), environmentOf(sqlite, 'back')]) {
      await run(['adopt'], to);
      await run(['import', '-'], to, await run(['export'], from));
      assert.equal(await run(['export'], to), exported);
      assert.equal(await run(['check', '--quiet'], to), 'no problems found\n');
      assert.match(await run(['thumbnails', '--dry-run'], to), /; 0 images would be updated/);
      from = to;
    }
    // Older versions exported nothing about thumbnails.
    const last = environmentOf(engine, 'last');
    await run(['adopt'], last);
    await run(['import', '-'], last, old);
    assert.equal(await run(['check', '--quiet', '--repair'], last), 'no problems found\n');
    await run(['thumbnails', '--quiet'], last);
    assert.equal(await run(['export'], last), exported);
    // An old export does not replace what is known of newer thumbnails.
    await run(['import', '-'], last, exported.replaceAll('"sizes":[16,20]', '"sizes":[16]'));
    assert.equal(await run(['export'], last), exported);
    assert.deepEqual(stored(), before);
  });
});

/** What an import leaves out, and what a summary and a dry run show of invalid and changed records. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { uuid } from '../support/catalogues/catalogue.ts';
import { keyed, sandbox } from '../support/catalogues/import.ts';
import { openMaintained } from '../support/catalogues/maintained.ts';
import { snapshot } from '../support/checks/dump.ts';
import { forEachEngineInDepth } from '../support/servers/engines.ts';
import { runCommand } from '../support/zukan/program.ts';

await forEachEngineInDepth(async (engine) => {
  /** Two good pictures, one that is none, and one with a broken sidecar. */
  function mixedFolder() {
    const box = openMaintained(engine);
    for (const index of [1, 2, 3]) box.write(`${index}.png`, index);
    box.write('3.json', '{');
    box.write('bad.png', 'text');
    return box;
  }
  const listed =
    /\nskipped \(invalid\):\n {2}.*3\.png: 3\.json: not valid JSON.*\n {2}.*bad\.png: .*not a JPEG.*\n/;

  test('a bad file is left out and listed, and --strict imports nothing then', async () => {
    const { tryImport, config } = mixedFolder();
    const refused = await tryImport('--strict');
    assert.equal(refused.status, 1);
    assert.match(refused.errors, /nothing was imported\n.*3\.png: .*\n.*bad\.png: /);
    await tryImport();
    assert.match((await tryImport()).output, /^0 added, 0 updated, 2 unchanged\n/);
    const before = snapshot(config);
    assert.equal((await tryImport('--strict', '--skip-bad')).status, 2);
    assert.equal(snapshot(config), before);
  });

  test('a catalogue file with a picture that cannot be read is imported without it', async () => {
    const { folder, config, environment, pictures } = mixedFolder();
    const lines = ['1.png', 'bad.png', 'none.png'].map((file) => ({ type: 'image', file, nsfw: 'sfw' }));
    const path = join(pictures, 'catalogue.ndjson');
    const importLines = (...records: object[]) => {
      writeFileSync(path, records.map((record) => JSON.stringify(record)).join('\n'));
      return runCommand(['import', '--quiet', path], environment);
    };
    const { status, output, errors } = await importLines(...lines);
    assert.equal(status, 1);
    assert.match(
      output,
      /^1 added.*\nskipped \(invalid\):\n.*:2: bad\.png: .*\n.*:3: none\.png: no such file\n$/,
    );
    assert.match(errors, /^zukan: 2 invalid pictures or records left out, see above\n$/m);
    const before = snapshot(config);
    const refused = await importLines(...lines, { type: 'image', file: '2.png', nsfw: 'safe' });
    assert.match(refused.errors, /nothing was imported\n.*:4: /s, 'an invalid line stops it');
    assert.equal(snapshot(config), before, folder);
  });

  test('a dry run shows the whole preview in spite of bad files', async () => {
    const { tryImport, config } = mixedFolder();
    await tryImport('--strict');
    const before = snapshot(config);
    for (const flags of [[], ['--strict']]) {
      const { status, output, errors } = await tryImport('--dry-run', ...flags);
      assert.equal(status, 1);
      assert.match(output, /^dry run, nothing was changed; .*\n2 added, 0 updated, 0 unchanged\n/m);
      assert.match(output, listed);
      assert.match(output, /^added {6}image {6}1\.png\nadded {6}image {6}2\.png\ndry run/);
      assert.match(
        errors,
        flags.length > 0 ? /leave out --strict to import the rest/ : /2 invalid pictures .* left out/,
      );
    }
    assert.equal(snapshot(config), before);
  });

  test('--skip-bad skips any number of invalid lines, and records that refer to them', async () => {
    const box = sandbox(engine);
    const lines = [
      ...Array.from({ length: 150 }, () => 'bad'),
      JSON.stringify({ type: 'category', name: 'a,b' }),
      JSON.stringify(keyed(1, { categories: ['a,b'] })),
      JSON.stringify(keyed(2)),
    ];
    const command = ['import', '--quiet', '--skip-bad', '-'];
    const { status, output } = await runCommand(command, box.environment, lines.join('\n'));
    assert.equal(status, 1);
    assert.match(output, /^1 added, 0 updated, 0 unchanged\n/);
    assert.match(output, /\n {2}standard input:1: not valid JSON.*\n/);
    assert.match(output, /\n {2}standard input:100: not valid JSON.*\n {2}and 52 more\n$/);
  });

  test('shows the old and the new value of changed fields', async () => {
    const box = sandbox(engine);
    const source = { name: 'a site', url: 'https://example.org/' };
    const entries = [
      { type: 'artist', id: uuid(2, 1), name: 'Ann' },
      { type: 'category', name: 'cats', description: 'x'.repeat(100) },
    ];
    await box.import([...entries, keyed(1), ...Array.from({ length: 30 }, (_, index) => keyed(index + 2))]);
    const changed = [
      { type: 'artist', id: uuid(2, 1), name: 'Anne', url: 'https://example.org/' },
      { type: 'category', name: 'cats' },
      keyed(1, { nsfw: 'questionable', artist: 'Anne', categories: ['cats'], source }),
      ...Array.from({ length: 30 }, (_, index) => keyed(index + 2, { nsfw: 'nsfw' })),
    ];
    mkdirSync(box.folder, { recursive: true });
    const path = join(box.folder, 'changed.ndjson');
    writeFileSync(path, changed.map((record) => JSON.stringify(record)).join('\n'));
    const lines = [
      'changed:',
      '  artist Anne: name: Ann → Anne; url: (none) → https://example.org/; aliases: (none) → Ann',
      `  category cats: description: ${'x'.repeat(60)}… → (none)`,
      '  image some/1.png: rating: sfw → questionable; artist: Unknown → Anne; categories: (none) → cats; ' +
        'source: (none) → a site https://example.org/; edited: rating → artist categories rating source',
      '  image some/2.png: rating: sfw → nsfw',
    ].join('\n');
    for (const flags of [['--dry-run'], []]) {
      const { output } = await runCommand(['import', '--quiet', ...flags, path], box.environment);
      assert.ok(output.includes(`\n${lines}\n`), output);
      assert.match(output, /\n {2}image some\/18\.png: rating: sfw → nsfw\n {2}and 13 more\n/);
    }
  });
});

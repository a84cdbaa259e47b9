/** Whatever an import of a folder accepts, its export can be imported again. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseLines } from '../support/catalogues/lines.ts';
import { atDepth } from '../support/depth.ts';
import { tinyPicture } from '../support/pictures/tiny.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand } from '../support/zukan/program.ts';

interface GivenPicture {
  folders: string[];
  /** The text of its sidecar. */
  sidecar: string | undefined;
}

function newFolder() {
  const folder = temporaryFolder();
  const pictures = join(folder, 'pictures');
  const run = (data: string, ...command: string[]) => runCommand(command, { DATA_DIR: join(folder, data) });
  const write = (given: GivenPicture[]) => {
    for (const [index, { folders, sidecar }] of given.entries()) {
      const parent = join(pictures, ...folders);
      mkdirSync(parent, { recursive: true });
      writeFileSync(join(parent, `${index}.png`), tinyPicture(index));
      if (sidecar !== undefined) writeFileSync(join(parent, `${index}.json`), sidecar);
    }
  };
  /** Exports the catalogue, imports the export into the same and into a new one, and returns it. */
  const roundTrip = async () => {
    const file = join(folder, 'export.ndjson');
    assert.equal((await run('data', 'export', '--quiet', file)).status, 0);
    const again = await run('data', 'import', '--quiet', file);
    assert.match(
      again.output,
      /^0 added, 0 updated, \d+ unchanged(; entries: 0 added, 0 updated, \d+ unchanged)?\n$/,
      again.errors,
    );
    const moved = await run('moved', 'import', '--quiet', file);
    assert.equal(moved.status, 0, moved.errors);
    const exported = (await run('data', 'export')).output;
    assert.equal((await run('moved', 'export')).output, exported);
    return parseLines(exported);
  };
  return { pictures, write, roundTrip, import: () => run('data', 'import', '--quiet', '--strict', pictures) };
}

const id = 'ABCDEF00-0000-4000-8000-00000000000A';
const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;

describe('rejects, with its name, a picture whose', () => {
  const cases: [string, GivenPicture, RegExp][] = [
    ['artist has an unpaired surrogate', { folders: [], sidecar: '{"artist":"a\\ud800"}' }, /surrogate/],
    [
      'source is too long',
      { folders: [], sidecar: `{"source":{"name":"${'x'.repeat(256)}","url":""}}` },
      /255/,
    ],
    ['character is too long', { folders: [], sidecar: `{"characters":["${'x'.repeat(256)}"]}` }, /255/],
    [
      'date is in the year 10000',
      { folders: [], sidecar: '{"createdAt":"9999-12-31T23:59:59-10:00"}' },
      /createdAt/,
    ],
    [
      'folders are more than 250',
      { folders: Array.from({ length: 251 }, (_, n) => `${n}`), sidecar: undefined },
      /categories/,
    ],
  ];
  for (const [what, given, reason] of cases) {
    test(what, async () => {
      const { write, import: importFolder } = newFolder();
      write([given]);
      const { status, errors } = await importFolder();
      assert.equal(status, 1);
      assert.match(errors, reason);
      assert.equal(errors.trim().split('\n').length, 4, errors);
      assert.match(errors, /\/0\.png: /);
    });
  }
});

test('a folder or tag of only commas is no category', async () => {
  const { write, roundTrip, import: importFolder } = newFolder();
  write([{ folders: [',', ' , ', 'a,b'], sidecar: '{"tags":[",",",,c"]}' }]);
  assert.equal((await importFolder()).status, 0);
  const names = (await roundTrip()).flatMap(({ name }) => name ?? []);
  assert.deepEqual(names, ['a b', 'c', 'Unknown']);
});

test('tags that are neither texts nor numbers are ignored', async () => {
  const { write, roundTrip, import: importFolder } = newFolder();
  write([{ folders: [], sidecar: `{"tags":["a",7,null,{"toString":1},${deep}],"artist":{"a":1}}` }]);
  const { status, errors } = await importFolder();
  assert.equal(status, 0, errors);
  assert.deepEqual(
    (await roundTrip()).flatMap(({ name }) => name ?? []),
    ['7', 'a', 'Unknown'],
  );
});

test('an id is stored in lower case, and a date in UTC', async () => {
  const { write, roundTrip, import: importFolder } = newFolder();
  write([{ folders: [], sidecar: JSON.stringify({ id, createdAt: '2024-01-01T00:00:00+02:00' }) }]);
  assert.equal((await importFolder()).status, 0);
  const image = (await roundTrip()).at(-1);
  assert.equal(image.id, id.toLowerCase());
  assert.equal(image.createdAt, '2023-12-31T22:00:00.000Z');
});

const characters = [...'aAsKkſßẞıİ,,  ._-0\n\t\x1b\x7f\u0085\u00a0\u2028\u202e\ufeff😀\u0301'];
const awkward = fc.string({ unit: fc.constantFrom(...characters), minLength: 1, maxLength: 6 });
const folderName = awkward.filter((name) => !name.startsWith('.'));
/** One in thirty is invalid, so that most folders are accepted. */
const name = fc.oneof(
  { arbitrary: awkward, weight: 29 },
  { arbitrary: fc.constantFrom('\0', '\ud800', 'x'.repeat(256), id), weight: 1 },
);
const names = fc.oneof(fc.array(name, { maxLength: 4 }), name);
const sidecar = fc.record(
  {
    artist: names,
    tags: names,
    categories: names,
    characters: names,
    tags_character: names,
    rating: fc.constantFrom('s', 'q', 'explicit', ''),
    source: fc.oneof(fc.webUrl(), awkward, fc.record({ name: awkward, url: fc.webUrl() })),
    id: fc.oneof(fc.uuid(), fc.nat()),
    createdAt: fc.constantFrom('2024-01-01T00:00:00+02:00', '2024-01-01T00:00:00Z'),
    created_at: fc.oneof(
      awkward,
      fc.nat(),
      fc.constantFrom('2024-02-03 04:05:06', '2024-02-03T04:05:06-0700'),
    ),
  },
  { requiredKeys: [] },
);
const picture = fc.record({
  folders: fc.array(folderName, { maxLength: 3 }),
  sidecar: fc.option(
    sidecar.map((fields) => JSON.stringify(fields)),
    { nil: undefined },
  ),
});

test('an export of any accepted folder can be imported again and changes nothing', async () => {
  let accepted = 0;
  const property = fc.asyncProperty(fc.array(picture, { minLength: 1, maxLength: 8 }), async (given) => {
    const { write, roundTrip, import: importFolder } = newFolder();
    write(given);
    const { status, errors } = await importFolder();
    if (status !== 0) {
      assert.match(errors, /^created a new catalogue: .*\nzukan: nothing was imported\n/);
      return;
    }
    accepted++;
    await roundTrip();
  });
  await fc.assert(property, { numRuns: atDepth(6, 60), seed: 1, endOnFailure: true });
  assert.ok(accepted > 2, `${accepted} accepted`);
});

/** The order in which an import adds the pictures of folders, and when they are added. */
import assert from 'node:assert/strict';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readDocument } from '../../src/catalogue/documents/document.ts';
import { placeOf } from '../../src/import/plan/image.ts';
import { openSnapshot } from '../../src/server/engines.ts';
import { sandbox } from '../support/catalogues/import.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { runCommand } from '../support/zukan/program.ts';

const NOW = Date.parse('2026-06-15T12:00:00Z');
const place = (path: string, modified: string | number, takenAt = '', source = 0, group = 0) =>
  placeOf(group, { source, path, modified: Number(new Date(modified)), takenAt }, NOW);

test('pictures are ordered by when they were taken, else by the dates of their files, else by name', () => {
  const ordered = [
    place('9.png', '1980-01-01'),
    place('10.png', 0),
    place('b/scan.png', '1995-05-01'),
    place('z.png', '2026-06-01', '2001-02-03T23:00:00+05:00'),
    place('y.png', '2026-06-01', '2001-02-03T20:00:00'),
    place('x.png', '2026-06-01', '2001-02-04'),
    place('a.png', '2024-01-01T10:00:59Z'),
    place('Page 2.png', '2026-06-15T11:59:00Z'),
    place('page 10.png', '2026-06-15T11:58:00Z'),
    place('page 10/1.png', '2100-01-01'),
    place('a.png', '2026-06-15T11:58:00Z', '', 1),
    placeOf(2, undefined, NOW),
    place('a.png', '1995-05-01', '', 3, 3),
    placeOf(10, undefined, NOW),
  ];
  assert.deepEqual(ordered.toSorted(), ordered);
  assert.equal(place('a.png', '2024-01-01T10:00:01Z'), place('A.png', '2024-01-01T10:00:59Z'));
});

test('one import adds the pictures of all its folders by date, now, and a catalogue file as it is written', async () => {
  const { folder, config, environment } = sandbox();
  const write = (name: string, index: number, date: string, sidecar?: object) => {
    writeTiny(folder, name, index);
    utimesSync(join(folder, name), new Date(date), new Date(date));
    if (sidecar) writeFileSync(join(folder, `${name}.json`), JSON.stringify(sidecar));
  };
  write('one/a.png', 1, '2021-01-01', { created_at: '2023-03-03' });
  write('one/b.png', 2, '2022-02-02');
  // The first one by path counts, at the date of the earlier one.
  write('one/c.png', 3, '2024-04-04');
  write('two/c.png', 3, '2020-01-01');
  write('two/d.png', 4, '2021-01-01');
  write('two/own.png', 5, '2025-05-05', { createdAt: '2019-09-09T00:00:00Z' });
  for (const index of [8, 7]) write(`files/${index}.png`, index, `200${index}-01-01`);
  const line = (index: number) => JSON.stringify({ type: 'image', file: `${index}.png`, nsfw: 'sfw' });
  writeFileSync(join(folder, 'files/c.ndjson'), `${line(8)}\n${line(7)}\n`);
  const places = ['one', 'two', 'files/c.ndjson'].map((name) => join(folder, name));
  const run = () => runCommand(['import', '--quiet', ...places], { ...environment, THUMBNAILS: 'off' });
  const start = new Date().toISOString();
  assert.match(
    (await run()).output,
    /^7 added, .*\n(?:.*\n)*.*two\/c\.png has the same bytes as .*one\/c\.png/,
  );
  const images = async () => {
    await using snapshot = await openSnapshot(config);
    return (await Array.fromAsync(snapshot.images())).map(({ document }) => readDocument(document));
  };
  const names = (await images()).map(({ fileName }) => fileName);
  assert.deepEqual(names, ['c.png', 'd.png', 'b.png', 'a.png', 'own.png', '8.png', '7.png']);
  const added = (await images()).map(({ createdAt }) => createdAt);
  assert.deepEqual(
    added.filter((time) => time < start),
    ['2019-09-09T00:00:00.000Z'],
  );
  write('one/e.png', 6, '2001-01-01');
  assert.match((await run()).output, /^1 added, 0 updated/);
  assert.equal((await images()).at(-1)?.fileName, 'e.png', 'a later import comes after an earlier one');
});

/** What writers save is found again, whatever characters it has, and however many rows are saved at once. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Entry, ImageRow } from '../../src/catalogue/writer.ts';
import { readConfig } from '../../src/config/config.ts';
import { createCatalogue, openSnapshot, openWriter } from '../../src/server/engines.ts';
import { sandbox } from '../support/catalogues/import.ts';
import { forEachEngine } from '../support/servers/engines.ts';
import { findPostgres, installPostgres, unless } from '../support/servers/needs.ts';
import { sharedPostgres } from '../support/servers/postgres.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand } from '../support/zukan/program.ts';

/** Not a multiple of how many rows a statement takes. */
const MANY = 200;
const NAMES = [
  'half \ud83d of a pair',
  'whole 🌊',
  `"quoted" 'twice' \\ $1 ?1`,
  'tab\tand line\nfeed',
  '{1,NULL}',
];

const newRow = (): ImageRow => ({
  id: randomUUID(),
  key: 'k',
  eTag: randomUUID(),
  mimetype: 'image/png',
  document: 'd',
  perceptualHash: 'h',
  edited: '',
});

const newEntry = (name: string): Entry => ({
  kind: 'artist',
  id: randomUUID(),
  name,
  createdAt: '',
  document: '{}',
  aliases: [`alias ${name}`],
});

await forEachEngine((engine) => {
  test('names are found again, and come back well-formed', async () => {
    const { config } = sandbox(engine);
    await createCatalogue(config);
    await using writer = await openWriter(config);
    await writer.saveEntries(NAMES.map(newEntry));
    await writer.decisions.blockNames(NAMES.map((name) => ({ kind: 'artist', name, blockedAt: '' })));
    const expected = NAMES.map((name) => name.toWellFormed());
    const byName = await writer.entriesByName('artist', NAMES);
    assert.deepEqual(
      byName.map(({ name, aliases }) => [name, aliases]),
      expected.map((name) => [name, [`alias ${name}`]]),
    );
    const aliases = NAMES.map((name) => `alias ${name}`);
    assert.deepEqual(await writer.entriesByAlias('artist', aliases), byName);
    const blocked = await writer.decisions.blockedNames('artist', NAMES);
    assert.deepEqual(blocked.map(({ name }) => name).sort(), expected.toSorted());
    await writer.decisions.unblockNames('artist', NAMES);
    assert.deepEqual(await writer.decisions.blockedNames('artist', NAMES), []);
  });

  test('many images are added, changed and removed at once', async () => {
    const { config } = sandbox(engine);
    await createCatalogue(config);
    const rows = Array.from({ length: MANY }, newRow);
    const ids = rows.map(({ id }) => id);
    await using writer = await openWriter(config);
    const { catalogue, rating } = writer.fixedShelves;
    const size = { width: 4, height: 3 };
    await writer.saveImages(rows.map((row) => ({ row, shelves: [catalogue, rating.sfw], ...size })));
    const saved = await writer.imagesById(ids.toReversed());
    assert.deepEqual(
      saved.map((row) => ({ ...row })),
      rows.map((row, index) => ({ ...row, number: index + 1 })),
    );
    const changed = saved.map((row) => ({
      ...row,
      ...{
        key: `k${row.number}`,
        perceptualHash: row.number % 2 ? null : 'i',
        edited: row.number % 3 ? 'rating' : '',
      },
    }));
    await writer.saveImages(changed.map((row) => ({ row, shelves: [catalogue, rating.nsfw], ...size })));
    const removed = ids.filter((_, index) => index % 5 === 0);
    assert.equal((await writer.takeDownImages(removed)).removed.length, removed.length);
    const kept = changed.filter(({ id }) => !removed.includes(id));
    const onShelf = async (shelf: number) =>
      (await Array.fromAsync(writer.imagesOn(shelf))).flat().map((row) => ({ ...row }));
    assert.deepEqual(await onShelf(rating.nsfw), kept);
    assert.deepEqual(await onShelf(rating.sfw), []);
    await writer.commit();

    await using snapshot = await openSnapshot(config);
    assert.deepEqual(
      (await Array.fromAsync(snapshot.images())).map((row) => ({ ...row })),
      kept,
    );
    assert.deepEqual(await Array.fromAsync(snapshot.misnumbered()), []);
  });
});

test('a command that changes something needs one connection', {
  skip: unless(findPostgres(), 'PostgreSQL', installPostgres),
}, async () => {
  const server = await sharedPostgres();
  const url = server.newDatabase();
  const environment = { DATABASE_URL: url, DATA_DIR: temporaryFolder() };
  await createCatalogue(readConfig(environment));
  const database = `datname = '${new URL(url).pathname.slice(1)}'`;
  const connections = async () => {
    const isClosed = () => server.query(`select 1 from pg_stat_activity where ${database}`) === '';
    await until('all connections are closed', isClosed);
    return Number(server.query(`select sessions from pg_stat_database where ${database}`));
  };
  const before = await connections();
  assert.equal((await runCommand(['entry', 'artist', 'Ann', '--create'], environment)).status, 0);
  assert.equal((await connections()) - before, 1);
});

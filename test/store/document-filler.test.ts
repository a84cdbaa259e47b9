/**
 * The document cache is filled in the background, and an import changes only what it changed. Whatever the cache has, a read
 * returns the documents of the revision that it reads, from PostgreSQL's primary and from a replica.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import type { ImageDocument } from '../../src/catalogue/documents/image-document.ts';
import type { Config } from '../../src/config/config.ts';
import { openWriter } from '../../src/server/engines.ts';
import { DocumentFiller } from '../../src/store/document-cache/filler.ts';
import { Servers } from '../../src/store/drivers/postgres/servers.ts';
import { PostgresDriver } from '../../src/store/drivers/postgres/store.ts';
import { openDriver } from '../../src/store/drivers/sqlite/store.ts';
import { openCatalogue } from '../../src/store/read/catalogue.ts';
import type { Driver } from '../../src/store/view.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { keyed, listed, sandbox } from '../support/catalogues/import.ts';
import { atDepth } from '../support/depth.ts';
import { type Engine, forEachEngine, sqlite } from '../support/servers/engines.ts';
import { describeOnPostgres, psql, startPostgres } from '../support/servers/postgres.ts';
import { until } from '../support/until.ts';
import { caller } from '../support/zukan/caller.ts';
import { seededRandomInt } from '../support/zukan/service.ts';

const COUNT = 100;
const ALL = { offset: 0, limit: 1000 };
const SITE = 'https://example.org/';
const artist = (page: string) => ({ type: 'artist', id: uuid(2, 1), name: 'Ann', url: SITE + page });
const image = (index: number, name = 'first') =>
  keyed(index, {
    id: uuid(4, index),
    source: { name, url: '' },
    nsfw: index % 3 === 0 ? 'nsfw' : 'sfw',
    ...(index <= 10 && { artist: uuid(2, 1) }),
  });

function openServers(url: string, readUrls: string[], connections: number): Servers {
  // A busy machine may take seconds for a connection.
  const servers = new Servers({
    url,
    readUrls,
    connections,
    connectionTimeoutMs: 60_000,
    onChange: () => {},
  });
  after(() => servers.close());
  return servers;
}

function openSqlite(path: string): Driver {
  const driver = openDriver(path);
  after(() => driver[Symbol.dispose]());
  return driver;
}

const driverOf = ({ database }: Config, connections = 3): Driver =>
  database.engine === 'sqlite'
    ? openSqlite(database.path)
    : new PostgresDriver(openServers(database.url, [], connections));

/** A catalogue of a hundred images with a cache; the first ten are by an artist. */
async function start(engine: Pick<Engine, 'environment'>, bytes = 4 * 1024 * 1024) {
  const box = sandbox(engine);
  await box.import([artist('1'), ...Array.from({ length: COUNT }, (_, index) => image(index + 1))]);
  const memory = new SharedArrayBuffer(bytes);
  const catalogue = openCatalogue(driverOf(box.config), memory);
  const filler = new DocumentFiller(driverOf(box.config, 1), memory);
  const metric = (name: string) =>
    catalogue.metrics().find((metric) => metric.name === `zukan_document_cache_${name}`)?.samples[0]?.value ??
    Number.NaN;
  return {
    box,
    memory,
    catalogue,
    filler,
    cached: () => metric('images'),
    /** Reads images, and returns how many came from the cache and a part of each. */
    async read(window = ALL) {
      const before = metric('hits_total');
      const images = await listed(catalogue, {}, window);
      return { hits: metric('hits_total') - before, names: images.map(nameOf) };
    },
    async fill() {
      while (!(await filler.runSlice()));
    },
    async remove(...ids: string[]) {
      await using writer = await openWriter(box.config);
      await writer.takeDownImages(ids);
      await writer.commit();
    },
  };
}

await forEachEngine((engine) => {
  test('fills the cache in several slices, and images are read from it', async () => {
    const { filler, fill, cached, read } = await start(engine);
    assert.equal((await read()).hits, 0);
    assert.equal(await filler.runSlice(), false);
    assert.equal(await filler.runSlice(), false);
    assert.ok(cached() < COUNT);
    await fill();
    assert.equal(cached(), COUNT);
    assert.equal((await read()).hits, COUNT);
  });

  test('sleeps when the cache is full, also after it was woken', async () => {
    const { filler, cached } = await start(engine);
    const runSlice = filler.runSlice.bind(filler);
    const results: boolean[] = [];
    filler.runSlice = async () => {
      // Ends a loop that never sleeps, which would keep the test from noticing.
      if (results.length > 1000) filler[Symbol.dispose]();
      results.push(await runSlice());
      return results.at(-1) as boolean;
    };
    const running = filler.run(2 ** 31 - 1);
    await until('the cache is full', () => cached() === COUNT && results.at(-1) === true);
    const slices = results.length;
    filler.wake();
    await until('it looks for changes', () => results.length > slices);
    for (let turn = 0; turn < 20; turn++) await wait(1);
    assert.equal(results.length, slices + 1);
    filler[Symbol.dispose]();
    await running;
  });

  test('an import removes from the cache what it changed, and nothing else', async () => {
    const { box, filler, fill, read, remove } = await start(engine);
    await fill();
    const importAndFollow = async (record: object) => {
      await box.import([record]);
      // Notices the commit.
      const { names } = await read();
      assert.equal(await filler.runSlice(), false);
      const { hits } = await read();
      await fill();
      assert.deepEqual(await read(), { hits: names.length, names });
      return hits;
    };
    assert.equal(await importAndFollow(image(COUNT + 1)), COUNT);
    assert.equal(await importAndFollow(image(5, 'changed')), COUNT);
    assert.equal(await importAndFollow(artist('2')), COUNT + 1 - 10);
    assert.equal((await read()).names[4], 'changed 2');
    // An image that takes the number of a removed one is not mistaken for it.
    await remove(uuid(4, COUNT + 1));
    assert.equal(await importAndFollow(image(COUNT + 7, 'another')), COUNT);
    assert.equal((await read()).names.at(-1), 'another');
  });

  test('caches the newest images if not all fit, and reclaims what changes left behind', async () => {
    const { box, fill, read, cached } = await start(engine, 60_000);
    for (const name of atDepth(['a', 'b'], ['a', 'b', 'c', 'd'])) {
      await box.import(Array.from({ length: COUNT }, (_, index) => image(index + 1, name)));
      await fill();
      assert.ok(cached() > 10 && cached() < COUNT, `${cached()} are cached`);
      assert.ok((await read()).names.every((one) => one.startsWith(name)));
    }
    assert.equal((await read({ offset: COUNT - 1, limit: 1 })).hits, 1);
    assert.equal((await read({ offset: 0, limit: 1 })).hits, 0);
  });

  if (engine !== sqlite) return;
  test('in an embedded database, new images leave the cached ones as they are', async () => {
    const { box, fill, read } = await start(engine);
    await fill();
    await box.import([image(COUNT + 1)]);
    assert.equal((await read()).hits, COUNT);
  });
});

describeOnPostgres('the document cache on PostgreSQL', async () => {
  const primary = await startPostgres();
  after(() => primary.discard());
  const startOnPrimary = async (bytes?: number) => {
    const url = primary.newDatabase();
    return { url, ...(await start({ environment: () => ({ DATABASE_URL: url }) }, bytes)) };
  };

  // The number is ahead of the clock after many commits at once, and if the clock was wrong. Then both histories have it.
  for (const ahead of atDepth([1e12], [0, 1e12]))
    test(`images of a history that was lost are not served, with a revision ${ahead} ahead`, async () => {
      const { url, box, fill, read, remove } = await startOnPrimary();
      psql(url, `update zukan.revision set number = number + ${ahead}`);
      // A replica that has not received the last commits, or a backup.
      const database = url.split('/').at(-1) as string;
      primary.query(`create database older template ${database}`);
      await box.import([image(COUNT + 1, 'lost')]);
      await fill();
      assert.equal((await read()).names.at(-1), 'lost');
      primary.query(`
        select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}';
        drop database ${database};
        alter database older rename to ${database};`);
      await box.import([image(COUNT + 2, 'won')]);
      await until('the connections are replaced', () =>
        read().then(
          () => true,
          () => false,
        ),
      );
      assert.equal((await read()).names.at(-1), 'won');
      await fill();
      assert.equal((await read()).names.at(-1), 'won');
      await remove(uuid(4, COUNT + 2));
      await box.import([image(COUNT + 3, 'next')]);
      await fill();
      const { hits, names } = await read();
      assert.deepEqual([hits, names.at(-1)], [COUNT + 1, 'next']);
    });

  test('any sequence of changes gives the same responses with and without a cache', async () => {
    const replica = await primary.replica();
    after(() => replica.discard());
    const { url, box, filler, fill, remove, memory } = await startOnPrimary(150_000);
    const REVISION = 'select number from zukan.revision';
    const database = url.split('/').at(-1) as string;
    const replicaUrl = replica.url(database);
    const onReplica = (sql: string) => psql(replicaUrl, sql).trim();
    /** Between two calls the replica stays at one revision. */
    const pause = async () => {
      onReplica('select pg_wal_replay_pause()');
      await until(
        'the replica pauses',
        () => onReplica('select pg_get_wal_replay_pause_state()') === 'paused',
      );
    };
    const catchUp = async () => {
      onReplica('select pg_wal_replay_resume()');
      await until('the replica has caught up', () => onReplica(REVISION) === psql(url, REVISION).trim());
      await pause();
    };
    const databases = () => psql(replica.url(), 'select datname from pg_database').split('\n');
    await until('the replica has the database', () => databases().includes(database));
    await catchUp();
    const open = (readUrls: string[], memory?: SharedArrayBuffer) => {
      const servers = openServers(url, readUrls, 3);
      return { servers, catalogue: openCatalogue(new PostgresDriver(servers), memory) };
    };
    const cached = [open([], memory), open([replicaUrl], memory)];
    const without = open([]);
    let last = COUNT;
    /** All images of each revision. */
    const expected = new Map<number, string[]>();
    const record = async () => {
      const all = await readAll(without.catalogue);
      expected.set(without.servers.revision, all);
    };
    await record();
    const changes = {
      add: () => box.import([image(++last), image(++last)]),
      change: (value) => box.import([image(1 + (value % last), `${value}`), image(3, `${value}`)]),
      rename: (value) => box.import([artist(`${value}`)]),
      remove: () => remove(uuid(4, last--)),
      'fill some': () => filler.runSlice(),
      fill,
      'catch up': catchUp,
    } satisfies Record<string, (value: number) => Promise<unknown>>;
    const names = Object.keys(changes) as (keyof typeof changes)[];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...names), fc.nat(1000)), { minLength: 5, maxLength: 12 }),
        async (sequence) => {
          for (const [name, value] of sequence) {
            await changes[name](value);
            await record();
            for (const { servers, catalogue } of cached) {
              const all = await readAll(catalogue);
              assert.deepEqual(all, expected.get(servers.revision));
              assert.deepEqual(new Set(await readSome(catalogue)).difference(new Set(all)), new Set());
            }
          }
        },
      ),
      { numRuns: atDepth(1, 25) },
    );
  });
});

/** The name of its source, and the URL of its artist. */
function nameOf(image: ImageDocument): string {
  const json = JSON.parse(image.withLink(() => ({ url: '', expires: '' }), ['artist']));
  return `${json.source.name} ${json.artistDetails.url.slice(SITE.length)}`.trim();
}

/** The ids and a part of all images. */
async function readAll(catalogue: Catalogue): Promise<string[]> {
  return (await listed(catalogue, {}, ALL)).map(describeImage);
}

/** Images found by every kind of statement. */
async function readSome(catalogue: Catalogue): Promise<string[]> {
  const randomInt = seededRandomInt(1);
  const latest = await catalogue.latestImages({ nsfw: ['sfw'] }, undefined, 5, caller);
  assert.ok('images' in latest);
  const read = await Promise.all([
    listed(catalogue, { artist: [uuid(2, 1)] }, ALL),
    listed(catalogue, { nsfw: ['sfw'] }, { offset: 10, limit: 1000 }),
    catalogue.randomImages({}, 20, randomInt, caller),
    catalogue.randomImages({ nsfw: ['nsfw'] }, 20, randomInt, caller),
    catalogue.randomImages({ nsfw: ['sfw'], orientation: ['landscape'] }, 20, randomInt, caller),
  ]);
  return [latest.images, ...read].flatMap((images) => {
    assert.ok(!('problem' in images) && images.length > 0);
    return images.map(describeImage);
  });
}

function describeImage(image: ImageDocument): string {
  return image.withLink(({ fileName, key }) => ({ url: `${fileName} ${key}`, expires: '' }));
}

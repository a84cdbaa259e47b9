/** A catalogue of an earlier version that was migrated gives the same responses as a new one. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { checkCatalogue } from '../../src/catalogue/documents/check.ts';
import { UNKNOWN_ARTIST } from '../../src/catalogue/unknown-artist.ts';
import type { Config } from '../../src/config/config.ts';
import { migrateCatalogue, openSnapshot, openStore } from '../../src/server/engines.ts';
import type { ListFilter } from '../../src/store/contract/catalogue.ts';
import { migrations } from '../../src/store/drivers/postgres/schema.ts';
import { catalogueSchema } from '../../src/store/drivers/sqlite/schema.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import {
  type FilterQuery,
  matchingIds,
  randomPictures,
  toQuery,
  toRecords,
} from '../support/catalogues/filters.ts';
import { listed, sandbox } from '../support/catalogues/import.ts';
import { WITHOUT_LATER_TABLES } from '../support/catalogues/older.ts';
import { idsOf } from '../support/checks/distribution.ts';
import { shelfProblems } from '../support/checks/dump.ts';
import { forEachEngine, tamper } from '../support/servers/engines.ts';
import { psql } from '../support/servers/postgres.ts';
import { clock, madeUpImage, startMadeUpService } from '../support/zukan/api.ts';
import { makeToken, type Service, seededRandomInt, startService } from '../support/zukan/service.ts';

interface OldImage {
  id: string;
  artist: string | null;
  source: { name: string; url: string } | null;
}

const artists = [
  { id: uuid(2, 1), name: 'Zoë "Z"', url: 'https://example.org/zoe' },
  { id: uuid(2, 2), name: 'Abe', url: '' },
  { id: uuid(2, 3), name: 'Idle', url: '' },
];
/** A text that looks like a field must stay as it is. */
const source = { name: '"source":null,"nsfw":', url: 'https://example.org/1' };
const images: OldImage[] = [
  { id: uuid(4, 1), artist: uuid(2, 1), source },
  { id: uuid(4, 2), artist: null, source },
  { id: uuid(4, 3), artist: uuid(2, 2), source: null },
  { id: uuid(4, 4), artist: null, source: null },
  { id: uuid(4, 5), artist: uuid(2, 1), source: null },
];

const createdAt = '2026-01-01T00:00:00.000Z';

/** The document of an image as versions before 0.3.0 wrote it. */
function oldDocument({ id, artist, source }: OldImage): string {
  const { key, meta } = madeUpImage(id);
  const dimens = '{"width":40,"height":30,"aspectRatio":"4:3","orientation":"landscape"}';
  const facts = `"eTag":"${meta.eTag}","size":1000,"mimetype":"image/png","color":"#102030"`;
  return (
    `{"id":"${id}","url":"\n${id}.png\n${key}\n","artist":${JSON.stringify(artist)},` +
    `"source":${JSON.stringify(source)},"nsfw":"sfw","categories":[],"characters":[],` +
    `"createdAt":"${createdAt}","meta":{${facts},"expires":"\n","dimens":${dimens}}}`
  );
}

const quote = (value: string | number) => (typeof value === 'number' ? value : `'${value}'`);
const insert = (table: string, columns: string, rows: (string | number)[][]) =>
  rows.length === 0
    ? ''
    : `insert into ${table} (${columns}) values ${rows.map((row) => `(${row.map(quote)})`)};`;

/** The rows of the images above. Every catalogue has the shelves 1 (all), 2 (sfw) and 5 (landscape). */
function oldRows(images: OldImage[]): string {
  const sorted = artists.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const shelves = [
    ...[1, 2, 5].map((number) => ({ number, members: images })),
    ...artists.map(({ id }, index) => ({
      number: 8 + index,
      members: images.filter(({ artist }) => artist === id),
    })),
  ];
  return [
    insert(
      'shelf',
      'kind, id, name, created_at, document, position',
      artists.map((artist) => [
        ...['artist', artist.id, artist.name, createdAt, JSON.stringify(artist)],
        sorted.indexOf(artist),
      ]),
    ),
    insert(
      'image',
      'number, id, etag, key, mimetype, document',
      images.map((image, index) => {
        const { key, meta } = madeUpImage(image.id);
        return [index + 1, image.id, meta.eTag, key, 'image/png', oldDocument(image)];
      }),
    ),
    ...shelves.map(
      ({ number, members }) =>
        `${insert(
          'placement',
          'shelf, position, image',
          members.map((image, position) => [number, position, images.indexOf(image) + 1]),
        )}update shelf set size = ${members.length} where number = ${number};`,
    ),
  ].join('\n');
}

function createOldCatalogue(config: Config, images: OldImage[]): void {
  const { database, dataDir } = config;
  if (database.engine === 'postgres') {
    psql(
      database.url,
      `create schema zukan; set search_path to zukan; create table migration (step int primary key);
       ${migrations[0]} insert into migration values (0)`,
    );
  } else {
    mkdirSync(dataDir, { recursive: true });
    using connection = new DatabaseSync(database.path);
    for (const step of catalogueSchema.steps.slice(0, 2)) connection.exec(step as string);
    connection.exec(`pragma application_id = ${catalogueSchema.application}; pragma user_version = 2`);
  }
  tamper(config, oldRows(images));
}

async function migrate(config: Config): Promise<void> {
  await migrateCatalogue(config, () => {});
  await using snapshot = await openSnapshot(config);
  assert.deepEqual(await Array.fromAsync(checkCatalogue(snapshot)), []);
  assert.deepEqual(shelfProblems(config), []);
}

const paths = [
  '/stats',
  '/artist',
  `/artist/${UNKNOWN_ARTIST.id}`,
  `/artist/${UNKNOWN_ARTIST.id}/images`,
  `/artist/${uuid(2, 1)}/images?include=artist`,
  '/image?include=artist',
  '/image/random?seed=s&limit=25',
  `/image/random?seed=s&limit=25&artist=${UNKNOWN_ARTIST.id}`,
];

async function responses(service: Service): Promise<unknown[]> {
  const { headers } = await makeToken(service.config, ['image:list']);
  const answers = await Promise.all(paths.map((path) => service.get(`/api${path}`, headers)));
  const withoutLink = (key: string, value: unknown) => (key === 'url' ? String(value).split('?')[0] : value);
  return answers.map(({ status, text }) => [
    status,
    JSON.parse(text.replaceAll(service.origin, ''), withoutLink).data,
  ]);
}

await forEachEngine((engine) => {
  test('images without artist and source get them', async () => {
    const { config } = sandbox({ environment: engine.withoutCatalogue });
    createOldCatalogue(config, images);
    await migrate(config);
    const records = [
      ...artists.map((artist) => ({ type: 'artist', ...artist, createdAt })),
      ...images.map(({ id, ...rest }) => madeUpImage(id, { ...rest, createdAt })),
    ];
    const migrated = await startService(config, { clock });
    const imported = await startMadeUpService(records, { engine });
    assert.deepEqual(await responses(migrated), await responses(imported));
    const { json } = await migrated.get(`/api/artist/${UNKNOWN_ARTIST.id}`);
    assert.deepEqual(json.data, { ...UNKNOWN_ARTIST, images: 2 });
  });

  test('a catalogue that needs no artist "Unknown" gets none', async () => {
    const { config } = sandbox({ environment: engine.withoutCatalogue });
    createOldCatalogue(
      config,
      images.filter(({ artist }) => artist !== null),
    );
    await migrate(config);
    const service = await startService(config);
    assert.equal((await service.get('/api/stats')).json.data.artists.count, artists.length);
    assert.equal((await service.get(`/api/artist/${UNKNOWN_ARTIST.id}`)).status, 404);
  });

  test('images can be filtered by size and animation', async () => {
    const box = sandbox(engine);
    const pictures = randomPictures(0, 40, seededRandomInt(7));
    // A text like the recorded previews, and a key like the dimensions.
    const confusing = madeUpImage(uuid(4, 1), {
      title: 'Part 1',
      description: '480 ABCD 1',
      key: 'ab/","dimens":{"width":7,"height":7.png',
    });
    await box.import([...toRecords(pictures), confusing]);
    const isFilterStep = (step: unknown) => typeof step === 'string' && step.includes('column width');
    const animated = `(select number from shelf where kind = 'animation')`;
    const isSqlite = box.config.database.engine === 'sqlite';
    tamper(
      box.config,
      `update image_shelves set shelves = ${isSqlite ? `replace(shelves, ',' || ${animated} || ',', ',')` : `array_remove(shelves, ${animated})`};
       delete from placement where shelf = ${animated};
       delete from shelf where kind = 'animation';
       ${WITHOUT_LATER_TABLES}
       alter table image_shelves drop column width;
       alter table image_shelves drop column height;
       ${
         isSqlite
           ? `pragma user_version = ${catalogueSchema.steps.findIndex(isFilterStep)}`
           : `delete from migration where step >= ${migrations.findIndex(isFilterStep)}`
       }`,
    );
    await migrate(box.config);
    await using store = await openStore(box.config);
    const filters: FilterQuery[] = [
      { animated: true },
      { minWidth: 817, animated: false },
      { aspectRatio: '16:9' },
    ];
    for (const filter of filters) {
      const images = await listed(store.catalogue, filter as ListFilter, { offset: 0, limit: 100 });
      const others = idsOf(images).filter((id) => id !== uuid(4, 1));
      assert.deepEqual(others, matchingIds(pictures, filter), toQuery(filter));
    }
  });

  test('images that already have this artist stay in order', async () => {
    const { config } = sandbox({ environment: engine.withoutCatalogue });
    createOldCatalogue(config, images);
    // As after the import of an export of this version.
    const known = { ...UNKNOWN_ARTIST, url: 'https://example.org/unknown' };
    tamper(
      config,
      `update shelf set id = '${known.id}', name = 'Unknown', document = '${JSON.stringify(known)}' where number = 9;
       update image set document = replace(document, '${uuid(2, 2)}', '${known.id}')`,
    );
    await migrate(config);
    const service = await startService(config);
    const { json } = await service.get(`/api/artist/${known.id}/images`);
    assert.deepEqual(
      json.data.map(({ id }: { id: string }) => id),
      [2, 3, 4].map((index) => uuid(4, index)),
    );
  });
});

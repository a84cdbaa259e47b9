/** Albums, and entries that were renamed or merged. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { albums, artists, categories, characters, images, uuid } from '../support/catalogues/catalogue.ts';
import { environmentOf, forEachEngine, forEachEngineInDepth } from '../support/servers/engines.ts';
import { assertError } from '../support/zukan/api.ts';
import { runCommand } from '../support/zukan/program.ts';
import { importKnownCatalogue, startService } from '../support/zukan/service.ts';

interface Identified {
  id: string;
}

const [favourites] = albums as [(typeof albums)[0]];
const { images: order, ...record } = favourites;

await forEachEngineInDepth(async (engine) => {
  const config = await importKnownCatalogue({ engine });
  const service = await startService(config);
  const run = (parameters: string[], input?: string) =>
    runCommand(parameters, environmentOf(config), ...(input === undefined ? [] : [input]));
  const idsOf = async (path: string): Promise<string[]> => {
    const { json } = await service.get(path);
    return json.data.map(({ id }: Identified) => id);
  };
  /** Undoes the last change that is no undoing. */
  const undoLast = async () => {
    const changes: { number: number; summary: string; state?: string }[] = JSON.parse(
      (await run(['history', '--json'])).output,
    );
    const last = changes.find(({ summary, state }) => !summary.startsWith('undo') && !state);
    await run(['undo', String(last?.number)]);
  };
  const path = `/api/album/${record.id}`;

  test('an album has its fields, the number of its images, and these in its order', async () => {
    assert.deepEqual((await service.get('/api/album')).json.data, [record]);
    assert.deepEqual((await service.get('/api/album?search=fav%25&include=count')).json.data, [
      { ...record, images: order.length },
    ]);
    assert.deepEqual((await service.get(path)).json.data, { ...record, images: order.length });
    const page = await service.get(`${path}/images`);
    assert.deepEqual(
      page.json.data.map(({ id }: Identified) => id),
      order,
    );
    assert.equal(page.headers['x-total-count'], String(order.length));
    const [, first] = await idsOf(`${path}/images?limit=2`);
    assert.equal(first, order[1]);
    assert.deepEqual(await idsOf(`${path}/images?offset=2&limit=2`), order.slice(2));
    assert.deepEqual(await idsOf(`${path}/images?offset=3`), []);
    const safe = order.filter((id) => images.find((image) => image.id === id)?.nsfw === 'sfw');
    assert.deepEqual(await idsOf(`${path}/images?nsfw=sfw`), safe);
  });

  test('album is a filter like artist and character', async () => {
    const newestFirst = order.toSorted().reverse();
    assert.deepEqual(await idsOf(`/api/image/latest?album=${record.id}`), newestFirst);
    assert.deepEqual((await idsOf(`/api/image/random?limit=25&album=${record.id}`)).sort(), order.toSorted());
    assertError(await service.get(`/api/image/random?album=${uuid(5, 9)}`), 404);
    assertError(await service.get('/api/image/random?album=favourites'), 400);
    assertError(await service.get(`/api/album/${uuid(5, 9)}/images`), 404);
    assertError(await service.get(`/api/album/${uuid(5, 9)}`), 404);
  });

  test('the shell changes an album in one change, which can be undone', async () => {
    const one = uuid(4, 1);
    await run(['edit', one, '--add-album', 'Favourites']);
    assert.deepEqual(await idsOf(`${path}/images`), [...order, one]);
    await run(['entry', 'album', 'Favourites', '--images', '-'], `${one}\n${order[0]}\n`);
    assert.deepEqual(await idsOf(`${path}/images`), [one, order[0]]);
    assert.deepEqual((await run(['find', '--album', 'Favourites'])).output.split('\n').filter(Boolean), [
      order[0],
      one,
    ]);
    await undoLast();
    assert.deepEqual(await idsOf(`${path}/images`), [...order, one]);
    await undoLast();
    assert.deepEqual(await idsOf(`${path}/images`), order);
    await run(['edit', order[1] as string, '--remove-album', 'Favourites', '--rating', 'nsfw']);
    assert.deepEqual(await idsOf(`${path}/images`), [order[0], order[2]]);
    await undoLast();
    assert.deepEqual(await idsOf(`${path}/images`), order);
    const refused = await run(['entry', 'album', 'Favourites', '--images', uuid(4, 99)]);
    assert.match(refused.errors, /there is no image/);
    const wrongKind = await run(['entry', 'artist', 'Mariko', '--images', one]);
    assert.match(wrongKind.errors, /the kind artist has no field "images"/);
  });

  test('a merged album redirects, and its images go behind those of the other', async () => {
    await run(['edit', uuid(4, 1), order[0] as string, '--add-album', 'Others', '--create']);
    const [others] = JSON.parse((await run(['entries', 'album', '--json'])).output).filter(
      ({ name }: { name: string }) => name === 'Others',
    );
    await run(['entry', 'album', 'Others', '--merge-into', 'Favourites']);
    const { status, headers } = await service.get(`/api/album/${others.id}/images?limit=5`);
    assert.deepEqual([status, headers.location], [301, `${service.origin}${path}/images?limit=5`]);
    assert.deepEqual(await idsOf(`${path}/images`), [...order, uuid(4, 1)]);
    await undoLast();
    assert.deepEqual(await idsOf(`/api/album/${others.id}/images`), [uuid(4, 1), order[0]]);
    await run(['entry', 'album', 'Others', '--remove']);
    assert.deepEqual(await idsOf(`${path}/images`), order);
    assert.match((await run(['check', '--quiet'])).output, /no problems found/);
  });
});

// A renamed or merged artist, character or category keeps answering under its former names and ids.

interface Named {
  id: string;
  name: string;
}

const [kimono, sky] = [categories[1], categories[2]] as [Named, Named];

await forEachEngine(async (engine) => {
  const config = await importKnownCatalogue({ engine });
  const service = await startService(config);
  const environment = {
    DATA_DIR: config.dataDir,
    ...('url' in config.database && { DATABASE_URL: config.database.url }),
  };
  const run = (...parameters: string[]) => runCommand(parameters, environment);
  /** Undoes the last changes, the newest one first. */
  const undo = async (changes: number) => {
    const last = JSON.parse((await run('history', '--json')).output)[0].number;
    for (let number = last; number > last - changes; number--) await run('undo', String(number));
  };
  const latest = async (query: string) =>
    (await service.get(`/api/image/latest?limit=25&${query}`)).json.data.map(({ id }: Named) => id);
  const namesOf = async (path: string) =>
    (await service.get(path)).json.data.map(({ name }: { name: string }) => name);

  test('a former name of a category works in filters and in a search without operators', async () => {
    const name = encodeURIComponent(kimono.name.toUpperCase());
    const [inside, outside] = [await latest(`categories=${name}`), await latest(`exclude=${name}`)];
    await run('entry', 'category', kimono.name, '--name', 'Robe');
    assert.deepEqual(await latest(`categories=${name}`), inside);
    assert.deepEqual(await latest(`categories=${name},robe`), inside);
    assert.deepEqual(await latest(`exclude=${name}`), outside);
    assert.deepEqual(await namesOf(`/api/category?search=${name}`), ['Robe']);
    assert.deepEqual(await namesOf(`/api/category?search=${name}%25`), []);
    await undo(1);
    assert.deepEqual(await latest(`categories=${name}`), inside);
    assertError(await service.get('/api/image/random?categories=robe'), 400);
  });

  test('the id of a merged entry redirects to the entry it went into, with the same query', async () => {
    const [first, second, third] = artists.map(({ id }) => id) as [string, string, string];
    await run('entry', 'artist', first, '--merge-into', second);
    await run('entry', 'artist', second, '--merge-into', third);
    await run('entry', 'character', characters[0]?.id ?? '', '--merge-into', characters[1]?.id ?? '');
    await run('entry', 'category', kimono.id, '--merge-into', sky.id);
    const moved: [string, string][] = [
      [`/api/artist/${first}`, `/api/artist/${third}`],
      [
        `/v1/artist/${first.toUpperCase()}/?include=cover&x=%2F%0A`,
        `/v1/artist/${third}?include=cover&x=%2F%0A`,
      ],
      [`/api/artist/${second}/images?limit=3&nsfw=sfw`, `/api/artist/${third}/images?limit=3&nsfw=sfw`],
      [`/api/character/${characters[0]?.id}`, `/api/character/${characters[1]?.id}`],
      [`/api/category/${kimono.id}`, `/api/category/${sky.id}`],
    ];
    for (const [from, to] of moved) {
      const { status, headers } = await service.get(from);
      assert.equal(status, 301, from);
      assert.equal(headers.location, service.origin + to);
      assert.equal(headers['cache-control'], 'no-store');
      assert.equal((await service.get(to)).status, 200);
    }
    // Parameters are checked before.
    assertError(await service.get(`/api/artist/${first}/images?limit=0`), 400);
    assertError(await service.get(`/api/artist/${first}/images?expiry=60`), 401);
    assert.deepEqual(await latest(`artist=${first}`), await latest(`artist=${third}`));
    // An entry that is named twice counts once.
    const { json } = await service.get(`/api/image/random?limit=25&artist=${first},${third}`);
    assert.deepEqual(json.data.map(({ id }: Named) => id).sort(), (await latest(`artist=${third}`)).sort());
    assert.deepEqual(await latest(`excludeArtist=${first}`), await latest(`excludeArtist=${third}`));
    assert.deepEqual(
      await latest(`character=${characters[0]?.id}`),
      await latest(`character=${characters[1]?.id}`),
    );
    const { output } = await run('entry', 'artist', first, '--json');
    assert.deepEqual(
      JSON.parse(output).aliases,
      artists
        .slice(0, 2)
        .map(({ name }) => name)
        .sort(),
    );
    assert.doesNotMatch((await run('history')).output, /[0-9a-f]{8}-[0-9a-f]{4}.* alias/);
    await undo(4);
    for (const [from] of moved) assert.equal((await service.get(from)).status, 200, from);
  });
});

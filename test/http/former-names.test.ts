/** A renamed or merged artist, character or category keeps answering under its former names and ids. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { artists, categories, characters } from '../support/catalogues/catalogue.ts';
import { forEachEngine } from '../support/servers/engines.ts';
import { assertError } from '../support/zukan/api.ts';
import { runCommand } from '../support/zukan/program.ts';
import { importKnownCatalogue, startService } from '../support/zukan/service.ts';

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

/** Albums over HTTP and in the shell: lists, their order, filters, and the commands that change them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { albums, images, uuid } from '../support/catalogues/catalogue.ts';
import { environmentOf, forEachEngineInDepth } from '../support/servers/engines.ts';
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

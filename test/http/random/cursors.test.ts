/** Cursors over HTTP: when they are sent, that they continue, and that all others are rejected. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { uuid } from '../../support/catalogues/catalogue.ts';
import { forEachEngineInDepth } from '../../support/servers/engines.ts';
import { assertError, clock, NOW, related } from '../../support/zukan/api.ts';
import { makeToken, type Service, startKnownService, startService } from '../../support/zukan/service.ts';

await forEachEngineInDepth(async (engine) => {
  const service = await startKnownService({ engine, clock });
  const at = (query: string) => `/api/image/random?${query}`;
  const idsOf = (json: { data: { id: string }[] }) => json.data.map(({ id }) => id);

  /** The cursor after a first page of two images. */
  async function getCursor(query: string, from: Service = service): Promise<string> {
    const answer = await from.get(at(`${query}&limit=2`));
    assert.equal(answer.status, 200, answer.text);
    return encodeURIComponent(answer.headers['x-next-cursor'] ?? assert.fail(`${query} has no cursor`));
  }

  async function assertRejected(query: string, by: Service = service): Promise<void> {
    assertError(await by.get(at(query)), 400, /Invalid cursor\b/);
  }

  async function readIds(query: string, by: Service = service): Promise<string[]> {
    const answer = await by.get(at(query));
    assert.equal(answer.status, 200, `${query}: ${answer.text}`);
    return idsOf(answer.json);
  }

  describe('a cursor is sent', () => {
    test('with a seed if there is a next page, and exposed to browsers', async () => {
      const answer = await service.get(at('seed=1&limit=5'));
      assert.ok(answer.headers['x-next-cursor']);
      assert.ok(related(answer, 'next', service.origin));
      const exposed = (answer.headers['access-control-expose-headers'] ?? '').toLowerCase().split(/\s*,\s*/);
      assert.ok(exposed.includes('x-next-cursor') && exposed.includes('link'), exposed.join());
    });

    test('in a Link that keeps all parameters', async () => {
      const { headers } = await makeToken(service.config, ['image:custom-expiry:100']);
      const query = 'seed=%26a%3D%20%2B%25%F0%9F%98%80&limit=1&nsfw=sfw,nsfw&exclude=night%20sky&expiry=77';
      const all = idsOf((await service.get(at(`${query}&limit=25`.replace('limit=1&', '')), headers)).json);
      assert.equal(all.length, 3);
      const shown: string[] = [];
      let address: string | undefined = `${service.origin}/v1/image/random?${query}`;
      while (address) {
        assert.ok(address.startsWith(`${service.origin}/v1/image/random?`), address);
        const answer = await service.get(address, headers);
        assert.equal(answer.json.data.length, 1, address);
        assert.equal(answer.json.data[0].meta.expires, new Date(NOW + 77_000).toISOString());
        shown.push(...idsOf(answer.json));
        address = related(answer, 'next', address);
        assert.ok(shown.length <= 3);
      }
      assert.deepEqual(shown, all);
    });

    for (const query of [
      ...['limit=1', '', 'nsfw=sfw&limit=1', 'seed=1', 'seed=1&limit=6', 'seed=1&nsfw=sfw&limit=4'],
      ...['seed=1&limit=1&categories=empty', `seed=1&limit=1&character=${uuid(3, 1)}&artist=${uuid(2, 2)}`],
    ])
      test(`not with "${query}"`, async () => {
        const answer = await service.get(at(query));
        assert.equal(answer.status, 200, answer.text);
        assert.equal(answer.headers['x-next-cursor'], undefined);
        assert.equal(answer.headers.link, undefined);
      });

    test('in response to HEAD, too', async () => {
      const head = await service.get(at('seed=1&limit=2'), {}, 'HEAD');
      assert.equal(head.status, 200);
      assert.equal(head.bytes.length, 0);
      assert.ok(related(head, 'next', service.origin));
      const cursor = encodeURIComponent(head.headers['x-next-cursor'] ?? assert.fail('no cursor'));
      const all = await readIds('seed=1');
      assert.deepEqual(await readIds(`seed=1&cursor=${cursor}`), all.slice(2));
      const last = await service.get(at(`seed=1&cursor=${cursor}`), {}, 'HEAD');
      assert.equal(last.headers['x-next-cursor'], undefined);
    });
  });

  describe('a cursor continues', () => {
    test('with any limit, expiry and prefix, any number of times', async () => {
      const { headers } = await makeToken(service.config, ['image:custom-expiry:100']);
      const all = await readIds('seed=s');
      const cursor = await getCursor('seed=s');
      for (const limit of [1, 2, 3, 4, 25, 1])
        assert.deepEqual(await readIds(`seed=s&cursor=${cursor}&limit=${limit}`), all.slice(2, 2 + limit));
      const long = await service.get(`/v1/image/random?cursor=${cursor}&expiry=99&seed=s`, headers);
      assert.deepEqual(idsOf(long.json), all.slice(2));
    });

    test('on another instance with the same catalogue and keys', async () => {
      const all = await readIds('seed=s');
      const twin = await startService(service.config, { clock });
      assert.deepEqual(await readIds(`seed=s&cursor=${await getCursor('seed=s')}`, twin), all.slice(2));
    });
  });

  describe('a cursor is rejected', () => {
    test('if it is empty, repeated, invented, or sent without a seed', async () => {
      const cursor = await getCursor('seed=s');
      await readIds(`seed=s&cursor=${cursor}`);
      const invented = ['x', '0', '1', '2', 'AAAA', 'null', '{}', '%00', '-', '_', '.', '..', '%F0%9F%98%80'];
      const longer = ['x'.repeat(43), 'A'.repeat(64), 'x'.repeat(5000), btoa('{"after":2,"seed":"s"}')];
      for (const text of ['', ...invented, ...longer, uuid(4, 1), `${cursor}&cursor=${cursor}`])
        await assertRejected(`seed=s&cursor=${text}`);
      await assertRejected('seed=s&cursor');
      await assertRejected(`cursor=${cursor}`);
      await assertRejected('cursor=x');
    });

    // test/access/links.test.ts compares all kinds of filters, and cursors with a changed character.
    test('if the filters differ', async () => {
      const table: [of: string, others: string[]][] = [
        ['', ['nsfw=sfw', 'exclude=empty', 'orientation=landscape']],
        ['nsfw=sfw', [`nsfw=sfw&artist=${uuid(2, 1)}`, `nsfw=sfw&character=${uuid(3, 1)}`, 'nsfw=nsfw']],
        ['match=any&categories=catgirl,kimono', ['categories=catgirl,kimono', 'exclude=catgirl,kimono']],
        [`artist=${uuid(2, 1)}`, [`artist=${uuid(2, 2)}`, `artist=${uuid(2, 1)}&categories=empty`]],
      ];
      for (const [of, others] of table) {
        const cursor = await getCursor(`seed=s&${of}`);
        for (const other of others) await assertRejected(`seed=s&${other}&cursor=${cursor}`);
      }
    });

    test('if the keys of the service differ', async () => {
      const other = await startKnownService({ engine, clock });
      assert.deepEqual(await readIds('seed=s', other), await readIds('seed=s'));
      await assertRejected(`seed=s&cursor=${await getCursor('seed=s', other)}`);
      await assertRejected(`seed=s&cursor=${await getCursor('seed=s')}`, other);
    });
  });
});

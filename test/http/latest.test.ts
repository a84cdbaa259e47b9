/** The latest images: newest first, with filters, page by page while the catalogue changes. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Filter } from '../../src/catalogue/catalogue.ts';
import { openStore } from '../../src/server/engines.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import {
  type FilterQuery,
  matches,
  matchingIds,
  type Picture,
  randomFilter,
  randomPictures,
  toQuery,
  toRecords,
} from '../support/catalogues/filters.ts';
import { sandbox } from '../support/catalogues/import.ts';
import { idsOf, range } from '../support/checks/distribution.ts';
import { atDepth } from '../support/depth.ts';
import { casesFor, forEachEngineInDepth, isEveryCase } from '../support/servers/engines.ts';
import { assertError, clock, related } from '../support/zukan/api.ts';
import { caller } from '../support/zukan/caller.ts';
import { runCommand } from '../support/zukan/program.ts';
import { type Service, seededRandomInt, startService } from '../support/zukan/service.ts';

const all = randomPictures(0, 400, seededRandomInt(61));
const READERS = 8;

/** The catalogue as a plain list: every image with its number, in ascending order. */
class Model {
  images: { number: number; picture: Picture }[] = [];

  add(pictures: Picture[]): void {
    for (const picture of pictures) {
      const existing = this.images.find((image) => image.picture.id === picture.id);
      if (existing) existing.picture = picture;
      else this.images.push({ number: (this.images.at(-1)?.number ?? 0) + 1, picture });
    }
  }

  remove(ids: string[]): void {
    this.images = this.images.filter(({ picture }) => !ids.includes(picture.id));
  }

  latest(filter: FilterQuery, below = Number.POSITIVE_INFINITY, limit = 0) {
    const found = this.images
      .filter(({ number, picture }) => number < below && matches(picture, filter))
      .reverse();
    const shown = found.slice(0, limit);
    return {
      ids: shown.map(({ picture }) => picture.id),
      next: found.length > limit ? shown.at(-1)?.number : undefined,
    };
  }
}

/** All ids, following `Link`. */
async function followLinks(service: Service, query: string): Promise<string[]> {
  const ids: string[] = [];
  let address: string | undefined = `${service.origin}/v1/image/latest?${query}`;
  while (address) {
    const answer = await service.get(address);
    assert.equal(answer.status, 200, answer.text);
    ids.push(...answer.json.data.map(({ id }: { id: string }) => id));
    address = related(answer, 'next', address);
    assert.equal(
      address && new URL(address).searchParams.get('cursor'),
      answer.headers['x-next-cursor'],
      'Link and X-Next-Cursor come together',
    );
    assert.ok(answer.json.data.length > 0 || ids.length === 0, 'a page that was announced is not empty');
    assert.ok(ids.length <= all.length);
  }
  return ids;
}

await forEachEngineInDepth(async (engine) => {
  async function serve(pictures: Picture[]) {
    const box = sandbox(engine);
    await box.import(toRecords(pictures));
    const store = await openStore(box.config);
    after(() => store[Symbol.asyncDispose]());
    return {
      config: box.config,
      catalogue: store.catalogue,
      add: (pictures: Picture[]) => box.import(toRecords(pictures)),
      remove: (...ids: string[]) => runCommand(['remove', '--yes', ...ids], box.environment),
    };
  }

  const STEPS = atDepth(isEveryCase(engine) ? 50 : 25, 400);

  test(`${STEPS} pages and changes give what a plain list gives`, async () => {
    const randomInt = seededRandomInt(62);
    const model = new Model();
    model.add(all.slice(0, 150));
    const { catalogue, add, remove } = await serve(all.slice(0, 150));
    let added = 150;
    const start = (reader: number) => ({
      // One shelf, several, and the whole catalogue.
      filter: [{}, { nsfw: ['sfw'] }, { categories: ['beta'] }][reader] ?? randomFilter(randomInt),
      below: undefined as number | undefined,
    });
    const readers = range(0, READERS).map(start);
    const changes: (() => Promise<unknown>)[] = [
      async () => {
        const fresh = all.slice(added, added + 1 + randomInt(20));
        added += fresh.length;
        model.add(fresh);
        await add(fresh);
      },
      async () => {
        // Any of them, and sometimes the newest, whose numbers are then used again.
        const ids = model.images.map(({ picture }) => picture.id);
        const gone = randomInt(2) ? ids.slice(-1 - randomInt(5)) : ids.filter(() => randomInt(30) === 0);
        if (gone.length === 0) return;
        model.remove(gone);
        await remove(...gone);
      },
      async () => {
        const changed = model.images
          .filter(() => randomInt(20) === 0)
          .map(({ picture }) => ({ ...picture, nsfw: 'questionable', categories: ['Alpha', 'beta'] }));
        model.add(changed);
        await add(changed);
      },
    ];
    for (let step = 0; step < STEPS; step++) {
      if (randomInt(12) === 0) await changes[randomInt(changes.length)]?.();
      const index = randomInt(READERS);
      const reader = readers[index] as ReturnType<typeof start>;
      const limit = 1 + randomInt(25);
      const page = await catalogue.latestImages(reader.filter as Filter, reader.below, limit, caller);
      if ('problem' in page) assert.fail(JSON.stringify(page));
      const what = `step ${step}: ${toQuery(reader.filter)} below ${reader.below}, limit ${limit}`;
      const expected = model.latest(reader.filter, reader.below, limit);
      assert.deepEqual({ ids: idsOf(page.images), next: page.next }, expected, what);
      reader.below = page.next;
      if (page.next === undefined) readers[index] = start(index);
    }
  });

  describe('over HTTP', async () => {
    const pictures = all.slice(0, 120);
    const { config } = await serve(pictures);
    const service = await startService(config, { clock });
    const at = (query: string) => `/api/image/latest?${query}`;
    const cursorOf = async (query: string, path = 'latest') => {
      const answer = await service.get(`/api/image/${path}?${query}`);
      assert.equal(answer.status, 200, answer.text);
      return encodeURIComponent(answer.headers['x-next-cursor'] ?? assert.fail(`${query} has no cursor`));
    };
    const idsAt = async (query: string): Promise<string[]> => {
      const answer = await service.get(at(query));
      assert.equal(answer.status, 200, answer.text);
      return answer.json.data.map(({ id }: { id: string }) => id);
    };

    const filters: FilterQuery[] = [
      {},
      { nsfw: ['sfw'] },
      { nsfw: ['sfw', 'nsfw'], orientation: ['portrait', 'square'] },
      { categories: ['Alpha', 'beta'] },
      { categories: ['Alpha', 'beta'], match: 'any', exclude: ['night sky'] },
      { artist: [uuid(2, 1)] },
      { character: [uuid(3, 2)], nsfw: ['questionable'] },
      { categories: ['empty'] },
    ];
    for (const filter of casesFor(engine, filters, 3))
      test(`"${toQuery(filter)}" by Link returns every match, newest first`, async () => {
        const expected = matchingIds(pictures, filter).reverse();
        assert.deepEqual(await followLinks(service, `${toQuery(filter)}&limit=24`), expected);
        assert.deepEqual(await idsAt(toQuery(filter)), expected.slice(0, 10));
      });

    if (isEveryCase(engine)) testCursors();

    function testCursors() {
      test('a cursor works with the same filters in another spelling, and with another limit', async () => {
        const cursor = await cursorOf('categories=Alpha,beta&match=any&limit=3');
        const expected = matchingIds(pictures, { categories: ['Alpha', 'beta'], match: 'any' }).reverse();
        const query = `categories=BETA&categories=alpha&match=any&limit=4&cursor=${cursor}`;
        assert.deepEqual(await idsAt(query), expected.slice(3, 7));
      });

      test('a cursor of other filters, of random images or of nobody is a 400', async () => {
        const cursor = await cursorOf('nsfw=sfw&limit=3');
        const seeded = await cursorOf('seed=latest&nsfw=sfw&limit=3', 'random');
        const wrong = [`cursor=${cursor}`, `nsfw=nsfw&cursor=${cursor}`, `nsfw=sfw&cursor=${seeded}`];
        for (const query of [...wrong, 'cursor=x', 'cursor=', `nsfw=sfw&cursor=${cursor}&cursor=${cursor}`])
          assertError(await service.get(at(query)), 400, /Invalid cursor/);
        const random = `/api/image/random?seed=latest&nsfw=sfw&cursor=${cursor}`;
        assertError(await service.get(random), 400, /Invalid cursor/);
      });
    }
  });
});

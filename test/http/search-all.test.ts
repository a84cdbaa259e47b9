/** One search for everything: names, titles and filters, compared with a naive model while titles change in every way. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkCatalogue } from '../../src/catalogue/documents/check.ts';
import { parseQuery, wordsFor } from '../../src/catalogue/search/query.ts';
import { hasPhrase, type Phrase, splitWords, toPhrase } from '../../src/catalogue/search/words.ts';
import { openSnapshot } from '../../src/server/engines.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { keyed, sandbox } from '../support/catalogues/import.ts';
import { atDepth } from '../support/depth.ts';
import { forEachEngine, isEveryCase, tamper, testOnOneStore } from '../support/servers/engines.ts';
import { assertError } from '../support/zukan/api.ts';
import { runCommand } from '../support/zukan/program.ts';
import { makeToken, type Service, seededRandomInt, startService } from '../support/zukan/service.ts';

const VOCABULARY = ['red', 'Fox', 'foxes', 'moon', '赤い', 'Élan', "the fox's", 'x'];
const NAMES = ['Red Fox', 'fox', 'Foxglove', 'A fox', 'moon', 'Élan Vital', 'outfox'];
const random = seededRandomInt(5);
const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
const pickTitle = () => Array.from({ length: random(4) }, () => pick(VOCABULARY)).join(' ');

const image = (index: number, title: string, more: object = {}) =>
  keyed(index, { id: uuid(4, index), title, nsfw: index % 3 === 0 ? 'nsfw' : 'sfw', ...more });

const find = async (service: Service, q: string, more = '') =>
  (await service.get(`/api/search?q=${encodeURIComponent(q)}${more}`)).json.data;
const idsOf = (list: { id: string }[]) => list.map(({ id }) => id);

await forEachEngine(async (engine) => {
  const testOnce = testOnOneStore(engine);
  const box = sandbox(engine);
  const run = async (...parameters: string[]) => {
    const finished = await runCommand(parameters, box.environment);
    assert.equal(finished.status, 0, finished.errors);
    return finished.output;
  };
  /** Titles by image, oldest first. */
  const titles = new Map<string, string>();
  const save = async (index: number) => {
    const title = pickTitle();
    await box.import([image(index, title, { artist: NAMES[index % 7], categories: [NAMES[index % 5]] })]);
    titles.set(uuid(4, index), title);
  };
  await box.import(
    NAMES.flatMap((name, index) => [
      { type: 'artist', name, id: uuid(2, index + 1) },
      ...(index < 5 ? [{ type: 'category', name, id: uuid(1, index + 1) }] : []),
    ]),
  );
  for (let index = 1; index <= 14; index++) await save(index);
  const service = await startService(box.config);

  /** What titles match, the slow way. */
  function matching(q: string): string[] {
    const own = parseQuery(q).filter(({ field, isNegated }) => field === undefined && !isNegated);
    const phrases = own.map((term) => toPhrase(term.text, term === own.at(-1) && !term.isQuoted) as Phrase);
    return [...titles]
      .filter(
        ([, title]) => phrases.length > 0 && phrases.every((one) => hasPhrase([splitWords(title)], one)),
      )
      .map(([id]) => id)
      .reverse()
      .slice(0, 10);
  }

  /** What names match, in the order of their ranks, the slow way. Counts come from the response. */
  function checkNames(q: string, artists: { name: string; images: number }[]): void {
    const words = wordsFor('artist', parseQuery(q));
    const text = words.join(' ');
    const rank = (name: string) => {
      const folded = name.toLowerCase();
      if (folded === text) return 0;
      if (folded.startsWith(text)) return 1;
      return words.every((word) => folded.split(' ').some((part) => part.startsWith(word))) ? 2 : 3;
    };
    const expected = NAMES.filter(
      (name) => words.length > 0 && words.every((word) => name.toLowerCase().includes(word)),
    );
    assert.deepEqual(artists.map(({ name }) => name).sort(), expected.sort(), q);
    const order = artists.map(({ name, images }) => rank(name) * 1000 - images);
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
      q,
    );
  }

  async function compare(): Promise<void> {
    for (let round = 0; round < 6; round++) {
      const q = Array.from({ length: 1 + random(2) }, () =>
        pick([...VOCABULARY, 'fo', 'r', '-moon', '"red fox"']),
      ).join(' ');
      const found = await find(service, q);
      assert.deepEqual(idsOf(found.images), matching(q), q);
      checkNames(q, found.artists);
    }
    for (const kind of ['artist', 'category']) await checkSorted(kind);
  }

  /** Lists by the number of images have the order of the list by name among equals, with and without a pattern. */
  async function checkSorted(kind: string): Promise<void> {
    const list = async (query: string, limit = 25): Promise<{ name: string; images: number }[]> =>
      (await service.get(`/api/${kind}?limit=${limit}&include=count&${query}`)).json.data;
    for (const pattern of ['', '&search=%25fox%25']) {
      const byName = await list(pattern);
      const expected = byName.toSorted((a, b) => b.images - a.images);
      const [from, limit] = [random(expected.length), 1 + random(5)];
      assert.deepEqual(await list(`sort=images${pattern}`), expected, kind);
      assert.deepEqual(
        await list(`sort=images${pattern}&offset=${from}`, limit),
        expected.slice(from, from + limit),
      );
    }
  }

  const findProblems = async () => {
    await using snapshot = await openSnapshot(box.config);
    let reads = 0;
    const images = () => {
      reads++;
      return snapshot.images();
    };
    const findings = await Array.fromAsync(checkCatalogue({ ...snapshot, images }));
    assert.equal(reads, 1, 'all documents are read once');
    return findings.map(({ problem }) => problem);
  };

  const last = async () => JSON.parse(await run('history', '--json'))[0].number as number;
  const steps: Record<string, (index: number) => Promise<unknown>> = {
    import: save,
    async edit(index) {
      const title = pickTitle();
      await run('edit', uuid(4, index), '--title', title);
      titles.set(uuid(4, index), title);
    },
    async 'edit and undo'(index) {
      await run('edit', uuid(4, index), '--title', `${pickTitle()} fox undone`);
      await run('undo', String(await last()));
    },
    async 'take down'(index) {
      await run('remove', '--yes', uuid(4, index));
      titles.delete(uuid(4, index));
    },
    async 'remove and restore'() {
      await save(90);
      const change = await last();
      await run('undo', String(change));
      await run('undo', String(await last()));
    },
  };

  testOnce('what a search finds is not taken for what a pattern matches', async () => {
    await find(service, 'fox');
    assert.deepEqual((await service.get('/api/artist?search=10 ["fox"]')).json.data, []);
  });

  test('finds what a naive search finds, after every way to change a title', async () => {
    await compare();
    const order = Object.keys(steps);
    for (let round = 0; round < atDepth(isEveryCase(engine) ? order.length : 1, 40); round++) {
      const name = round < order.length ? (order[round] as string) : pick(order);
      const known = [...titles.keys()].map((id) => Number(id.slice(-4))).filter((index) => index < 90);
      if (name === 'remove and restore' && titles.has(uuid(4, 90))) continue;
      await steps[name]?.(pick(known));
      await compare();
    }
    assert.deepEqual(await findProblems(), []);
    const copy = sandbox(engine);
    const exported = await run('export');
    await runCommand(['import', '-'], copy.environment, exported);
    const restored = await startService(copy.config);
    for (const q of ['fox', 'red fo', '赤', 'élan']) {
      const [one, other] = [await find(service, q), await find(restored, q)];
      assert.deepEqual(idsOf(other.images), idsOf(one.images), q);
    }
  });

  test('a damaged index of texts is found and repaired', async () => {
    for (const damage of [
      "insert into text_block values ('0fox', 3, 'AAA=')",
      "update text_block set images = 'AQA=' where term = '0fox'",
      'delete from text_block',
    ]) {
      tamper(box.config, damage);
      assert.deepEqual(await findProblems(), ['the index of texts has other words than the texts of images']);
      await runCommand(['check', '--repair', '--quiet'], box.environment);
      assert.deepEqual(await findProblems(), []);
      await compare();
    }
  });

  testOnce(
    'returns entries with counts and covers, images with what include names, and filters',
    async () => {
      const { json, headers } = await service.get('/api/search?q=fox&include=details');
      assert.equal(headers['cache-control'], 'no-store');
      const [category] = json.data.categories;
      assert.equal(category.name, 'fox');
      assert.equal(typeof category.images, 'number');
      const safe = await service.get('/api/image/latest?categories=fox&nsfw=sfw&limit=1');
      assert.equal(typeof category.cover?.url, safe.json.data.length > 0 ? 'string' : 'undefined');
      for (const { title } of json.data.images) assert.match(title, /fox/i);
      const filtersOf = async (q: string) => (await find(service, q)).filters;
      assert.deepEqual(await filtersOf('FOX -moon artist:"red fox" rating:sfw -orientation:square'), {
        categories: ['fox'],
        exclude: ['moon'],
        artist: [uuid(2, 1)],
        nsfw: ['sfw'],
        orientation: ['landscape', 'portrait'],
      });
      assert.deepEqual(await filtersOf('outfox red fox'), { artist: [uuid(2, 7)], categories: ['Red Fox'] });
      assert.deepEqual(await filtersOf('-artist:moon artist:nobody -outfox'), {
        excludeArtist: [uuid(2, 5), uuid(2, 7)],
      });
      assert.deepEqual(await filtersOf('something else'), {});
      await run('entry', 'category', 'fox', '--name', 'Vulpes');
      assert.deepEqual(await filtersOf('fox'), { categories: ['Vulpes'] });
      assert.equal((await find(service, 'fox')).categories[0].name, 'Vulpes');
    },
  );

  testOnce('found images have the ratings that the text or else the call wants', async () => {
    const titled = async (q: string, more = '') => idsOf((await find(service, q, more)).images);
    const [first = '', second = ''] = idsOf((await service.get('/api/image/latest?limit=2')).json.data);
    await run('edit', first, second, '--title', 'Zebra', '--rating', 'sfw');
    await run('edit', first, '--rating', 'nsfw');
    assert.deepEqual(await titled('zebra'), [first, second]);
    assert.deepEqual(await titled('zebra', '&nsfw=sfw'), [second]);
    assert.deepEqual(await titled('zebra rating:nsfw', '&nsfw=sfw'), [first]);
    assertError(await service.get('/api/search?q=zebra&nsfw=x'), 400);
  });

  testOnce('a search of names never answers for a search of everything', async () => {
    const idsOfPage = async (pattern: string) =>
      idsOf((await service.get(`/api/artist?search=${encodeURIComponent(pattern)}`)).json.data);
    assert.deepEqual(await idsOfPage('10 ["outfox"]'), []);
    assert.deepEqual(idsOf((await find(service, 'outfox')).artists), [uuid(2, 7)]);
    assert.deepEqual(idsOf((await find(service, 'foxglove')).artists), [uuid(2, 3)]);
    assert.deepEqual(await idsOfPage('10 ["foxglove"]'), []);
  });

  testOnce('every text is valid, but for its length', async () => {
    const empty = { artists: [], characters: [], categories: [], images: [], filters: {} };
    for (const path of ['', '?q=', '?q=%20%09', '?q=-', '?q=artist:'])
      assert.deepEqual((await service.get(`/api/search${path}`)).json.data, empty, path);
    const hostile = [
      '%',
      '_'.repeat(100),
      '\u0000',
      '\ud800',
      '"',
      "'; drop table text_block; --",
      '🦊'.repeat(100),
      'a '.repeat(50),
      '-'.repeat(100),
      '\u{10ffff}',
      'か'.repeat(100),
      '(((',
      '\\',
      '"'.repeat(99),
    ];
    for (const q of hostile) {
      const { status } = await service.get(`/api/search?q=${encodeURIComponent(q.toWellFormed())}`);
      assert.equal(status, 200, q);
    }
    assert.equal((await service.get('/api/search?q=%ED%A0%80%00')).status, 200);
    assertError(
      await service.get(`/api/search?q=${'a'.repeat(101)}`),
      400,
      /^Invalid q: it must not be longer than 100 characters\./,
    );
    assertError(await service.get('/api/search?q=a&q=b'), 400, /^Invalid q: it must be a single value\./);
    assertError(await service.get('/api/search?q=a&expiry=60'), 401);
    const { headers } = await makeToken(box.config, ['image:custom-expiry']);
    assert.equal((await service.get('/api/search?q=fox&expiry=60', headers)).status, 200);
  });

  test('while somebody types, the newest images with any of the completions are found', async () => {
    const words = Array.from({ length: 24 }, (_, index) => (index % 2 ? 'lantern' : 'lanterns'));
    for (const [index, word] of words.entries()) titles.set(uuid(4, 200 + index), word);
    await box.import(words.map((word, index) => image(200 + index, word)));
    for (const q of ['lant', 'lantern'])
      assert.deepEqual(idsOf((await find(service, q)).images), matching(q));
  });
});

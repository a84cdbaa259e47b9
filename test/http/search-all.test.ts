/** One search for everything, compared with the documented rule while images and names change in every way. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkCatalogue } from '../../src/catalogue/documents/check.ts';
import type { Rating } from '../../src/catalogue/schemas.ts';
import { openSnapshot } from '../../src/server/engines.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { keyed, sandbox } from '../support/catalogues/import.ts';
import {
  findSearched,
  isKnown,
  randomSearch,
  randomText,
  type Searched,
  typed,
  typedWord,
} from '../support/catalogues/search.ts';
import { atDepth } from '../support/depth.ts';
import { forEachEngine, isEveryCase, tamper, testOnOneStore } from '../support/servers/engines.ts';
import { assertError } from '../support/zukan/api.ts';
import { runCommand } from '../support/zukan/program.ts';
import { makeToken, type Service, seededRandomInt, startService } from '../support/zukan/service.ts';

const ARTISTS = ['Red Fox', 'Élan Vital', 'Moon Straße', 'outfox'];
const CATEGORIES = ['fox', 'Foxglove', 'moon', '赤い狐', 'x'];
const CHARACTERS = ['A Fox', 'Vital'];
/** Of the first category. */
const ALIAS = 'zorro moon';
const IMAGES = 30;
const SEARCHES = atDepth(25, 400);

const random = seededRandomInt(5);
const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;

const find = async (service: Service, q: string, more = '') =>
  (await service.get(`/api/search?q=${encodeURIComponent(q)}${more}`)).json.data;
const idsOf = (list: { id: string }[]) => list.map(({ id }) => id);
const toQuery = (parameters: object) =>
  Object.entries(parameters)
    .map(([name, value]) => `&${name}=${encodeURIComponent(String(value))}`)
    .join('');

await forEachEngine(async (engine) => {
  const testOnce = testOnOneStore(engine);
  const box = sandbox(engine);
  const run = async (...parameters: string[]) => {
    const finished = await runCommand(parameters, box.environment);
    assert.equal(finished.status, 0, finished.errors);
    return finished.output;
  };
  /** The images of the catalogue, oldest first. */
  const images = new Map<string, Searched>();
  const record = (index: number) => {
    const some = (names: readonly string[]) => names.filter(() => random(4) === 0);
    const [artist, categories, characters] = [pick(ARTISTS), some(CATEGORIES), some(CHARACTERS)];
    const [title, description, alt] = [3, 5, 2].map((words) => randomText(random, words)) as [
      string,
      string,
      string,
    ];
    const rating = pick<Rating>(['sfw', 'sfw', 'questionable', 'nsfw']);
    const dimens = pick([
      { width: 30, height: 20 },
      { width: 20, height: 20 },
      { width: 20, height: 30 },
    ]);
    const id = uuid(4, index);
    // It is known of these bytes.
    const isAnimated = images.get(id)?.isAnimated ?? random(4) === 0;
    images.set(id, {
      id,
      names: {
        artist: [artist],
        category: categories.flatMap((name) => (name === CATEGORIES[0] ? [name, ALIAS] : [name])),
        character: characters,
        album: images.get(id)?.names.album ?? [],
      },
      title,
      others: [description, alt],
      rating,
      orientation:
        dimens.width > dimens.height ? 'landscape' : dimens.width < dimens.height ? 'portrait' : 'square',
      isAnimated,
    });
    const { meta, ...rest } = keyed(index) as { meta: object };
    return {
      ...rest,
      ...{ id, artist, categories, characters, title, description, alt, nsfw: rating },
      meta: { ...meta, dimens },
      thumbnails: { sizes: [], thumbHash: 'ABCD', isAnimated },
    };
  };
  const save = async (index: number) => {
    await box.import([record(index)]);
  };
  await box.import([
    ...ARTISTS.map((name, index) => ({ type: 'artist', name, id: uuid(2, index + 1) })),
    ...CATEGORIES.map((name, index) => ({
      ...{ type: 'category', name, id: uuid(1, index + 1) },
      ...(index === 0 && { aliases: [ALIAS] }),
    })),
    ...CHARACTERS.map((name, index) => ({ type: 'character', name, id: uuid(3, index + 1) })),
    ...Array.from({ length: IMAGES }, (_, index) => record(index + 1)),
  ]);
  const inAlbum = [3, 7, 11].map((index) => uuid(4, index));
  await box.import([{ type: 'album', id: uuid(6, 1), name: 'Moon foxes', images: inAlbum }]);
  for (const id of inAlbum) (images.get(id) as Searched).names.album = ['Moon foxes'];
  const service = await startService(box.config);

  /** All pages of a search, in pages of any size. */
  async function findAll(q: string): Promise<string[]> {
    const ids: string[] = [];
    for (let cursor = ''; ; ) {
      const limit = pick([1, 3, 10, 25]);
      const path = `/api/search?q=${encodeURIComponent(q)}&limit=${limit}${cursor}`;
      const { json, headers } = await service.get(path);
      ids.push(...idsOf(json.data.images));
      if (!headers['x-next-cursor']) return ids;
      cursor = `&cursor=${headers['x-next-cursor']}`;
    }
  }

  async function compare(rounds = 2): Promise<void> {
    const all = [...images.values()];
    for (let round = 0; round < rounds; round++) {
      const search = randomSearch(random);
      const q = typed(search);
      const expected = findSearched(all, search);
      assert.deepEqual(await findAll(q), expected, q);
      const { total, words, filters, suggestions } = await find(service, q);
      assert.equal(total, expected.length, q);
      assert.deepEqual(
        words.map(({ text, excluded, found }: Record<string, unknown>) => ({ text, excluded, found })),
        search.map((word) => ({
          ...{ text: typedWord(word), excluded: word.isExcluded },
          found: isKnown(all, word),
        })),
        q,
      );
      const newest = expected.toSorted((one, other) => order(other) - order(one)).slice(0, 25);
      const latest = async (query: string) =>
        idsOf((await service.get(`/api/image/latest?limit=25${query}`)).json.data);
      assert.deepEqual(await latest(toQuery({ q })), newest, q);
      assert.deepEqual(await latest(toQuery(filters)), newest, `${q}: ${JSON.stringify(filters)}`);
      const drawn = idsOf((await service.get(`/api/image/random?limit=25${toQuery({ q })}`)).json.data);
      assert.equal(drawn.length, newest.length, q);
      for (const id of drawn) assert.ok(expected.includes(id), q);
      for (const { q, images } of suggestions) assert.equal((await find(service, q)).total, images, q);
    }
  }
  const order = (id: string) => [...images.keys()].indexOf(id);

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
      const image = images.get(uuid(4, index)) as Searched;
      const [title, description] = [randomText(random, 3), randomText(random, 4)];
      await run('edit', image.id, '--title', title, '--description', description);
      Object.assign(image, { title, others: [description, image.others[1]] });
    },
    async 'edit and undo'(index) {
      await run('edit', uuid(4, index), '--title', `${randomText(random, 3)} fox undone`);
      await run('undo', String(await last()));
    },
    async 'take down'(index) {
      await run('remove', '--yes', uuid(4, index));
      images.delete(uuid(4, index));
    },
    async 'remove and restore'() {
      await save(90);
      const change = await last();
      await run('undo', String(change));
      await run('undo', String(await last()));
    },
  };

  test('finds what the rule says, after every way to change an image', async () => {
    await compare(SEARCHES);
    const names = Object.keys(steps);
    for (let round = 0; round < atDepth(isEveryCase(engine) ? names.length : 1, 40); round++) {
      const name = round < names.length ? (names[round] as string) : pick(names);
      const known = [...images.keys()].map((id) => Number(id.slice(-4))).filter((index) => index < 90);
      if (name === 'remove and restore' && images.has(uuid(4, 90))) continue;
      await steps[name]?.(pick(known));
      await compare();
    }
    assert.deepEqual(await findProblems(), []);
    const copy = sandbox(engine);
    await runCommand(['import', '-'], copy.environment, await run('export'));
    const restored = await startService(copy.config);
    for (const q of ['fox', 'red fo', '赤', 'elan -moon'])
      assert.deepEqual(idsOf((await find(restored, q)).images), idsOf((await find(service, q)).images), q);
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

  testOnce('entries by name, with counts and covers, and the parameters that say the same', async () => {
    const { json, headers } = await service.get('/api/search?q=fox&include=details');
    assert.equal(headers['cache-control'], 'no-store');
    const [category] = json.data.categories;
    assert.deepEqual([category.name, typeof category.images], ['fox', 'number']);
    const safe = await service.get('/api/image/latest?categories=fox&nsfw=sfw&limit=1');
    assert.equal(typeof category.cover?.url, safe.json.data.length > 0 ? 'string' : 'undefined');
    assert.deepEqual(
      json.data.albums.map(({ name }: { name: string }) => name),
      ['Moon foxes'],
    );
    const filtersOf = async (q: string) => (await find(service, q)).filters;
    assert.deepEqual(await filtersOf('FOX -moon artist:"red fox" rating:sfw -orientation:square'), {
      q: 'FOX -moon',
      artist: [uuid(2, 1)],
      nsfw: ['sfw'],
      orientation: ['landscape', 'portrait'],
    });
    assert.deepEqual(
      await filtersOf('category:foxg -category:mo album:moon -artist:o is:animated type:jpg'),
      {
        categories: ['Foxglove'],
        exclude: ['fox', 'moon'],
        album: [uuid(6, 1)],
        animated: true,
        type: ['jpeg'],
        q: '-artist:o',
      },
    );
    // No parameter says these: several of which one is enough, two lists of ids, and characters that must not be.
    const rest = 'category:fox artist:red artist:fox -character:vital rating:safe title:moon';
    assert.deepEqual(await filtersOf(rest), { q: rest });
    assert.deepEqual(await filtersOf('fox - ★'), { q: 'fox' });
    const taken = await find(service, '"red fox" -artist:moon ★ is:square');
    assert.deepEqual(
      taken.words.map((word: { as: string }) => word.as),
      ['phrase', 'artist', 'nothing', 'orientation'],
    );
    await run('entry', 'category', 'fox', '--name', 'Vulpes');
    assert.deepEqual(await filtersOf('category:zorro'), { categories: ['Vulpes'] });
    assert.equal((await find(service, 'vulpes')).categories[0].name, 'Vulpes');
    await run('undo', String(await last()));
  });

  testOnce('filters and a text must both be met, and a cursor belongs to both', async () => {
    const [first = '', second = ''] = idsOf((await service.get('/api/image/latest?limit=2')).json.data);
    await run('edit', first, second, '--title', 'Zebra', '--rating', 'sfw');
    await run('edit', first, '--rating', 'nsfw');
    const titled = async (q: string, more = '') => idsOf((await find(service, q, more)).images);
    assert.deepEqual(await titled('zebra'), [first, second]);
    assert.deepEqual(await titled('zebra', '&nsfw=sfw'), [second]);
    assert.deepEqual(await titled('zebra rating:nsfw'), [first]);
    assert.deepEqual(await titled('zebra rating:nsfw', '&nsfw=sfw'), [], 'a text never shows more');
    const { headers } = await service.get('/api/search?q=zebra&limit=1');
    const cursor = `&cursor=${headers['x-next-cursor']}`;
    assert.deepEqual(await titled('zebra', cursor), [second]);
    assertError(await service.get(`/api/search?q=zebras${cursor}`), 400, /another search/);
    assertError(await service.get(`/api/image/latest?q=zebra${cursor}`), 400, /^Invalid cursor/);
    assertError(await service.get('/api/search?q=zebra&nsfw=x'), 400);
    assertError(await service.get('/api/search?q=zebra&categories=unknown'), 400);
    assertError(await service.get('/api/image/random?q='), 400, /^Invalid q: it must not be empty/);
    for (const q of ['-', '★', 'rating:safe', '-rating:safe'])
      assert.deepEqual((await service.get(`/api/image/random?q=${encodeURIComponent(q)}`)).json.data, [], q);
  });

  testOnce('every text is valid, but for its length', async () => {
    const nothing = { artists: [], characters: [], categories: [], albums: [], images: [], total: 0 };
    for (const path of ['', '?q=', '?q=%20%09'])
      assert.deepEqual((await service.get(`/api/search${path}`)).json.data, {
        ...nothing,
        ...{ words: [], filters: {}, suggestions: [] },
      });
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
    for (const q of hostile)
      for (const path of ['search', 'image/random']) {
        const { status } = await service.get(`/api/${path}?q=${encodeURIComponent(q.toWellFormed())}`);
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

  test('what people and bots typed in vain is found, or said', async () => {
    const examples = sandbox(engine);
    const some = (index: number, rest: object) => keyed(index, { id: uuid(4, index), ...rest });
    await examples.import([
      ...['fox', 'foxgirl', 'night', 'alpha'].map((name) => ({ type: 'category', name })),
      ...['Anna Muller', 'Ink & Co'].map((name) => ({ type: 'artist', name })),
      some(1, { categories: ['fox', 'night'], title: 'Summer holidays', artist: 'Anna Muller' }),
      some(2, {
        categories: ['fox', 'alpha'],
        description: 'A sunrise over the lake',
        artist: 'Anna Muller',
      }),
      some(3, {
        categories: ['foxgirl', 'night', 'alpha'],
        title: 'Family',
        artist: 'Ink & Co',
        alt: '日の出の狐',
      }),
    ]);
    const other = await startService(examples.config);
    const found = async (q: string) => {
      const { images, words, suggestions } = await find(other, q);
      return {
        images: (images as { id: string }[]).map(({ id }) => Number(id.slice(-4))),
        unknown: words
          .filter((word: { found: boolean }) => !word.found)
          .map(({ text }: { text: string }) => text),
        suggestions: suggestions.map(({ q, images }: { q: string; images: number }) => `${q} ${images}`),
      };
    };
    const all = (images: number[]) => ({ images, unknown: [], suggestions: [] });
    assert.deepEqual(await found('fox -night'), all([2]));
    assert.deepEqual(await found('-nigth alpha'), {
      images: [3, 2],
      unknown: ['-nigth'],
      suggestions: ['-night alpha 1'],
    });
    assert.deepEqual(await found('family anna'), all([]));
    assert.deepEqual(await found('summer anna'), all([1]));
    assert.deepEqual(await found('sunrise'), all([2]));
    assert.deepEqual(await found('foxgrl'), { images: [], unknown: ['foxgrl'], suggestions: ['foxgirl 1'] });
    assert.deepEqual(await found('holidys'), {
      images: [],
      unknown: ['holidys'],
      suggestions: ['holidays 1'],
    });
    assert.deepEqual(await found('artist:ana fxo'), {
      ...{ images: [], unknown: ['artist:ana', 'fxo'] },
      suggestions: ['artist:anna fox 2'],
    });
    assert.deepEqual(await found('müller'), all([2, 1]));
    assert.deepEqual(await found('ANNA İ'), { ...all([]), unknown: ['İ'] });
    assert.deepEqual(await found('日の出'), all([3]));
    assert.deepEqual(await found('狐'), all([3]));
    assert.deepEqual(await found('n'), { ...all([]), unknown: ['n'] });
    assert.deepEqual(await found('category:dog'), { images: [], unknown: ['category:dog'], suggestions: [] });
    assert.deepEqual(await found('"ink & co"'), all([3]));
    // Names before titles before other texts.
    await runCommand(['edit', uuid(4, 1), '--description', 'family'], examples.environment);
    await runCommand(['edit', uuid(4, 2), '--add-category', 'family', '--create'], examples.environment);
    assert.deepEqual(await found('family'), all([2, 3, 1]));
  });
});

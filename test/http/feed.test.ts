/** The feeds of the newest images, read by a feed parser. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { parseAtomFeed, parseJsonFeed } from 'feedsmith';
import { keepLatest } from '../../src/api/endpoint.ts';
import { UNKNOWN_ARTIST } from '../../src/catalogue/documents/document.ts';
import { makeText, makeTextLater, sendAsset } from '../../src/http/assets.ts';
import type { Exchange } from '../../src/http/exchange.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { atDepth } from '../support/depth.ts';
import { assertError, madeUpImage, NOW, startMadeUpService } from '../support/zukan/api.ts';
import { importFiles } from '../support/zukan/import-files.ts';
import { type Answer, configFor, type Envelope, makeToken, startService } from '../support/zukan/service.ts';

const HOUR = 3_600_000;
/** How often the reader asks. */
const POLL_HOURS = atDepth(12, 1);
const WEEK = 7 * 24 * HOUR;
const hostile = `]]></title><script>alert('1')</script> & &amp; "¤evil¤ 🦊 שלום`;
/** Without what changes the direction of the text after it. */
const shown = `]]></title><script>alert('1')</script> & &amp; " evil 🦊 שלום`;
/** Older versions accepted these. */
const oldTexts = { '¤': '\u202e\u202c', '§': '\u0001\u000b\u001f\ufffe\uffff' };
const badCharacters = 'a§b';

const SAFE_COUNT = 60;
const safe = Array.from({ length: SAFE_COUNT }, (_, index) =>
  madeUpImage(uuid(4, index + 1), {
    artist: index % 2 ? uuid(2, 1) : null,
    categories: index % 3 ? ['sea'] : ['sea', hostile, 'secret'],
    characters: index % 5 ? [] : ['Mei', 'Yoru'],
    title: index % 4 === 1 ? hostile : '',
    description: index % 4 === 1 ? `One <b>&\n\n${badCharacters}` : '',
  }),
);
const records = [
  { type: 'artist', id: uuid(2, 1), name: hostile, url: 'https://example.org/?a=1&b=<' },
  { type: 'artist', id: uuid(2, 2), name: 'Nightly' },
  { type: 'character', id: uuid(3, 1), name: 'Mei' },
  { type: 'character', id: uuid(3, 2), name: 'Yoru' },
  { type: 'category', id: uuid(1, 1), name: 'sea' },
  { type: 'category', id: uuid(1, 2), name: hostile },
  { type: 'category', id: uuid(1, 3), name: 'secret', nsfw: true },
  ...safe,
  ...['questionable', 'nsfw'].map((nsfw, index) =>
    madeUpImage(uuid(4, index + 101), { nsfw, artist: uuid(2, 2), title: 'Hidden', categories: ['sea'] }),
  ),
];
const ids = safe.map(({ id }) => id).reverse();

let now = NOW;
const service = await startMadeUpService(records, {
  oldTexts,
  clock: () => now,
  environment: { SITE_NAME: 'Kura & <Co>' },
});
const { origin } = service;
const startAgain = (environment: Record<string, string>) =>
  startService(configFor('', { DATA_DIR: service.config.dataDir, ...environment }), { clock: () => now });

/** What both formats have in common, as read from either. */
function readFeed({ status, text, headers }: Answer) {
  assert.equal(status, 200, text);
  if (headers['content-type'] === 'application/feed+json; charset=utf-8') {
    const { title, home_page_url, feed_url, next_url, items = [] } = parseJsonFeed(text) as Envelope;
    return {
      ...{ title, home: home_page_url, self: feed_url, next: next_url },
      items: items.map((item: Envelope) => ({
        id: item.id,
        url: item.url,
        title: item.title,
        published: item.date_published,
        author: item.authors[0],
        categories: item.tags ?? [],
        picture: item.image,
        file: item.attachments.map((file: Envelope) => [file.url, file.mime_type, file.size_in_bytes]),
        content: item.content_html,
      })),
    };
  }
  assert.equal(headers['content-type'], 'application/atom+xml; charset=utf-8');
  assert.doesNotMatch(text, /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u, 'not XML');
  const feed = parseAtomFeed(text) as Envelope;
  const links = new Map<string, string>(feed.links.map(({ rel, href }: Envelope) => [rel, href]));
  return {
    ...{
      title: feed.title.value ?? feed.title,
      home: links.get('alternate'),
      self: links.get('self'),
      next: links.get('next'),
    },
    items: (feed.entries ?? []).map((entry: Envelope) => ({
      id: entry.id,
      url: entry.links[0].href,
      title: entry.title.value ?? entry.title,
      published: entry.published,
      author: { name: entry.authors[0].name, url: entry.authors[0].uri },
      categories: (entry.categories ?? []).map(({ term }: Envelope) => term),
      picture: entry.media?.thumbnails?.[0]?.url,
      file: entry.links
        .filter(({ rel }: Envelope) => rel === 'enclosure')
        .map(({ href, type, length }: Envelope) => [href, type, Number(length)]),
      content: entry.content.value ?? entry.content,
    })),
  };
}

const idsIn = (answer: Answer) =>
  readFeed(answer).items.map(({ id }: Envelope) => id.replace('urn:uuid:', ''));

for (const path of ['/feed.xml', '/feed.json'])
  describe(path, () => {
    test('has the newest images rated sfw, with everything escaped', async () => {
      const feed = readFeed(await service.get(path));
      assert.deepEqual([feed.title, feed.home, feed.self], ['Kura & <Co>', `${origin}/`, origin + path]);
      assert.equal(feed.items.length, 25);
      const { data } = (await service.get('/api/image/latest?nsfw=sfw&limit=25')).json;
      for (const [index, item] of feed.items.entries()) {
        const { id, createdAt, artist, meta } = data[index];
        const number = SAFE_COUNT - index - 1;
        assert.deepEqual([item.id, item.published], [`urn:uuid:${ids[index]}`, createdAt]);
        assert.ok(item.url.startsWith(`${origin}/pictures/${id}`));
        const categories = number % 3 ? ['sea'] : [shown, 'sea'];
        assert.deepEqual(item.categories, categories, 'without those for adults');
        const subject = number % 5 ? categories.join(' and ') : 'Mei and Yoru';
        assert.equal(item.title, number % 4 === 1 ? shown : subject);
        assert.deepEqual(
          item.author,
          artist === UNKNOWN_ARTIST.id
            ? { name: 'Unknown', url: `${origin}/artists/${artist}/unknown` }
            : { name: shown, url: 'https://example.org/?a=1&b=%3C' },
        );
        assert.ok(item.content.includes(item.picture.replaceAll('&', '&amp;')), item.content);
        const original = `${origin}/pictures/${id}/original.png?v=${meta.eTag.slice(0, 10)}`;
        assert.deepEqual(item.file, [[original, meta.mimetype, meta.size]]);
        assert.doesNotMatch(item.content, /<(?!\/?(p|a|img)\b)/);
        assert.equal(item.content.includes('<p>One &lt;b&gt;&amp;</p><p>a'), number % 4 === 1);
      }
    });

    test('has pages that lead from one to the next, newest first', async () => {
      const found: string[] = [];
      let url: string | undefined = path;
      for (let page = 1; url !== undefined; page++) {
        const answer = await service.get(url);
        assert.equal(readFeed(answer).self, new URL(url, origin).href, `page ${page}`);
        found.push(...idsIn(answer));
        url = readFeed(answer).next;
      }
      assert.deepEqual(found, ids);
      assertError(await service.get(`${path}?cursor=${'A'.repeat(28)}`), 400, /Invalid cursor/);
    });

    test('has the filters of /image/latest, and is named after them', async () => {
      const titles = {
        [`artist=${uuid(2, 1)}`]: `${shown} · Kura & <Co>`,
        [`character=${uuid(3, 2)}`]: 'Yoru · Kura & <Co>',
        'categories=secret&nsfw=sfw,nsfw': 'secret · Kura & <Co>',
        'categories=sea,secret&match=any&exclude=secret': 'sea, secret · Kura & <Co>',
        'orientation=portrait': 'Kura & <Co>',
      };
      for (const [query, title] of Object.entries(titles)) {
        const feed = await service.get(`${path}?${query}`);
        const latest = await service.get(
          `/api/image/latest?${query}&nsfw=sfw&limit=25`.replace('&nsfw=sfw,nsfw', ''),
        );
        assert.deepEqual(
          idsIn(feed),
          latest.json.data.map(({ id }: Envelope) => id),
          query,
        );
        assert.equal(readFeed(feed).title, title);
        assert.equal(readFeed(feed).self, `${origin}${path}?${query.replaceAll(',', '%2C')}`);
      }
      assertError(await service.get(`${path}?categories=dragons`), 400, /no category "dragons"/);
      assertError(await service.get(`${path}?nsfw=safe`), 400, /Invalid nsfw/);
      assertError(await service.get(`${path}?artist=${uuid(2, 9)}`), 404, /Artist not found/);
      assert.equal((await service.get(`${path}?limit=3`)).headers['x-ignored-parameters'], 'limit');
    });

    test('is rated sfw unless nsfw is given, whatever the operator chose for calls', async () => {
      const byRating = { sfw: [], questionable: [uuid(4, 101)], nsfw: [uuid(4, 102)] };
      for (const [rating, ids] of Object.entries(byRating))
        assert.deepEqual(idsIn(await service.get(`${path}?artist=${uuid(2, 2)}&nsfw=${rating}`)), ids);
      assert.deepEqual(idsIn(await service.get(`${path}?artist=${uuid(2, 2)}`)), []);
      assertError(await service.get(`${path}?nsfw=`), 400, /nsfw/);
      assertError(await service.get(`${path}?nsfw=nsfw&categories=dragons`), 400, /no category/);
      for (const name of ['API_RATINGS', 'SITE_RATINGS']) {
        const adult = await startAgain({ [name]: 'questionable,nsfw' });
        const feed = await adult.get(path);
        assert.deepEqual(idsIn(feed), ids.slice(0, 25));
        assert.equal(readFeed(feed).self, adult.origin + path);
      }
    });

    test('its pictures have addresses that last, so it is a 304 until something changes', async () => {
      const first = await service.get(path);
      for (const { id, picture } of readFeed(first).items) {
        const { pathname, search } = new URL(picture);
        assert.match(
          pathname + search,
          new RegExp(`^/pictures/${id.slice('urn:uuid:'.length)}/original\\.\\w+\\?v=\\w{10}$`),
        );
      }
      now += 52 * WEEK;
      const later = await service.get(path, { 'If-None-Match': first.headers.etag ?? '' });
      now = NOW;
      assert.deepEqual([later.status, later.headers['cache-control']], [304, 'no-cache']);
    });

    test('with LASTING_LINKS=off, an unchanged feed is a 304 until the links to its pictures get old', async () => {
      const service = await startAgain({ LASTING_LINKS: 'off' });
      const first = await service.get(path);
      const ask = (eTag = '') => service.get(path, { 'If-None-Match': eTag });
      const linkEnd = Number(/expires=(\d+)/.exec(first.text)?.[1]) * 1000;
      assert.ok(linkEnd - now >= WEEK - 600_000);
      let [hours, renewals, end, tag] = [0, 0, linkEnd, first.headers.etag];
      for (; hours < 24 * 14; hours += POLL_HOURS) {
        const answer = await ask(tag);
        assert.equal(answer.headers['cache-control'], 'no-cache');
        if (answer.status === 200) {
          renewals++;
          tag = answer.headers.etag;
          end = Number(/expires=(\d+)/.exec(answer.text)?.[1]) * 1000;
        } else
          assert.deepEqual([answer.status, answer.text, answer.headers.vary], [304, '', 'Accept-Encoding']);
        assert.ok(end - now > WEEK / 3, 'the links that the reader has work for two more days');
        now += POLL_HOURS * HOUR;
      }
      now = NOW;
      assert.ok(renewals >= 3 && renewals <= 5, `${renewals} in ${hours} hours`);
      const other = path === '/feed.xml' ? '/feed.json' : '/feed.xml';
      assert.notEqual((await service.get(other)).headers.etag, first.headers.etag);
      assert.notEqual((await service.get(`${path}?categories=sea`)).headers.etag, first.headers.etag);
    });

    test('HEAD and compression work', async () => {
      const get = await service.get(path);
      const head = await service.get(path, {}, 'HEAD');
      assert.deepEqual(
        [head.status, head.text, head.headers['content-length'], head.headers.etag],
        [200, '', get.headers['content-length'], get.headers.etag],
      );
      for (const encoding of ['br', 'gzip']) {
        const answer = await service.get(path, { 'Accept-Encoding': encoding });
        assert.equal(answer.headers['content-encoding'], encoding);
        assert.ok(answer.bytes.length < get.bytes.length / 3);
      }
      assertError(await service.get(path, {}, 'POST'), 405);
    });

    test('counts like a call of the API', async () => {
      const limited = await startAgain({ RATE_LIMIT: 'on' });
      const { headers } = await limited.get(path);
      assert.equal(headers['x-ratelimit-remaining'], '0');
      assertError(await limited.get('/api/stats'), 429, /Too many requests/);
      for (let count = 0; count < 9; count++) assertError(await limited.get(`${path}?nsfw=%zz`), 429);
      assertError(await limited.get(path), 429, /You are blocked/);
      assertError(await limited.get('/api/stats'), 429, /You are blocked/);
      assertError(await service.get(path, { Authorization: 'Bearer x' }), 401);
      const token = await makeToken(service.config, []);
      assert.equal((await service.get(path, token.headers)).status, 200);
    });
  });

test('an entry shows the beginning of a description, however long and in how many lines', async () => {
  const long = await startMadeUpService([
    madeUpImage(uuid(4, 1), { description: '🦊'.repeat(10_000) }),
    madeUpImage(uuid(4, 2), { description: '<\n'.repeat(5000) }),
    madeUpImage(uuid(4, 3), { description: `${' '.repeat(9000)}\nlate` }),
  ]);
  for (const path of ['/feed.xml', '/feed.json']) {
    const [spaces, lines, foxes] = readFeed(await long.get(path)).items.map(({ content }: Envelope) =>
      content.slice(content.indexOf('</p>') + '</p>'.length),
    );
    assert.equal(foxes, `<p>${'🦊'.repeat(500)}…</p>`);
    assert.equal(lines, `${'<p>&lt;</p>'.repeat(9)}<p>&lt; …</p>`);
    assert.equal(spaces, '<p>…</p>');
  }
});

test('a page has fewer images if their documents are long, and the next ones follow', async () => {
  const description = 'x'.repeat(10_000);
  const categories = Array.from({ length: 8 }, (_, index) => `long ${index}`);
  const long = await startMadeUpService([
    ...categories.map((name) => ({ type: 'category', name, description })),
    ...Array.from({ length: 12 }, (_, index) => madeUpImage(uuid(4, index), { categories })),
  ]);
  const first = readFeed(await long.get('/feed.xml'));
  const second = readFeed(await long.get(new URL(first.next).pathname + new URL(first.next).search));
  const ids = [...first.items, ...second.items].map(({ id }: Envelope) => id);
  assert.ok(first.items.length > 1 && first.items.length < 8, `${first.items.length} images`);
  assert.equal(new Set(ids).size, first.items.length + second.items.length);
});

test('nothing is formatted for a 304, nor twice until something changes', () => {
  const asset = makeTextLater(() => assert.fail('it was formatted'), 'text/plain', 'W/"a"');
  const exchange = {
    request: { headers: { 'if-none-match': 'W/"a"' } },
    header() {},
    vary() {},
    sendHead: (status: number) => assert.equal(status, 304),
  };
  sendAsset(exchange as unknown as Exchange, asset);
  const catalogue = {};
  const made: string[] = [];
  const ask = (path: string, eTag: string) =>
    keepLatest(catalogue, path, eTag, () => {
      made.push(path + eTag);
      return makeText('', 'text/plain', eTag);
    });
  for (const eTag of ['1', '1', '2', '1'])
    for (const path of ['a', 'b']) assert.equal(ask(path, eTag).eTag, eTag);
  assert.deepEqual(made, ['a1', 'b1', 'a2', 'b2', 'a1', 'b1']);
});

test('a feed of an empty catalogue is valid, and always the same', async () => {
  const empty = await startMadeUpService([]);
  const atom = await empty.get('/feed.xml');
  assert.deepEqual(readFeed(atom).items, []);
  assert.match(atom.text, /<updated>1970-01-01T00:00:00.000Z<\/updated>/);
  assert.deepEqual(JSON.parse((await empty.get('/feed.json')).text).items, []);
});

test('a new image changes the feed, and its date', async () => {
  const changing = await startMadeUpService([
    madeUpImage(uuid(4, 1), { createdAt: '2026-01-02T00:00:00.000Z' }),
  ]);
  const first = await changing.get('/feed.xml');
  const path = join(dirname(changing.config.dataDir), 'more.ndjson');
  await writeFile(path, JSON.stringify(madeUpImage(uuid(4, 2), { createdAt: '2026-01-01T00:00:00.000Z' })));
  await importFiles(changing.config, [path]);
  const second = await changing.get('/feed.xml', { 'If-None-Match': first.headers.etag ?? '' });
  assert.deepEqual(idsIn(second), [uuid(4, 2), uuid(4, 1)]);
  assert.match(second.text, /<\/title>\n<updated>2026-01-02T00:00:00.000Z/, 'the newest date, not the first');
});

test('the page of the gallery links to the feeds of what it shows', async () => {
  const linksOf = async (query: string) => {
    const { text } = await service.get(query, { Accept: 'text/html' });
    const links = text.matchAll(/<link rel="alternate" type="([^"]*)" title="[^"]*" href="(\/feed[^"]*)">/g);
    return Array.from(links, ([, type, href = '']) => [
      type,
      href.replaceAll('&#39;', "'").replaceAll('&amp;', '&'),
    ]);
  };
  const name = encodeURIComponent(hostile.replaceAll('¤', oldTexts['¤']));
  const filters = {
    '/': '',
    '/newest': '',
    [`/pictures/${uuid(4, 1)}`]: '',
    [`/artists/${uuid(2, 1)}`]: `?artist=${uuid(2, 1)}`,
    [`/characters/${uuid(3, 1)}`]: `?character=${uuid(3, 1)}`,
    [`/categories/${uuid(1, 2)}`]: `?categories=${name}`,
    [`/categories/${uuid(1, 3)}`]: '',
  };
  for (const [query, filter] of Object.entries(filters)) {
    const links = await linksOf(query);
    assert.deepEqual(links, [
      ['application/atom+xml', `/feed.xml${filter}`],
      ['application/feed+json', `/feed.json${filter}`],
    ]);
    assert.ok(idsIn(await service.get(links[0]?.[1] ?? '')).length > 0, query);
  }
});

/** Every view as a page, on each store: what it shows, how it goes on, and what it hides. */
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { test } from 'node:test';
import { defaultTuning } from '../../src/lib/tuning.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import {
  albumId,
  artistId,
  characterId,
  questionableImageId,
  seaCategoryId,
  sfwImageId,
  writeGalleryCatalogue,
} from '../support/catalogues/gallery.ts';
import { forEachEngineInDepth } from '../support/servers/engines.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { importFiles } from '../support/zukan/import-files.ts';
import { type Answer, configFor, startService } from '../support/zukan/service.ts';

const browser = { Accept: 'text/html' };
const PAGE = 24;
const COUNT = 60;
const hostile = `"><script>alert('1')</script> & $& \${x} {{head}} \u202eevil`;
const escaped = '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; $&amp;';
const [hostileImage, hostileArtist, merged] = [uuid(4, 99), uuid(2, 9), uuid(2, 77)];

const hostileLines = [
  {
    type: 'artist',
    id: hostileArtist,
    name: hostile,
    url: 'https://example.org/"><script>',
    aliases: [merged],
  },
  { type: 'category', name: `x${hostile}`, description: hostile },
  {
    ...{ type: 'image', id: hostileImage, file: 'images/1.webp', nsfw: 'sfw', artist: hostileArtist },
    ...{ title: hostile, description: `${hostile}\n</script>`, categories: [`x${hostile}`], characters: [] },
    source: { name: hostile, url: 'https://example.org/' },
  },
].map((line) => `${JSON.stringify(line).replaceAll('\u202e', '')}\n`);

const unescapeHtml = (text: string) =>
  text.replaceAll('&amp;', '&').replaceAll('&#39;', "'").replaceAll('&quot;', '"');
const idsIn = ({ text }: Answer) =>
  Array.from(text.matchAll(/<li class="tile[^"]*" data-id="([^"]*)"/g), ([, id]) => id);
const nextOf = ({ text }: Answer) =>
  unescapeHtml(/<a class="button" rel="next[^"]*" href="([^"]*)"/.exec(text)?.[1] ?? '');
const jsonIn = ({ text }: Answer) =>
  JSON.parse(/<script type="application\/ld\+json">([\s\S]*?)<\/script>/.exec(text)?.[1] ?? '{}');

await forEachEngineInDepth(async (engine) => {
  const folder = temporaryFolder();
  const config = configFor(folder, {
    ...engine.environment(),
    PUBLIC_URL: 'https://kura.example',
    SITE_NAME: 'Kura',
  });
  const path = await writeGalleryCatalogue(folder, COUNT);
  appendFileSync(path, hostileLines.join(''));
  await importFiles(config, [path]);
  const service = await startService(config);
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await service.get(path, { ...browser, ...headers });
    // Versions of files are hashes, which may have any letters.
    assert.doesNotMatch(answer.text.replaceAll(/\?v=[\w-]+/g, ''), /undefined|\[object|NaN/, path);
    assert.doesNotMatch(
      answer.text,
      /<script(?! type="application\/ld\+json">| defer blocking="render" src="\/gallery\/)|<style| style="| on\w+="/,
      path,
    );
    return answer;
  };
  /** All images of a view, page by page. */
  const follow = async (start: string) => {
    const ids: unknown[] = [];
    for (let path = start; path; ) {
      const page = await get(path);
      assert.equal(page.status, 200, path);
      ids.push(...idsIn(page));
      path = nextOf(page);
    }
    return ids;
  };
  const numbers = Array.from({ length: COUNT }, (_, index) => uuid(4, index + 1));

  test('every view is a page with a heading, a description and one address', async () => {
    const views = {
      '/': ['Random', '/'],
      '/newest': ['Newest', '/newest'],
      '/artists': ['Artists', '/artists'],
      '/characters': ['Characters', '/characters'],
      '/categories': ['Categories', '/categories'],
      '/albums': ['Albums', '/albums'],
      [`/artists/${artistId}`]: ['Hokusai &amp; Daughter', `/artists/${artistId}/hokusai-daughter`],
      [`/characters/${characterId}/old-name`]: [
        'Nami &lt;b&gt;Umi&lt;/b&gt;',
        `/characters/${characterId}/nami-b-umi-b`,
      ],
      [`/categories/${seaCategoryId}/`]: ['sea', `/categories/${seaCategoryId}/sea`],
      [`/albums/${albumId}?utm=junk`]: ['Holidays', `/albums/${albumId}/holidays`],
      [`/pictures/${sfwImageId.toUpperCase()}`]: ['', `/pictures/${sfwImageId}`],
    };
    for (const [path, [heading = '', address = '']] of Object.entries(views)) {
      const page = await get(path);
      assert.deepEqual([page.status, page.headers['content-type']], [200, 'text/html; charset=utf-8'], path);
      assert.match(page.text, new RegExp(`<h1 dir="auto">${RegExp.escape(heading)}`), path);
      assert.match(page.text, /<title>[^<]+<\/title>\n<meta name="description" content="[^"]{5,}">/, path);
      const [, canonical = ''] = /<link rel="canonical" href="([^"]*)">/.exec(page.text) ?? [];
      assert.equal(
        canonical.replace('https://kura.example', '').replace(/(\/pictures\/[^/]+).*/, '$1'),
        address,
        path,
      );
      assert.ok(page.text.includes(`<meta property="og:url" content="${canonical}">`));
      const head = await service.get(path, browser, 'HEAD');
      assert.deepEqual([head.status, head.text], [200, ''], path);
    }
  });

  test('pages go on until every image was shown once', async () => {
    const newest = [hostileImage, ...numbers.toReversed()];
    assert.deepEqual(await follow('/newest'), newest);
    assert.deepEqual(await follow(`/artists/${artistId}`), numbers.toReversed());
    assert.deepEqual(await follow(`/categories/${seaCategoryId}`), numbers.toReversed());
    assert.deepEqual(await follow(`/albums/${albumId}`), numbers.toReversed(), 'in the order of the album');
    const random = await follow('/');
    assert.deepEqual(random.toSorted(), newest.toSorted());
    assert.notDeepEqual(random, newest);
    const first = await get('/?seed=kura');
    assert.deepEqual(idsIn(first), idsIn(await get('/?seed=kura')));
    for (const page of [first, await get(nextOf(await get('/')))])
      assert.match(page.text, /name="robots" content="noindex"/);
    assert.equal(idsIn(first).length, PAGE);
  });

  test('filters are those of the API, and stay in the links of the page', async () => {
    for (const query of [
      'orientation=portrait',
      'nsfw=questionable',
      `artist=${artistId}&categories=city&exclude=moon`,
      'minWidth=240&animated=false',
    ]) {
      const expected = await service.get(`/api/image/latest?limit=25&${query}`);
      const page = await get(`/newest?${query}`);
      assert.deepEqual(
        idsIn(page),
        expected.json.data.slice(0, PAGE).map(({ id }: { id: string }) => id),
        query,
      );
      if (nextOf(page))
        assert.ok(nextOf(page).startsWith(`/newest?`) && nextOf(page).includes(query.split('&')[0] ?? ''));
      assert.match(page.text, /name="robots" content="noindex"/);
    }
    const page = await get(`/newest?categories=city&orientation=square,portrait`);
    assert.match(page.text, /<input type="hidden" name="categories" value="city">/);
    assert.match(page.text, /value="portrait" checked>/);
    assert.match(page.text, /<a class="chip included" href="\/newest\?orientation=square,portrait"/);
    assert.match((await get('/newest?categories=moon')).text, /No pictures match/);
    for (const [path, lead] of [
      ['/newest?minWidth=x', 'minWidth'],
      ['/newest?cursor=x', 'cursor'],
      ['/?categories=nothing', 'nothing'],
      ['/newest?nsfw=', 'nsfw'],
    ] as const) {
      const wrong = await get(path);
      assert.deepEqual([wrong.status, wrong.headers['cache-control']], [400, 'no-store'], path);
      assert.ok(wrong.text.includes(lead) && wrong.text.includes('<h1>This address is not right</h1>'), path);
    }
  });

  test('what is not rated sfw is in no page before the visitor names its rating', async () => {
    const hidden = numbers.filter((_, index) => (index + 1) % 8 === 0);
    for (const path of ['/newest', `/artists/${artistId}`, `/albums/${albumId}`, `/pictures/${sfwImageId}`]) {
      const page = await get(path);
      for (const id of hidden)
        assert.ok(!page.text.includes(`/${id}/`), `${path} has no file and no name of ${id}`);
    }
    const blurred = await get(`/pictures/${questionableImageId}`);
    assert.match(blurred.text, /<h1>This picture is rated questionable\.<\/h1>/);
    assert.doesNotMatch(blurred.text, /<img|og:image|ld\+json|rel="canonical"|Hokusai|webp/);
    const [, show = ''] = /<a class="button strong" href="([^"]*)"/.exec(blurred.text) ?? [];
    assert.equal(show, `/pictures/${questionableImageId}?nsfw=questionable`);
    const shown = await get(show);
    assert.match(shown.text, new RegExp(`<img src="/pictures/${questionableImageId}/`));
    assert.match(shown.text, /name="robots" content="noindex"/);
    assert.doesNotMatch(shown.text, /og:image|ld\+json/);
    const newest = await get('/newest');
    const [, all = ''] = /<a id="unblur" class="button" href="([^"]*)"/.exec(newest.text) ?? [];
    const unblurred = await get(all);
    assert.deepEqual(idsIn(unblurred), idsIn(newest));
    assert.ok(!unblurred.text.includes('data-rating'));
    assert.ok(unblurred.text.includes(`<img src="/pictures/${numbers[55]}/`));
    assert.ok(unblurred.text.includes('?nsfw=sfw,questionable"'), 'the links of tiles keep the choice');
    assert.match(unblurred.text, /<a id="blur"/);
  });

  test('names and texts are escaped everywhere', async () => {
    for (const path of [
      '/newest',
      '/artists',
      `/artists/${hostileArtist}`,
      `/pictures/${hostileImage}`,
      `/newest?artist=${hostileArtist}&minWidth=1`,
    ]) {
      const { status, text } = await get(path);
      assert.equal(status, 200);
      assert.ok(text.includes(escaped), path);
      assert.doesNotMatch(text, /<script>alert/);
    }
    const search = await get(`/search?q=${encodeURIComponent(hostile)}`);
    assert.equal(search.status, 200);
    assert.ok(search.text.includes(escaped));
    const { '@graph': graph } = jsonIn(await get(`/pictures/${hostileImage}`));
    assert.match(graph[0].name, /<script>/);
    assert.equal(
      graph[0].contentUrl.startsWith(`https://kura.example/pictures/${hostileImage}/original.webp`),
      true,
    );
    assert.deepEqual(
      [graph[0].isFamilyFriendly, graph[1]['@type'], graph[1].itemListElement.length],
      [true, 'BreadcrumbList', 3],
    );
  });

  test('a picture has its sizes to download, its artist, and neighbours in an album', async () => {
    const page = await get(`/pictures/${sfwImageId}`);
    assert.match(
      page.text,
      new RegExp(
        `<a href="/pictures/${sfwImageId}/original.webp\\?v=[^"]*" download="[^"]*\\.webp">160 × 240</a>`,
      ),
    );
    assert.match(page.text, new RegExp(`<p class="artist"><a href="/artists/${artistId}/hokusai-daughter"`));
    const [, file = ''] = /<a href="([^"]*)" download/.exec(page.text) ?? [];
    assert.equal((await service.get(file)).headers['content-type'], 'image/webp');
    assert.doesNotMatch(page.text, /rel="(prev|next)"/);
    const album = await get(`/albums/${albumId}`);
    const [, , third = ''] = Array.from(
      album.text.matchAll(/<a href="(\/pictures\/[^"]*)"/g),
      ([, href = '']) => unescapeHtml(href),
    );
    const inAlbum = await get(third);
    assert.match(third, new RegExp(`album=${albumId}&offset=2$`));
    const step = (rel: string) =>
      new RegExp(`rel="${rel}" href="/pictures/([^?"]*)\\?album=${albumId}&amp;offset=(\\d)"`).exec(
        inAlbum.text,
      );
    assert.deepEqual(step('prev')?.slice(1), [numbers.at(-2), '1']);
    assert.deepEqual(step('next')?.slice(1), [numbers.at(-4), '3']);
    const first = await get(`/pictures/${numbers.at(-1)}?album=${albumId}`);
    assert.doesNotMatch(first.text, /rel="prev"/);
    assert.match(first.text, /rel="next"/);
    const elsewhere = await get(`/pictures/${sfwImageId}?album=${albumId}&offset=3`);
    assert.doesNotMatch(elsewhere.text, /rel="(prev|next)"/, 'the album changed');
  });

  test('lists can be searched, sorted and paged', async () => {
    const names = ({ text }: Answer) =>
      Array.from(text.matchAll(/<span class="name" dir="auto">([^<]*)</g), ([, name]) => name);
    assert.deepEqual(
      names(await get('/categories')),
      ['city', 'sea', names(await get('/categories'))[2]],
      'moon has no images',
    );
    assert.equal(names(await get('/categories?sort=images'))[0], 'sea');
    assert.deepEqual(names(await get('/artists?search=kusai')), ['Hokusai &amp; Daughter']);
    assert.deepEqual(names(await get('/artists?search=h%25')), ['Hokusai &amp; Daughter']);
    assert.match((await get('/artists?search=nobody')).text, /No artists match/);
    assert.equal((await get('/artists?search=(')).status, 400);
  });

  test('a search shows what it means and the entries that it finds, and is JSON for programs', async () => {
    const page = await get('/search?q=sea');
    assert.match(page.text, /<h1 dir="auto">“sea”<\/h1>/);
    assert.match(page.text, new RegExp(`href="/categories/${seaCategoryId}/sea"`));
    assert.equal((await follow('/search?q=sea')).length, COUNT);
    assert.match((await get('/search?q=nothing')).text, /<p>No picture is about “nothing”\.<\/p>/);
    assert.match((await get('/search')).text, /Search for artists/);
    const { text } = await get('/search?q=sea+-nothing&orientation=landscape');
    assert.match(
      text,
      /href="\/search\?q=-nothing&amp;orientation=landscape" rel="nofollow" aria-label="Without/,
    );
    assert.match(text, /class="chip unknown" href="\/search\?q=sea&amp;orientation=landscape"/);
    assert.match(text, /<p>No picture is about “nothing”, so nothing is left out\.<\/p>/);
    const misspelt = (await get('/search?q=seea')).text;
    assert.match(misspelt, /Did you mean <a href="\/search\?q=sea" rel="nofollow" dir="auto">sea<\/a>/);
    assert.match((await get('/search?q=sea+-sea')).text, /Nothing found for “sea -sea”/);
    assert.match((await get('/newest?q=sea')).text, /class="chip included" href="\/newest"/);
    const json = await service.get('/search?q=sea', { Accept: 'application/json' });
    assert.equal(json.json.data.categories[0].name, 'sea');
    assert.equal(
      json.text,
      (await service.get('/api/search?q=sea')).text.replaceAll(service.origin, service.origin),
    );
    assert.match(json.headers.vary ?? '', /^Accept/);
  });

  test('what is missing is a page with 404, and what was merged leads to its entry', async () => {
    for (const path of [
      `/pictures/${uuid(9, 9)}`,
      `/artists/${characterId}`,
      '/artists/x',
      '/pictures/x/y',
      `/albums/${albumId}/a/b`,
    ]) {
      const page = await get(path);
      assert.deepEqual([page.status, page.headers['cache-control']], [404, 'no-store'], path);
      assert.match(page.text, /<h1>There is nothing here<\/h1>/, path);
    }
    const moved = await get(`/artists/${merged}`);
    assert.equal(moved.status, 301);
    assert.equal(moved.headers.location?.startsWith(`/artists/${hostileArtist}/script-alert`), true);
  });

  test('a page that depends on the catalogue only is kept until that changes', async () => {
    const paths = ['/newest', '/artists', `/artists/${artistId}`, `/pictures/${sfwImageId}`];
    for (const path of paths) {
      const first = await get(path);
      const again = await get(path, { 'If-None-Match': first.headers.etag ?? '' });
      assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', first.headers.etag], path);
      const small = await get(path, { 'Accept-Encoding': 'br' });
      assert.deepEqual([small.headers['content-encoding'], small.headers.etag], ['br', first.headers.etag]);
    }
    const before = await Promise.all(paths.map((path) => get(path)));
    const uncached = await startService(config, { tuning: { ...defaultTuning, isCaching: false } });
    for (const [index, path] of paths.entries())
      assert.equal((await uncached.get(path ?? '', browser)).text, before[index]?.text, path);
    appendFileSync(path, `${JSON.stringify({ type: 'artist', id: artistId, name: 'Hokusai & Sons' })}\n`);
    await importFiles(config, [path]);
    for (const path of paths.slice(1)) assert.match((await get(path)).text, /Hokusai &amp; Sons/, path);
  });
});

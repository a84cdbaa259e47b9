/** The API reference: the OpenAPI document is valid, accurate and up to date, and the page shows all of it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Zukan } from '../../client/index.ts';
import * as samples from '../../src/api/examples.ts';
import { demoRecords } from '../../src/api/examples.ts';
import { routes } from '../../src/api/routes.ts';
import { Unavailable } from '../../src/lib/metrics.ts';
import { compile } from '../../src/lib/validator.ts';
import { version } from '../../src/lib/version.ts';
import { buildOpenApi, publishOpenApi } from '../../src/server/pages/reference/openapi.ts';
import { referencePage } from '../../src/server/pages/reference/page.ts';
import type { OpenApi, PathItem, Response, Schema } from '../../src/server/pages/reference/responses.ts';
import { restoreDemo } from '../support/catalogues/demo.ts';
import { clock, madeUpImage, startMadeUpService, successStatus } from '../support/zukan/api.ts';
import { closeSchemas } from '../support/zukan/contract.ts';
import {
  type Answer,
  type Envelope,
  makeToken,
  startKnownService,
  startService,
} from '../support/zukan/service.ts';
import { startWrapped } from '../support/zukan/wrapped-catalogue.ts';

const service = await startMadeUpService(
  [
    { type: 'category', name: 'foxgirl' },
    { type: 'category', name: 'kimono' },
    { type: 'category', ...samples.category },
    { type: 'artist', ...samples.artist },
    { type: 'character', ...samples.character },
    madeUpImage(samples.image.id, { artist: samples.artist.id, categories: ['foxgirl', 'kimono'] }),
    { type: 'album', ...samples.album, images: [samples.image.id] },
  ],
  { clock, environment: { RATE_LIMIT: 'on' } },
);
const exempt = await makeToken(service.config, ['image:list', 'api:ratelimit:disabled']);
const document: OpenApi = (await service.get('/openapi.json')).json;
const whole = buildOpenApi(routes, ['/api', '/v1'], version, 1);
const copy: OpenApi = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'));
const page = (await service.get('/docs')).text;
const operationAt = (path: string) => (document.paths[path] as PathItem).get;

describe('/openapi.json', () => {
  test('equals docs/openapi.json; if not, run npm run openapi', () => {
    const publish = (records: samples.ExampleRecords): OpenApi =>
      JSON.parse(JSON.stringify(publishOpenApi(whole, '', records)));
    assert.deepEqual(copy, publish(demoRecords));
    // The first category of the picture here is another one.
    const id = String(document.components.parameters.categoryId?.example);
    assert.deepEqual(document, publish({ ...demoRecords, category: { id, name: '' } }));
  });

  test('has no field that may be null', () => {
    assert.doesNotMatch(JSON.stringify(document), /\bnull/);
  });

  test('contains every endpoint, named after the method of the client', () => {
    for (const { path } of routes) {
      const { operationId, responses } = operationAt(path);
      // A redirect has a method that returns its address.
      const method = operationId + (responses['302'] ? 'Url' : '');
      assert.ok(method in Zukan.prototype, method);
      for (const status of ['200', '401', '429', '431', '500', '503']) assert.ok(responses[status], status);
    }
  });

  test('leaves the addresses outside the prefixes to the page, on a server of their own', () => {
    assert.deepEqual(
      Object.keys(document.paths),
      routes.map(({ path }) => path),
    );
    const others = Object.entries(whole.paths).slice(routes.length);
    assert.deepEqual(
      others.map(([path]) => path),
      [
        '/feed.xml',
        '/feed.json',
        '/pictures/{id}/{name}',
        '/files/{name}',
        '/health/live',
        '/health/ready',
        '/metrics',
        '/docs',
        '/openapi.json',
        '/postman.json',
        '/client.tgz',
        '/favicon.ico',
        '/manifest.webmanifest',
        '/robots.txt',
        '/sitemap.xml',
      ],
    );
    for (const [, { servers, get }] of others)
      assert.deepEqual([servers?.map(({ url }) => url), get.tags], [['/'], ['Other']]);
  });

  test('lists every path in the example of the service information', () => {
    const { content } = operationAt('/').responses['200'] as Response;
    const example = content?.['application/json']?.examples?.demo?.value as { data: string[] };
    assert.deepEqual(
      example.data,
      routes.map(({ path }) => path),
    );
  });

  test('passes the strictest rule set of the linter', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] });
    const source = JSON.stringify(document);
    const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
    const described = problems.map(({ ruleId, message, location }) => [
      ruleId,
      message,
      location[0]?.pointer,
    ]);
    assert.deepEqual(described, []);
  });

  test('documents 400, 403, 404 and 410 where they can occur', () => {
    const errors = routes.map(({ path }) => [
      path,
      Object.keys(operationAt(path).responses)
        .filter((status) => ['400', '403', '404', '410'].includes(status))
        .join(),
    ]);
    assert.deepEqual(Object.fromEntries(errors), {
      '/': '',
      '/stats': '',
      '/token': '',
      '/image': '400,403,404',
      '/image/random': '400,403,404',
      '/image/random/file': '400,403,404',
      '/image/latest': '400,403,404',
      '/image/changes': '400,403,410',
      '/image/{id}': '400,403,404',
      '/image/{id}/file': '400,403,404',
      '/image/{id}/similar': '400,403,404',
      '/search': '400,403,404',
      '/artist': '400',
      '/artist/{id}': '400,404',
      '/artist/{id}/images': '400,403,404',
      '/character': '400',
      '/character/{id}': '400,404',
      '/category': '400',
      '/category/{id}': '400,404',
      '/album': '400',
      '/album/{id}': '400,404',
      '/album/{id}/images': '400,403,404',
    });
  });

  test('names the formats of values, and accepts the fields of later versions', () => {
    const { Image, ArtistWithImages } = document.components.schemas as Record<string, Schema>;
    const { id, url, createdAt, source } = Image?.properties ?? {};
    assert.deepEqual([id?.format, url?.format, createdAt?.format], ['uuid', 'uri', 'date-time']);
    // Empty if it is unknown, which is no URI.
    for (const address of [source?.$ref && document.components.schemas.Source, ArtistWithImages]) {
      const schema = (address as Schema).properties?.url ?? {};
      assert.equal(schema.format, undefined);
      assert.match(schema.description ?? '', /empty if unknown/);
    }
    assert.doesNotMatch(JSON.stringify(document), /additionalProperties/);
  });

  test('has an id of the right kind as the example of each endpoint', () => {
    const examples = routes.flatMap(({ path }) => {
      const [first] = operationAt(path).parameters as { $ref: string }[];
      const key = first?.$ref.split('/').at(-1) ?? '';
      return path.includes('{id}') ? [[path, key, copy.components.parameters[key]?.example]] : [];
    });
    assert.ok(examples.length > 6);
    for (const [path = '', key, example] of examples) {
      const [, kind = ''] = String(path).split('/');
      const record = Reflect.get(samples, kind) as { id: string };
      assert.deepEqual([key, example], [`${kind}Id`, record.id]);
    }
  });

  test('sends 200 to tools that send every example, on any catalogue, and to Postman', async () => {
    const services = [await startKnownService(), await startService(await restoreDemo())];
    for (const { origin, get } of services) {
      const { paths, components }: OpenApi = (await get('/openapi.json')).json;
      for (const [path, { get: operation }] of Object.entries(paths)) {
        const parameters = operation.parameters.map(
          (reference) =>
            components.parameters[('$ref' in reference && reference.$ref.split('/').at(-1)) || ''],
        );
        const query = new URLSearchParams();
        let address = path;
        for (const parameter of parameters) {
          if (parameter?.in === 'path') address = address.replace('{id}', String(parameter.example));
          else if (parameter?.example !== undefined) query.append(parameter.name, String(parameter.example));
        }
        const { status, text, json } = await get(`/api${address}?${query}`);
        if (path === '/search') assert.ok(json.data.images.length > 0, text);
        const expected = operation.security.every(({ token }) => token) ? 401 : successStatus(address);
        assert.equal(status, expected, `${address}?${query}: ${text}`);
      }
      const collection = (await get('/postman.json')).json;
      const [{ value: baseUrl }] = collection.variable;
      assert.equal(baseUrl, `${origin}/api`);
      const requests = collection.item.flatMap(({ item }: Envelope) => item);
      assert.equal(requests.length, routes.length);
      for (const { request } of requests) {
        const [id] = request.url.variable;
        const url: string = request.url.raw.replace('{{baseUrl}}', baseUrl).replace(':id', id?.value);
        const expected = request.auth.type === 'bearer' ? 401 : successStatus(url);
        assert.equal((await get(url)).status, expected, url);
      }
    }
  });

  test('has the address of the service, if the operator has set it', () => {
    const urls = (prefixes: string[], origin: string) =>
      publishOpenApi(buildOpenApi(routes, prefixes, version, 1), origin, demoRecords).servers.map(
        ({ url }) => url,
      );
    assert.deepEqual(urls(['/api', '/v1'], ''), ['/api', '/v1']);
    assert.deepEqual(urls(['/', '/v1'], 'https://a.example'), ['https://a.example', 'https://a.example/v1']);
    const descriptions = document.servers.map(({ description }) => description);
    assert.equal(new Set(descriptions).size, descriptions.length);
  });

  test('states the rate limit of this server', () => {
    const limitOf = (perSecond: number | undefined) =>
      /[^.\n]*rate limit[^.]*\./.exec(buildOpenApi(routes, [''], '', perSecond).info.description)?.[0];
    assert.equal(limitOf(1), 'The rate limit is one request per second.');
    assert.equal(limitOf(5), 'The rate limit is 5 requests per second.');
    assert.equal(limitOf(undefined), 'This service has no rate limit.');
  });

  test('has examples that match their schemas', () => {
    const { components, paths } = closeSchemas(document);
    const assertValid = (schema: Schema, value: unknown, what: string) => {
      const [isValid, errors] = compile({ ...schema, components }).Errors(value);
      assert.ok(isValid, `${what}: ${JSON.stringify(errors)}`);
    };
    for (const [name, { schema, example }] of Object.entries({
      ...components.parameters,
      ...components.headers,
    }))
      if (example !== undefined) assertValid(schema, example, name);
    const successes = Object.entries(paths)
      .filter(([, { get }]) => !get.responses['302'])
      .map(([path, { get }]) => [path, get.responses['200']] as const);
    for (const [name, response] of [...Object.entries(components.responses), ...successes]) {
      for (const { schema, examples = {} } of Object.values((response as Response).content ?? {}))
        for (const { value } of Object.values(examples)) assertValid(schema, value, name);
    }
  });

  test('shows the error messages that the service sends', async () => {
    const { headers: expiry60 } = await makeToken(service.config, ['image:custom-expiry:60']);
    const faulty = (error: Error) =>
      startWrapped(service.config, (catalogue) => ({
        ...catalogue,
        statistics: () => Promise.reject(error),
      }));
    const open = await startWrapped(service.config, (catalogue) => catalogue);
    const [failing, unavailable] = [
      await faulty(new Error('a fault')),
      await faulty(new Unavailable('no database')),
    ];
    const missing = '00000000-0000-4000-8000-000000000000';
    const limited = await startMadeUpService([], { clock, environment: { RATE_LIMIT: 'on' } });
    const tooMany: Answer[] = [];
    // The clock stands still, so every request but the first is a violation, and the tenth violation blocks.
    for (let request = 0; request <= 10; request++) tooMany.push(await limited.get('/api'));
    const pictures: Answer[] = [];
    for (let request = 0; request <= 30; request++)
      pictures.push(await limited.get('/api/image/random/file'));
    const { headers: list } = await makeToken(service.config, ['image:list']);
    const { headers: answered } = await open('/api/image/changes?limit=1', list);
    const forgetful = await startWrapped(service.config, (catalogue) => ({
      ...catalogue,
      changedImages: async () => undefined,
    }));
    const gone = await forgetful(`/api/image/changes?since=${answered['x-next-cursor']}`, list);
    const responses: Record<string, Answer> = {
      '400 limit': await open('/api/artist?limit=0'),
      '400 id': await open('/api/image/x'),
      '400 categories': await open('/api/image/random?categories=dragons'),
      '400 nsfw': await open('/api/image/random?nsfw=wild'),
      '400 cursor': await open('/api/image/random?seed=1&cursor=x'),
      '400 search': await open('/api/artist?search=abc('),
      '401 invalid': await open('/api', { Authorization: `Bearer ${'x'.repeat(100)}` }),
      '401 missing': await open('/api/token'),
      '403 scope': await open('/api/image', expiry60),
      '403 expiry': await open('/api/image/random?expiry=61', expiry60),
      '404 image': await open(`/api/image/${missing}`),
      '404 artist': await open(`/api/artist/${missing}`),
      '404 random': await open('/api/image/random/file?nsfw=nsfw'),
      '410 since': gone,
      '429 early': tooMany[1] as Answer,
      '429 blocked': tooMany[10] as Answer,
      '431 size': await open('/api', { 'X-Filler': 'x'.repeat(50_000) }),
      '500 internal': await failing('/api/stats'),
      '503 unavailable': await unavailable('/api/stats'),
      '429 pictures': pictures[30] as Answer,
    };
    const documented = Object.values(document.components.responses).flatMap(({ content }) =>
      Object.entries(content?.['application/json']?.examples ?? {}),
    );
    assert.deepEqual(
      documented.map(([cause, { value }]) => [`${(value as { code: number }).code} ${cause}`, value]),
      Object.entries(responses).map(([name, { json }]) => [name, json]),
    );
  });

  test('refers to schemas by name, and every reference resolves', () => {
    const text = JSON.stringify(document);
    const references = new Set(
      [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/([\w-]+)"/g)].map(([, ...to]) => to.join(' ')),
    );
    assert.ok(references.has('schemas Image') && references.has('schemas Category'));
    for (const reference of references) {
      const [kind = '', name = ''] = reference.split(' ');
      assert.ok(Reflect.get(Reflect.get(document.components, kind), name), reference);
    }
  });
});

describe('/docs', () => {
  const calls = [...page.matchAll(/<pre class="call"[^>]*><code>(.*?)<\/code>/g)].map(([, call = '']) =>
    call
      .replaceAll(/<\/?span[^>]*>/g, '')
      .replaceAll('&#39;', "'")
      .replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&'),
  );

  test('has a working example call for every endpoint and page', async () => {
    // Two addresses are those of a picture, and one is a package.
    const withoutExample = 3;
    const stepsOfQuickStart = 2;
    const apiCalls = stepsOfQuickStart + routes.length;
    assert.equal(calls.length, stepsOfQuickStart + Object.keys(whole.paths).length - withoutExample);
    for (const [index, call] of calls.entries()) {
      const url = /'(http[^']+)'$/.exec(call)?.[1] ?? '';
      assert.ok(url.startsWith(`${service.origin}/${index < apiCalls ? 'api' : ''}`), call);
      const { status, text } = await service.get(url, exempt.headers);
      assert.equal(status, successStatus(url), `${call}: ${text}`);
    }
    assert.equal(calls.filter((call) => call.includes('-H "Authorization: Bearer $TOKEN"')).length, 3);
  });

  test('starts with random images, and is small', async (t) => {
    const [first] = page.match(/<h3><a.*?<\/h3>/) ?? [];
    assert.match(first ?? '', /<code>\/image\/random<\/code>/);
    const sizes = await Promise.all(
      ['/docs', '/docs.css', '/docs.js'].map(
        async (path) => (await service.get(path, { 'Accept-Encoding': 'br' })).bytes.length,
      ),
    );
    t.diagnostic(`${sizes.join(' + ')} bytes`);
    assert.ok(sizes.reduce((sum, size) => sum + size) < 32_000);
  });

  test('every internal link has exactly one target', () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map((match) => match[1] ?? '');
    assert.equal(new Set(ids).size, ids.length);
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map((match) => match[1] ?? '');
    assert.ok(links.length > 40);
    for (const link of links) assert.ok(ids.includes(link), link);
  });

  test('complies with its Content-Security-Policy', async () => {
    const { headers } = await service.get('/docs');
    assert.equal(
      headers['content-security-policy'],
      "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; manifest-src 'self'; connect-src 'self'; " +
        `img-src 'self' ${service.origin}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    assert.equal(headers['referrer-policy'], 'no-referrer');
    assert.doesNotMatch(page, /<script(?! defer src=)|<style|<iframe|<base| style=| on\w+=/i);
    const loaded = [...page.matchAll(/<(?:link|img|script)[^>]* (?:href|src)="([^"]+)"/g)].map(
      (match) => match[1] as string,
    );
    assert.deepEqual(
      loaded.map((path) => path.replace(/\?v=.{10}$/, '?v')),
      ['/gallery/icon.svg', '/docs.css?v', '/docs.js?v'],
    );
    for (const path of loaded.slice(1))
      assert.match((await service.get(path)).headers['cache-control'] ?? '', /immutable/);
    for (const [, link = ''] of page.matchAll(/<a [^>]*href="([^#"][^"]*)"/g))
      assert.ok(['/', '/docs', '/openapi.json', '/postman.json'].includes(link), link);
  });

  test('escapes all text of the document', () => {
    const hostile = `<script>"'&`;
    const info = {
      ...document.info,
      title: hostile,
      version: hostile,
      summary: hostile,
      description: `${hostile}\`${hostile}\``,
    };
    const site = {
      logo: undefined,
      accent: undefined,
      ratings: [],
      description: '',
      links: [],
      refusesTraining: false,
    };
    const text = referencePage(
      { ...document, info, tags: [{ name: 'Images', description: hostile }] },
      routes,
      {
        origin: hostile,
        records: { ...demoRecords, artist: { id: hostile, name: hostile }, categories: [hostile] },
        responses: { '/stats': { [hostile]: hostile } },
      },
      { ...site, name: hostile },
      { style: hostile, script: '/docs.js' },
    );
    assert.doesNotMatch(text, /<script(?! defer src="\/docs.js")/);
    assert.ok(text.includes('<code>&lt;script&gt;&quot;&#39;&amp;</code>'));
  });

  test('is the same for everyone, whatever Host they send', async () => {
    assert.ok(page.includes(`<span class="origin">${service.origin}</span>/api`));
    const known = (await service.get('/docs')).headers.etag ?? '';
    for (const name of ['a.example', 'b.example', 'c.example', 'd.example', 'e.example', '"><script>']) {
      const answer = await service.get('/docs', { Host: name, 'Accept-Encoding': 'br' });
      assert.deepEqual([answer.headers.etag, answer.headers['content-encoding']], [known, 'br'], name);
      assert.equal(brotliDecompressSync(answer.bytes).toString(), page);
      assert.equal((await service.get('/docs', { Host: name, 'If-None-Match': known })).status, 304);
    }
  });
});

/** The API's description: that it is valid, true and kept up to date, and the page that people read it on. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Compile } from 'typebox/schema';
import { Zukan } from '../../client/index.ts';
import * as samples from '../../src/http/api/examples.ts';
import { routes } from '../../src/http/api/routes.ts';
import { buildOpenApi } from '../../src/http/pages/reference/openapi.ts';
import { referencePage } from '../../src/http/pages/reference/page.ts';
import type { OpenApi, Response, Schema } from '../../src/http/pages/reference/types.ts';
import { version } from '../../src/version.ts';
import { clock, madeUpImage, startMadeUpService } from '../support/api.ts';
import { assertDescribed } from '../support/contract.ts';
import { type Answer, makeToken } from '../support/service.ts';

const service = await startMadeUpService(
  [
    { type: 'category', name: 'foxgirl' },
    { type: 'category', name: 'kimono' },
    { type: 'category', ...samples.category },
    { type: 'artist', ...samples.artist },
    { type: 'character', ...samples.character },
    madeUpImage(samples.image.id, { artist: samples.artist.id, categories: ['foxgirl', 'kimono'] }),
  ],
  { clock, environment: { RATE_LIMIT: 'on' } },
);
const exempt = await makeToken(service.config, ['image:list', 'api:ratelimit:disabled']);
const document: OpenApi = (await service.get('/openapi.json')).json;
const page = (await service.get('/docs')).text;

describe('/openapi.json', () => {
  test('is valid OpenAPI', async () => {
    const { valid, errors } = await new Validator().validate({ ...document });
    assert.ok(valid, JSON.stringify(errors));
  });

  test('is the copy in docs/openapi.json; if this fails, npm run openapi', () => {
    const copy = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'));
    assert.deepEqual(copy, document);
    assert.deepEqual(copy, JSON.parse(JSON.stringify(buildOpenApi(routes, ['/api', '/v1'], version))));
  });

  test('has every endpoint, by the name that it has in the client', () => {
    assert.deepEqual(
      Object.keys(document.paths),
      routes.map(({ path }) => path),
    );
    for (const { get } of Object.values(document.paths)) {
      assert.ok(get.operationId in Zukan.prototype, get.operationId);
      for (const status of ['200', '401', '429', '500', '503']) assert.ok(get.responses[status], status);
    }
  });

  test('names an error wherever it can happen', () => {
    const errors = Object.entries(document.paths).map(([path, { get }]) => [
      path,
      Object.keys(get.responses)
        .filter((status) => ['400', '403', '404'].includes(status))
        .join(),
    ]);
    assert.deepEqual(Object.fromEntries(errors), {
      '/': '',
      '/stats': '',
      '/token': '',
      '/image': '400,403',
      '/image/random': '400,403,404',
      '/image/{id}': '400,403,404',
      '/artist': '400',
      '/artist/{id}': '400,404',
      '/artist/{id}/images': '400,403,404',
      '/character': '400',
      '/character/{id}': '400,404',
      '/category': '400',
      '/category/{id}': '400,404',
    });
  });

  test('has examples that fit', () => {
    const { components, paths } = document;
    const fits = (schema: Schema, value: unknown, what: string) => {
      const [isValid, errors] = Compile({ ...schema, components }).Errors(value);
      assert.ok(isValid, `${what}: ${JSON.stringify(errors)}`);
    };
    for (const [name, { schema, example }] of Object.entries({
      ...components.parameters,
      ...components.headers,
    }))
      fits(schema, example, name);
    const successes = Object.entries(paths).map(([path, { get }]) => [path, get.responses['200']] as const);
    for (const [name, response] of [...Object.entries(components.responses), ...successes]) {
      const json = (response as Response).content?.['application/json'];
      assert.ok(json && Object.keys(json.examples).length > 0, name);
      for (const { value } of Object.values(json.examples)) fits(json.schema, value, name);
    }
  });

  test('refers to shapes by name, and every reference leads somewhere', () => {
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
  const calls = [...page.matchAll(/<pre class="call" tabindex="0"><code>(.*?)<\/code>/g)].map(
    ([, call = '']) => call.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&'),
  );

  test('has a call for each endpoint that works as it stands', async () => {
    assert.equal(calls.length, routes.length);
    for (const call of calls) {
      const url = /'(http[^']+)'$/.exec(call)?.[1] ?? '';
      assert.ok(url.startsWith(`${service.origin}/api`), call);
      const { status, text } = await service.get(url, exempt.headers);
      assert.equal(status, 200, `${call}: ${text}`);
    }
    assert.equal(calls.filter((call) => call.includes('-H "Authorization: Bearer $TOKEN"')).length, 2);
  });

  test('every link within it leads to the one place with that name', () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map((match) => match[1] ?? '');
    assert.equal(new Set(ids).size, ids.length);
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map((match) => match[1] ?? '');
    assert.ok(links.length > 40);
    for (const link of links) assert.ok(ids.includes(link), link);
  });

  test('needs nothing that its policy forbids', async () => {
    const { headers } = await service.get('/docs');
    assert.equal(
      headers['content-security-policy'],
      "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    assert.doesNotMatch(page, /<script|<style|<form|<iframe|<base| style=| on\w+=/i);
    const loaded = [...page.matchAll(/<(?:link|img)[^>]* (?:href|src)="([^"]+)"/g)].map((match) => match[1]);
    assert.deepEqual(loaded, ['/gallery/icon.svg', '/docs.css']);
    for (const [, link = ''] of page.matchAll(/<a [^>]*href="([^#"][^"]*)"/g))
      assert.ok(['/', '/openapi.json'].includes(link), link);
  });

  test('whatever the document says is shown as text', () => {
    const hostile = `<script>"'&`;
    const info = {
      title: hostile,
      version: hostile,
      summary: hostile,
      description: `${hostile}\`${hostile}\``,
    };
    const text = referencePage(
      { ...document, info, tags: [{ name: 'Images', description: hostile }] },
      routes,
    );
    assert.doesNotMatch(text, /<script/);
    assert.ok(text.includes('<code>&lt;script&gt;&quot;&#39;&amp;</code>'));
  });

  test('shows the address that the reader called, where it is one', async () => {
    assert.ok(
      (await service.get('/docs', { Host: 'zukan.example.org' })).text.includes(
        'http://zukan.example.org/api',
      ),
    );
    assert.ok(!(await service.get('/docs', { Host: '"><script>' })).text.includes('<script>'));
  });
});

describe('all three', () => {
  const types = { '/docs': 'text/html', '/docs.css': 'text/css', '/openapi.json': 'application/json' };
  for (const [path, type] of Object.entries(types))
    test(`${path} is compressed, known again, and not limited`, async () => {
      const plain = await service.get(path);
      assert.equal(plain.headers['content-type'], `${type}; charset=utf-8`);
      const small = await service.get(path, { 'Accept-Encoding': 'gzip' });
      assert.equal(small.headers['content-encoding'], 'gzip');
      assert.equal(small.headers['content-type'], plain.headers['content-type']);
      assert.equal(gunzipSync(small.bytes).toString(), plain.text);
      const known = await service.get(path, { 'If-None-Match': plain.headers.etag ?? '' });
      assert.deepEqual([known.status, known.text], [304, '']);
      const head = await service.get(path, {}, 'HEAD');
      assert.deepEqual([head.status, head.text, head.headers.etag], [200, '', plain.headers.etag]);
      assert.equal(head.headers['x-ratelimit-limit'], undefined);
    });
});

describe('an answer that is not as described fails its test', () => {
  const headers = { 'x-request-id': 'x', 'content-type': 'application/json' };
  const body = { success: true, data: [samples.image] };
  const answer = (rest: Partial<Answer>, json: unknown = body): Answer => {
    const text = JSON.stringify(json);
    return { ...{ status: 200, headers, text, json, bytes: Buffer.from(text) }, ...rest };
  };
  const judge = (path: string, given: Answer) =>
    assertDescribed('GET', new URL(path, 'http://localhost'), given);
  const wrong: [string, string, Answer, RegExp][] = [
    ['an address', '/api/nowhere', answer({}), /does not know the address/],
    ['a status', '/api/stats', answer({ status: 404 }), /answered 404, of which .* not know/],
    ['a body', '/v1/image/random', answer({}, { success: true, data: [{}] }), /\/data\/0 must have/],
    [
      'a field',
      '/api/image/random',
      answer({}, { ...body, data: [{ ...samples.image, nsfw: 'no' }] }),
      /nsfw/,
    ],
    ['an error', '/api/stats', answer({ status: 500 }, { message: '' }), /must have required properties/],
    ['a header', '/api/image/random', answer({ headers: { ...headers, etag: '"x"' } }), /with ETag/],
    ['a missing header', '/api/artist', answer({}, { success: true, data: [] }), /without X-Total-Count/],
    ['a type', '/api/image/random', answer({ headers: { 'x-request-id': 'x' } }), /random answered 200/],
  ];
  for (const [what, path, given, says] of wrong)
    test(what, () => {
      assert.throws(() => judge(path, given), says);
    });

  test('and one that is as described does not', () => {
    judge('/api/image/random', answer({}));
    judge('/files/anything', answer({ status: 418 }));
  });
});

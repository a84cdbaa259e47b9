/** Clients of the last release still work, or the changelog names what they must change. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { findBreakingChanges, readNamedChanges } from '../../scripts/breaking-changes.ts';
import type { OpenApi } from '../../src/server/pages/reference/responses.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const changelog = read('../../CHANGELOG.md');
const lastRelease: OpenApi = JSON.parse(read('last-release-openapi.json'));

test('the changelog names each breaking change since the last release', () => {
  const named = readNamedChanges(changelog);
  const unnamed = findBreakingChanges(lastRelease, JSON.parse(read('../../docs/openapi.json')))
    .filter(({ name }) => !named.has(name))
    .map(({ name, change }) => `\`${name}\` (${change})`);
  assert.deepEqual(unnamed, [], 'undo these, or name them in CHANGELOG.md under "What you must change"');
});

test('the document of the last release is that of the second version in the changelog', () => {
  const [, , second = ''] = changelog.split(/^## /m);
  assert.equal(
    lastRelease.info.version,
    second.split('\n')[0],
    'replace test/upgrade/last-release-openapi.json',
  );
});

test('only the newest section and only what users must change is read from the changelog', () => {
  const sections = [
    '## Unreleased',
    '### What you must change',
    '- `?limit` and `Image.id`\n  and `GET\n  /x`.',
  ];
  const others = ['### Changed', '- `b`', '## 0.1.0', '### What you must change', '- `c`'];
  assert.deepEqual(
    readNamedChanges([...sections, ...others].join('\n')),
    new Set(['?limit', 'Image.id', 'GET /x']),
  );
  assert.deepEqual(readNamedChanges(['## Unreleased', ...others].join('\n')), new Set());
});

/** As JSON, whose parts the tests replace. */
const base = JSON.stringify({
  servers: [{ url: '/api' }, { url: '/v1' }],
  paths: {
    '/random': {
      get: {
        operationId: 'random',
        security: [{}, { token: [] }],
        parameters: [
          { $ref: '#/components/parameters/limit' },
          { name: 'kind', in: 'query', required: false, schema: { type: 'string', enum: ['a', 'b'] } },
          {
            name: 'tags',
            in: 'query',
            required: false,
            explode: false,
            schema: { type: 'array', items: { type: 'string' } },
          },
          { name: 'key', in: 'query', required: false, schema: { type: 'string', pattern: '^p' } },
        ],
        responses: {
          200: {
            headers: { 'X-Total': { $ref: '#/components/headers/X-Total' } },
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['data'],
                  properties: { data: { type: 'array', items: { $ref: '#/components/schemas/Image' } } },
                  additionalProperties: false,
                },
              },
            },
          },
          404: { $ref: '#/components/responses/NotFound' },
        },
      },
    },
    '/list': {
      get: {
        operationId: 'list',
        security: [{ token: ['list'] }],
        parameters: [{ $ref: '#/components/parameters/limit' }],
        responses: {
          200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Image' } } } },
        },
      },
    },
    '/health': {
      servers: [{ url: '/' }],
      get: { operationId: 'health', security: [{}], parameters: [], responses: {} },
    },
  },
  components: {
    parameters: {
      limit: {
        name: 'limit',
        in: 'query',
        required: false,
        schema: { type: 'integer', minimum: 1, maximum: 25, default: 10 },
      },
    },
    headers: { 'X-Total': { required: true, schema: { type: 'integer' } } },
    responses: {
      NotFound: { headers: {}, content: { 'text/plain': { schema: { type: 'string', const: 'none' } } } },
    },
    schemas: {
      Image: {
        type: 'object',
        required: ['id', 'size'],
        properties: {
          id: { type: 'string', pattern: '^x' },
          size: { type: 'number', minimum: 0 },
          rating: { type: 'string', enum: ['sfw', 'nsfw'], description: 'text' },
          description: { type: 'string', maxLength: 9 },
        },
      },
    },
  },
});

/** What to replace by what, and the changes that it makes. */
const table: [string, string, ...string[]][] = [
  // Additions and texts
  ['"paths":{', '"paths":{"/new":{"get":{"operationId":"new","parameters":[],"responses":{}}},'],
  ['"parameters":[]', '"parameters":[{"name":"new","in":"query","required":false,"schema":{}}]'],
  ['"id":{', '"new":{"type":"string"},"id":{'],
  ['["id","size"]', '["id","size","rating"]'],
  ['"text"', '"other text"'],
  // Parameters that accept more, responses that contain less
  ['["a","b"]', '["a","b","c"]'],
  ['"maximum":25', '"maximum":50'],
  ['{"type":"string","enum":["a","b"]}', '{"type":"array","items":{"type":"string","enum":["b","a"]}}'],
  ['["sfw","nsfw"]', '["sfw"]'],
  ['[{"token":["list"]}]', '[{}]'],
  // Endpoints
  ['"/health"', '"/healthz"', 'GET /health: removed'],
  ['{"url":"/v1"}', '{"url":"/v2"}', '/v1: removed'],
  ['"servers":[{"url":"/"}],', '', 'GET /health: servers: ["/"] → none'],
  ['"operationId":"list"', '"operationId":"all"', 'GET /list: operationId: "list" → "all"'],
  ['[{},{"token":[]}]', '[{"token":[]}]', 'GET /random: security: [{},{"token":[]}] → [{"token":[]}]'],
  ['["list"]', '["list","more"]', 'GET /list: security: [{"token":["list"]}] → [{"token":["list","more"]}]'],
  // Parameters
  ['"name":"kind"', '"name":"sort"', 'GET /random?kind: removed'],
  [
    '"parameters":[]',
    '"parameters":[{"name":"new","in":"query","required":true,"schema":{}}]',
    'GET /health?new: new and required',
  ],
  ['"limit","in":"query","required":false', '"limit","in":"query","required":true', '?limit: now required'],
  ['"maximum":25', '"maximum":20', '?limit: maximum: 25 → 20'],
  ['"default":10', '"default":25', '?limit: default: 10 → 25'],
  ['["a","b"]', '["a"]', 'GET /random?kind: enum: ["a","b"] → ["a"]'],
  ['"explode":false,', '', 'GET /random?tags: explode: false → none'],
  [
    '"items":{"type":"string"}',
    '"items":{"type":"string","pattern":"^a"}',
    'GET /random?tags[]: pattern: none → "^a"',
  ],
  [
    '"items":{"type":"string"}',
    '"items":{"type":"string","format":"uuid"}',
    'GET /random?tags[]: format: none → "uuid"',
  ],
  // Responses
  ['"404":{', '"410":{', 'GET /random 404: removed'],
  ['"text/plain"', '"text/html"', 'NotFound text/plain: removed'],
  ['"const":"none"', '"const":"nothing"', 'NotFound: enum: ["none"] → ["nothing"]'],
  ['"X-Total":{"$ref"', '"X-Sum":{"$ref"', 'GET /random 200 X-Total: removed'],
  ['"X-Total":{"required":true', '"X-Total":{"required":false', 'X-Total: no longer always present'],
  ['"required":["data"],', '', 'GET /random 200.data: no longer always present'],
  ['"rating":', '"nsfw":', 'Image.rating: removed'],
  ['["id","size"]', '["id"]', 'Image.size: no longer always present'],
  ['"type":"number"', '"type":"string"', 'Image.size: type: "number" → "string"'],
  ['["sfw","nsfw"]', '["sfw","nsfw","odd"]', 'Image.rating: enum: ["sfw","nsfw"] → ["sfw","nsfw","odd"]'],
  ['"maxLength":9', '"maxLength":10', 'Image.description: maxLength: 9 → 10'],
  [
    '"schema":{"$ref":"#/components/schemas/Image"}',
    '"schema":{"type":"array"}',
    'GET /list 200: type: "object" → "array"',
    'GET /list 200.id: removed',
    'GET /list 200.size: removed',
    'GET /list 200.rating: removed',
    'GET /list 200.description: removed',
  ],
];

test('finds what breaks clients, and nothing else', () => {
  for (const [part, replacement, ...expected] of table) {
    const changed = base.replace(part, () => replacement);
    assert.notEqual(changed, base, part);
    const found = findBreakingChanges(JSON.parse(base), JSON.parse(changed));
    assert.deepEqual(
      found.map(({ name, change }) => `${name}: ${change}`),
      expected,
      `${part} → ${replacement}`,
    );
  }
  assert.deepEqual(findBreakingChanges(lastRelease, lastRelease), []);
});

/**
 * Every pair of errors that can apply to one call of an endpoint: the response is the one with the higher precedence. The
 * calls are generated from the routes, so a new endpoint is tested without an entry here.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileRule } from '../../src/access/rate.ts';
import type { Route } from '../../src/api/endpoint.ts';
import { routes } from '../../src/api/routes.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { atDepth } from '../support/depth.ts';
import { forEachEngineInDepth, sqlite } from '../support/servers/engines.ts';
import { assertError, clock } from '../support/zukan/api.ts';
import { makeToken, type Service, startKnownService } from '../support/zukan/service.ts';

type TokenName = 'none' | 'wrong' | 'bare' | 'list' | 'both60' | 'both';

/** What differs from a call that succeeds. */
interface Changes {
  id?: string;
  token?: TokenName;
  isTooEarly?: true;
  query?: Record<string, string>;
}

/** In order of precedence. */
const ranks = ['rate', 'token', 'parameter', 'expiry without token', 'scope', 'missing'] as const;
const statuses = {
  rate: 429,
  token: 401,
  parameter: 400,
  'expiry without token': 401,
  scope: 403,
  missing: 404,
} as const;
const messages: Partial<Record<(typeof ranks)[number], RegExp>> = {
  'expiry without token': /^No token: a custom expiry/,
};

interface Failure {
  rank: (typeof ranks)[number];
  changes: Changes;
}

/** Invalid values of every parameter: those that break its schema, and those that only the catalogue can reject. */
const invalidValues: Record<string, string[]> = {
  limit: ['0'],
  offset: ['x'],
  expiry: ['30', ''],
  search: ['x'.repeat(51), '('],
  q: ['x'.repeat(101)],
  nsfw: ['x'],
  orientation: [''],
  categories: ['nope'],
  exclude: ['nope'],
  match: ['x'],
  artist: ['x'],
  excludeArtist: ['x'],
  character: ['x'],
  album: ['x'],
  animated: ['x'],
  minWidth: ['0'],
  minHeight: ['0'],
  maxWidth: ['0'],
  maxHeight: ['0'],
  type: ['svg'],
  aspectRatio: ['x'],
  seed: [''],
  cursor: ['', 'x'],
  since: ['', 'x'],
  include: ['x'],
  width: ['x'],
  sort: ['x'],
  strict: ['x'],
};
const kinds: Record<string, number> = { image: 4, artist: 2, character: 3, category: 1, album: 5 };

function failuresOf({ path, access, query }: Route): Failure[] {
  const failures: Failure[] = [];
  const add = (rank: Failure['rank'], changes: Changes) => failures.push({ rank, changes });
  const names = Object.keys(query.properties);
  add('rate', { isTooEarly: true });
  add('token', { token: 'wrong' });
  if (access !== 'open') add('token', { token: 'none' });
  if (path.includes('{id}')) {
    add('parameter', { id: 'x' });
    add('missing', { id: uuid(9, 9) });
  }
  for (const name of names) {
    assert.ok(invalidValues[name], `add an invalid value for ${name}`);
    for (const value of invalidValues[name]) add('parameter', { query: { [name]: value } });
  }
  if (typeof access === 'object') add('scope', { token: 'bare' });
  if (names.includes('expiry')) {
    if (access === 'open') add('expiry without token', { token: 'none', query: { expiry: '31' } });
    add('scope', { token: 'list', query: { expiry: '31' } });
    add('scope', { token: 'both60', query: { expiry: '61' } });
  }
  for (const name of ['artist', 'excludeArtist', 'character'])
    if (names.includes(name)) add('missing', { query: { [name]: uuid(9, 9) } });
  return failures;
}

/** Only the catalogue can find these. All others are found before a store is asked. */
const asksCatalogue = ({ rank, changes }: Failure) =>
  rank === 'missing' || Object.values(changes.query ?? {}).includes('nope');

/** Both changes together; undefined if they contradict each other. */
function combine(one: Changes, other: Changes): Changes | undefined {
  const [flat, more] = [one, other].map(({ query, ...rest }) => ({ ...query, ...rest })) as [object, object];
  const isConsistent = Object.entries(more).every(
    ([name, value]) => !(name in flat) || Reflect.get(flat, name) === value,
  );
  return isConsistent ? { ...one, ...other, query: { ...one.query, ...other.query } } : undefined;
}

await forEachEngineInDepth(async (engine) => {
  const environment = { RATE_LIMIT: 'on', TRUSTED_PROXIES: '127.0.0.1' };
  const service: Service = await startKnownService({ engine, clock, environment });
  const headersFor = async (...scopes: string[]) => (await makeToken(service.config, scopes)).headers;
  const tokens: Record<TokenName, Record<string, string>> = {
    none: {},
    wrong: { Authorization: `Bearer ${'a'.repeat(100)}` },
    bare: await headersFor(),
    list: await headersFor('image:list'),
    both60: await headersFor('image:list', 'image:custom-expiry:60'),
    both: await headersFor('image:list', 'image:custom-expiry'),
  };
  /** On SQLite, those of different ranks; on the other stores, those that only a store can find. */
  const isPairOfInterest = (failures: Failure[], one: Failure, other: Failure) => {
    if (atDepth(false, true)) return true;
    if (engine !== sqlite) return asksCatalogue(one) && asksCatalogue(other);
    const isFirst = (failure: Failure) => failures.find(({ rank }) => rank === failure.rank) === failure;
    return one === other || (isFirst(one) && isFirst(other));
  };
  let clients = 0;

  async function call({ path, isEmbed }: Route, { id, token = 'both', isTooEarly, query = {} }: Changes) {
    const client = { 'X-Forwarded-For': `10.0.${clients >> 8}.${clients++ & 255}` };
    const [before, count] = isEmbed ? ['/api/image/random/file', fileRule.burst] : ['/api', 1];
    for (let turn = 0; isTooEarly && turn < count; turn++) await service.get(before, client);
    const existing = uuid(kinds[path.split('/')[1] ?? ''] ?? 0, 1);
    const address = `/api${path.replace('{id}', id ?? existing)}?${new URLSearchParams(query)}`;
    return { address, answer: await service.get(address, { ...client, ...tokens[token] }) };
  }

  for (const route of routes)
    describe(route.path, () => {
      const failures = failuresOf(route);
      const bases: Changes[] = route.access === 'open' ? [{ token: 'none' }, { token: 'both' }] : [{}];

      test('succeeds without an error', async () => {
        for (const base of bases) assert.ok((await call(route, base)).answer.status < 400);
      });

      test('reports the first of two errors', async () => {
        for (const [index, one] of failures.entries())
          for (const other of failures.slice(index)) {
            const changes = combine(one.changes, other.changes);
            if (!changes || !isPairOfInterest(failures, one, other)) continue;
            const first = ranks.indexOf(one.rank) <= ranks.indexOf(other.rank) ? one.rank : other.rank;
            // A token in the changes replaces that of the base.
            for (const base of changes.token === undefined ? bases : [{}]) {
              const { address, answer } = await call(route, { ...base, ...changes });
              const what: string = `${address} with ${JSON.stringify({ ...base, ...changes })}`;
              assert.equal(answer.status, statuses[first], `${what}: ${answer.text}`);
              assertError(answer, statuses[first], messages[first]);
            }
          }
      });
    });
});

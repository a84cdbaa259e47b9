/** The Grafana dashboard, the alerts and the table of metrics in docs/ match what /metrics returns. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseMetrics } from '../support/checks/metrics.ts';
import { sqlite } from '../support/servers/engines.ts';
import { findPostgres, installPostgres, unless } from '../support/servers/needs.ts';
import { sharedPostgres } from '../support/servers/postgres.ts';
import { type ServiceOptions, startKnownService } from '../support/zukan/service.ts';

const docs = join(import.meta.dirname, '../../docs');
const dashboard = JSON.parse(readFileSync(join(docs, 'grafana.json'), 'utf8'));
const page = readFileSync(join(docs, 'metrics.md'), 'utf8');
const others = ['alerts.yaml', 'operating.md', 'scaling.md'].map((file) =>
  readFileSync(join(docs, file), 'utf8'),
);

async function scrape(options: ServiceOptions) {
  const service = await startKnownService(options);
  await service.get('/api/image/random');
  return parseMetrics((await service.get('/metrics')).text);
}

type Scrape = Awaited<ReturnType<typeof scrape>>;

/** The names that queries may use: a histogram has three. */
function names(metrics: Scrape): string[] {
  return [...metrics].flatMap(([name, { type }]) =>
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map((suffix) => name + suffix) : [name],
  );
}

test('the dashboard is valid: unique ids, no overlapping panels, one data source', () => {
  const { panels, templating, schemaVersion, title } = dashboard;
  assert.ok(title && schemaVersion >= 36 && dashboard.id === null);
  const ids = panels.map(({ id }: { id: number }) => id);
  assert.equal(new Set(ids).size, ids.length);
  const [source] = templating.list;
  assert.deepEqual([source.name, source.type, source.query], ['datasource', 'datasource', 'prometheus']);
  const occupied = new Set<string>();
  for (const { type, datasource, targets, gridPos } of panels) {
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        assert.ok(x < 24 && !occupied.has(`${x} ${y}`), `two panels at ${x} ${y}`);
        occupied.add(`${x} ${y}`);
      }
    if (type === 'row') continue;
    for (const { uid } of [datasource, ...targets.map((target: typeof datasource) => target.datasource)])
      assert.match(uid, /^\$\{datasource\}$/);
    const refs = targets.map(({ refId }: { refId: string }) => refId);
    assert.equal(new Set(refs).size, refs.length);
  }
});

const skip = unless(findPostgres(), 'PostgreSQL', installPostgres);
if (!skip) {
  const postgres = await sharedPostgres();
  const environment = { DATABASE_URL: `${postgres.newDatabase()}?connect_timeout=60` };
  const scrapes = [await scrape({ engine: sqlite }), await scrape({ environment })];
  const known = new Set(scrapes.flatMap(names));

  test('the dashboard shows every metric and no metric or label that does not exist', () => {
    const queries: string[] = [
      ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }: { expr: string }) => expr)),
      ...dashboard.templating.list.slice(1).map(({ definition }: { definition: string }) => definition),
    ];
    const queried = queries.flatMap((query) => query.match(/\b(zukan|process)_\w+/g) ?? []);
    assert.ok(queries.length > 25);
    assert.deepEqual(
      queried.filter((name) => !known.has(name)),
      [],
    );
    const labels = new Set(
      scrapes.flatMap((scrape) =>
        [...scrape.values()].flatMap(({ samples }) =>
          [...samples.values()].flatMap((sample) => Object.keys(sample.labels)),
        ),
      ),
    );
    const grouped = queries.flatMap((query) =>
      [...query.matchAll(/by \(([^)]*)\)/g)].map(([, by]) => by ?? ''),
    );
    for (const label of grouped.flatMap((by) => by.split(', ')))
      assert.ok(labels.has(label) || label === 'instance', `unknown label ${label}`);
    const base = (name: string) => name.replace(/_(bucket|sum|count)$/, '');
    const shown = new Set(queried.map(base));
    assert.deepEqual(
      [...known].map(base).filter((name) => !shown.has(name)),
      [],
    );
  });

  test('docs/metrics.md lists every metric with its type and labels', () => {
    const rows = [...page.matchAll(/^\| `((?:zukan|process)_\w+)(?:\{([\w,]+)\})?` \| (\w+) \|/gm)];
    const documented = rows.map(([, name, labels = '', type]) => [name, type, labels]);
    const existing = new Map(
      scrapes.flatMap((scrape) =>
        [...scrape].map(([name, { type, samples }]) => {
          const [first] = samples.values();
          const labels = Object.keys(first?.labels ?? {}).filter((label) => label !== 'le');
          return [name, [name, type, labels.join()]] as const;
        }),
      ),
    );
    assert.deepEqual(documented.sort(), [...existing.values()].sort());
    const mentioned = others.flatMap((text) => text.match(/\bzukan_[a-z_]+[a-z]/g) ?? []);
    assert.ok(mentioned.length > 8);
    assert.deepEqual(
      mentioned.filter((name) => !known.has(name) && !existing.has(name)),
      [],
    );
  });
} else {
  test('the dashboard and the table match /metrics', { skip }, () => {});
}

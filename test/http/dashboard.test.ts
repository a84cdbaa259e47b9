/** The Grafana dashboard, the alerts and the pages in docs/ match what /metrics returns. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseMetrics } from '../support/checks/metrics.ts';
import { sqlite } from '../support/servers/engines.ts';
import { findProgram, unless } from '../support/servers/needs.ts';
import { describeOnPostgres, sharedPostgres } from '../support/servers/postgres.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { type ServiceOptions, startKnownService } from '../support/zukan/service.ts';

const docs = join(import.meta.dirname, '../../docs');
const dashboard = JSON.parse(readFileSync(join(docs, 'grafana.json'), 'utf8'));
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

/** Series of Prometheus' notation, one sample a minute, that make each alert fire at a minute, and not before. */
const firing: Record<string, { series: Record<string, string>; at: string; not: string }> = {
  ZukanDown: { series: { up: '1 0x5' }, at: '3m', not: '1m' },
  // A scrape is missed.
  ZukanDegraded: { series: { 'zukan_part_up{part="limits"}': '1 0 _ 0 0 0' }, at: '5m', not: '2m' },
  ZukanErrors: {
    series: {
      'zukan_http_requests_total{status="200"}': '0+90x15',
      'zukan_http_requests_total{status="503"}': '0+10x15',
    },
    at: '12m',
    not: '4m',
  },
  ZukanSlow: {
    series: {
      'zukan_http_request_duration_seconds_bucket{route="/image/random",le="0.2"}': '0x30',
      'zukan_http_request_duration_seconds_bucket{route="/image/random",le="0.5"}': '0+60x30',
      'zukan_http_request_duration_seconds_bucket{route="/image/random",le="+Inf"}': '0+60x30',
    },
    at: '20m',
    not: '5m',
  },
  ZukanBusy: {
    series: { zukan_event_loop_active_seconds_total: '0+54x40', zukan_workers: '1x40' },
    at: '30m',
    not: '10m',
  },
  ZukanReplicaBehind: {
    series: { 'zukan_database_behind_total{server="replica 1"}': '0+120x30' },
    at: '15m',
    not: '3m',
  },
  ZukanDatabaseWaiting: {
    series: { 'zukan_database_waiting{server="primary"}': '0 3x15' },
    at: '10m',
    not: '4m',
  },
  ZukanCatalogueShrank: {
    series: { 'zukan_catalogue_records{kind="image"}': '100x70 80x20' },
    at: '80m',
    not: '60m',
  },
  ZukanBackupOld: { series: { zukan_backup_timestamp_seconds: '0x3000' }, at: '49h', not: '47h' },
  ZukanNeverBackedUp: {
    series: { 'zukan_catalogue_records{kind="image"}': '5x3000' },
    at: '49h',
    not: '47h',
  },
  ZukanBackupShrank: { series: { zukan_backup_bytes: '100x1500 80x100' }, at: '1510m', not: '1490m' },
};

const promtool = findProgram('promtool');
test('each alert fires, says Prometheus', {
  skip: unless(promtool, 'Prometheus', 'install it (on Debian: apt-get install prometheus)'),
}, () => {
  const [head = '', ...rules] = readFileSync(join(docs, 'alerts.yaml'), 'utf8').split(/^(?= *- alert:)/m);
  const folder = temporaryFolder();
  const isFiring = (eval_time: string, exp_samples: object[]) => ({
    expr: 'count(ALERTS{alertstate="firing"})',
    eval_time,
    exp_samples,
  });
  // A file for each, because all rules of a file are computed for each minute of its tests.
  const files = rules.map((rule) => {
    const name = /alert: (\w+)/.exec(rule)?.[1] as string;
    assert.ok(firing[name], name);
    const { series, at, not } = firing[name];
    const input_series = Object.entries(series).map(([text, values]) => {
      const [metric, labels = ''] = text.split(/[{}]/);
      return { series: `${metric}{job="zukan",instance="a"${labels && `,${labels}`}}`, values };
    });
    const promql_expr_test = [isFiring(not, []), isFiring(at, [{ value: 1 }])];
    const tests = [{ interval: '1m', input_series, promql_expr_test }];
    writeFileSync(join(folder, `${name}.rules`), head + rule);
    // JSON is YAML, too.
    writeFileSync(join(folder, name), JSON.stringify({ rule_files: [`${name}.rules`], tests }));
    return name;
  });
  assert.equal(files.length, Object.keys(firing).length);
  const { status, stdout, stderr } = spawnSync(promtool as string, ['test', 'rules', ...files], {
    cwd: folder,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stdout + stderr);
});

describeOnPostgres('the dashboard and the pages', async () => {
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

  test('the alerts and the pages name metrics that exist', () => {
    const existing = new Set(scrapes.flatMap((scrape) => [...scrape.keys()]));
    const mentioned = others.flatMap((text) => text.match(/\bzukan_[a-z_]+[a-z]/g) ?? []);
    assert.ok(mentioned.length > 8);
    assert.deepEqual(
      mentioned.filter((name) => !known.has(name) && !existing.has(name)),
      [],
    );
  });
});

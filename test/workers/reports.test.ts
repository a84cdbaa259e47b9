/** The reports of all workers, also when one does not answer or has ended. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Metric, type MetricsReport, mergeMetrics } from '../../src/lib/metrics.ts';
import { type Reporter, Reports } from '../../src/server/workers/messages.ts';

/** Far longer than a test may take. */
const NEVER_MS = 600_000;

function metric(name: string, value: number, rest: Partial<Metric> = {}): Metric {
  return { name, type: 'counter', help: '', samples: [{ value }], ...rest };
}

const report = (...metrics: Metric[]): MetricsReport => ({ metrics, degradedReasons: {}, canServe: true });

const isResponding = () => true;

const valuesIn = (metrics: Metric[]) =>
  Object.fromEntries(metrics.map(({ name, samples }) => [name, samples.map(({ value }) => value)]));

test('metrics are added up by their labels, unless one value stands for all', () => {
  const of = (factor: number): Metric[] => [
    metric('requests', 0, {
      samples: ['a', 'b'].map((route) => ({ labels: { route }, value: factor * (route === 'a' ? 1 : 10) })),
    }),
    metric('memory', factor, { type: 'gauge', across: 'max' }),
    metric('up', factor, { type: 'gauge', across: 'min' }),
  ];
  const more = metric('requests', 0, { samples: [{ labels: { route: 'c' }, value: 5 }] });
  assert.deepEqual(valuesIn(mergeMetrics([of(1), of(2), [more]])), {
    requests: [3, 30, 5],
    memory: [2],
    up: [1],
  });
});

for (const isAsked of [true, false])
  test(`a worker that ${isAsked ? 'does not answer in time' : 'hangs'} is reported, with what it has counted`, async () => {
    const reports = new Reports(isAsked ? 1 : NEVER_MS);
    let questions = 0;
    const silent: Reporter = {
      report: report(metric('requests', 3), metric('heap', 5, { type: 'gauge' })),
      ask: () => questions++,
      isResponding: () => isAsked,
    };
    const answering: Reporter = {
      report: undefined,
      isResponding,
      ask: (question) => reports.answer(answering, question, report(metric('requests', 4))),
    };
    const collected = await reports.collect([silent, answering], true);
    assert.equal(questions, Number(isAsked));
    assert.deepEqual(valuesIn(mergeMetrics(collected.map(({ metrics }) => metrics))), { requests: [7] });
    assert.deepEqual(
      collected.map(({ canServe, degradedReasons }) => [canServe, Object.keys(degradedReasons)]),
      [
        [false, ['workers']],
        [true, []],
        [false, []],
      ],
    );
  });

test('what a worker has counted stays when it ends, and its gauges do not', async () => {
  const reports = new Reports();
  const worker: Reporter = {
    isResponding,
    report: report(metric('requests', 3), metric('heap', 5, { type: 'gauge' })),
    ask: () => reports.retire(worker),
  };
  for (let time = 0; time < 2; time++) {
    const collected = await reports.collect(time === 0 ? [worker] : [], true);
    assert.deepEqual(valuesIn(mergeMetrics(collected.map(({ metrics }) => metrics))), { requests: [3] });
  }
});

test('a question about the health keeps the metrics of the last report', async () => {
  const reports = new Reports();
  const worker: Reporter = {
    isResponding,
    report: report(metric('requests', 3)),
    ask: (question) => reports.answer(worker, question, report()),
  };
  await reports.collect([worker], false);
  assert.deepEqual(valuesIn(worker.report?.metrics ?? []), { requests: [3] });
});

/** Metrics for Prometheus. Always responds; metrics that cannot be collected are left out. */
import type { Services } from '../../api/services.ts';
import type { Statistics } from '../../catalogue/types.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Disk } from '../../lib/disk-space.ts';
import {
  type DegradedReasons,
  formatMetrics,
  METRICS_TYPE,
  type Metric,
  type MetricsReport,
  mergeMetrics,
  parts,
} from '../../lib/metrics.ts';
import type { LastBackup } from '../../store/contract/last-backup.ts';
import { type HealthCheck, mergeReasons, type Requester } from './health.ts';

/** The report of this worker, with metrics only if those of the server are given. */
export async function makeReport(
  services: Services,
  check: HealthCheck,
  serverMetrics: (() => Metric[]) | undefined,
  requester: Requester,
): Promise<MetricsReport> {
  const { degradedReasons, statistics, lastBackup } = await check.run(requester);
  const canServe = statistics !== undefined;
  if (!serverMetrics) return { metrics: [], degradedReasons, canServe };
  const metrics = [
    ...serverMetrics(),
    ...services.decisions.metrics(services.limiter?.blockedClients() ?? 0),
    ...(statistics ? catalogueMetrics(statistics) : []),
    ...backupMetrics(lastBackup),
    ...services.store.metrics(),
    ...diskMetrics(services.disks()),
  ];
  return { metrics, degradedReasons, canServe };
}

/** Sends the metrics of all workers together. */
export function sendMetrics(reports: MetricsReport[], exchange: Exchange): void {
  const metrics = [...mergeMetrics(reports.map(({ metrics }) => metrics)), partMetric(mergeReasons(reports))];
  exchange.header('Cache-Control', 'no-store');
  exchange.sendCompressed(200, formatMetrics(metrics), METRICS_TYPE);
}

function partMetric(degradedReasons: DegradedReasons): Metric {
  return {
    name: 'zukan_part_up',
    type: 'gauge',
    help: 'Whether a part of the service works as configured.',
    samples: parts.map((part) => ({ labels: { part }, value: part in degradedReasons ? 0 : 1 })),
  };
}

function diskMetrics(disks: Disk[]): Metric[] {
  const metric = (name: string, help: string, measure: (disk: Disk) => number): Metric => ({
    name: `zukan_disk_${name}_bytes`,
    type: 'gauge',
    across: 'max',
    help,
    samples: disks.map((disk) => ({ labels: { folder: disk.folder }, value: measure(disk) })),
  });
  return [
    metric('free', 'Free space on the disk of a folder.', ({ free }) => free),
    metric('size', 'Size of the disk of a folder.', ({ size }) => size),
  ];
}

/** Without a sample before the first backup. */
function backupMetrics(backup: LastBackup | undefined): Metric[] {
  const gauge = { type: 'gauge', across: 'max' } as const;
  const sample = (value: number | undefined) => (value === undefined ? [] : [{ value }]);
  return [
    {
      ...gauge,
      name: 'zukan_backup_timestamp_seconds',
      help: 'When the last backup that succeeded began.',
      samples: sample(backup && Date.parse(backup.at) / 1000),
    },
    {
      ...gauge,
      name: 'zukan_backup_bytes',
      help: 'The size of the last backup that succeeded.',
      samples: sample(backup?.bytes),
    },
  ];
}

function catalogueMetrics({ images, artists, characters, categories }: Statistics): Metric[] {
  const counts = { image: images, artist: artists, character: characters, category: categories };
  return [
    {
      name: 'zukan_catalogue_records',
      type: 'gauge',
      across: 'max',
      help: 'Records by kind.',
      samples: Object.entries(counts).map(([kind, { count }]) => ({ labels: { kind }, value: count })),
    },
    {
      name: 'zukan_catalogue_images',
      type: 'gauge',
      across: 'max',
      help: 'Images by rating.',
      samples: Object.entries(images.nsfw).map(([rating, value]) => ({ labels: { rating }, value })),
    },
  ];
}

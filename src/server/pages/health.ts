/**
 * The health check: uses every part of the service to see whether it works. Clients get our own descriptions, never an
 * error's message, which may contain addresses or secrets. The log has the errors.
 */
import { setTimeout } from 'node:timers/promises';
import type { Services } from '../../api/endpoint.ts';
import type { Statistics } from '../../catalogue/schemas.ts';
import type { LastBackup } from '../../catalogue/writer.ts';
import type { Exchange } from '../../http/exchange.ts';
import { errorField, type Logger } from '../../http/logger.ts';
import { toByteString } from '../../lib/byte-string.ts';
import { type Disk, isNearlyFull } from '../../lib/file-system.ts';
import {
  type DegradedReasons,
  formatMetrics,
  METRICS_TYPE,
  type Metric,
  type MetricsReport,
  mergeMetrics,
  metric,
  type Part,
  parts,
} from '../../lib/metrics.ts';

/** Not the hash of any token: looking it up only shows that tokens can be looked up. */
const NO_HASH = '';
/** A result is used for this long, so clients cannot make us query the database more often. */
const MAX_AGE_MS = 1000;
/** Shorter than the ten seconds after which Prometheus gives up. */
const TIMEOUT_MS = 5000;
const TIMED_OUT = `no response within ${TIMEOUT_MS / 1000} seconds`;

/** Where errors are logged, and the request that asked for the check. */
export interface Requester {
  log: Logger;
  id?: string;
}

/** Checks the health of one worker. Concurrent requests share one check. Errors are logged with the request that started it. */
export function healthCheck(services: Services): (requester: Requester) => Promise<Health> {
  const { limiter, store, clock } = services;
  let latest: Promise<Health> | undefined;
  let startedAt = 0;
  let isRunning = false;

  async function start(requester: Requester): Promise<Health> {
    const isDone = new AbortController();
    const timedOut: Health = {
      degradedReasons: { catalogue: TIMED_OUT, tokens: TIMED_OUT },
      statistics: undefined,
      lastBackup: undefined,
    };
    const timeout = setTimeout(TIMEOUT_MS, timedOut, { signal: isDone.signal, ref: false });
    timeout.catch(() => {});
    isRunning = true;
    const check = checkParts(services, requester).finally(() => {
      isRunning = false;
      isDone.abort();
    });
    return Promise.race([check, timeout]);
  }

  return async (requester) => {
    const now = clock();
    const isFresh = Math.abs(now - startedAt) < MAX_AGE_MS;
    // A check that hangs is not repeated, or checks would pile up behind a database that does not respond.
    if (!latest || !(isFresh || isRunning)) {
      startedAt = now;
      latest = start(requester);
    }
    const { degradedReasons, ...health } = await latest;
    const [limits, replicas] = [limiter?.degradedReason(), store.degradedReason()];
    return {
      ...health,
      degradedReasons: { ...degradedReasons, ...(limits && { limits }), ...(replicas && { replicas }) },
    };
  };
}

type Health = Awaited<ReturnType<typeof checkParts>>;

/** The statistics are undefined if the catalogue cannot be read. */
async function checkParts({ store, catalogue, tokens, files, disks }: Services, { log, id }: Requester) {
  const reading = catalogue.statistics();
  const [statistics, data, token, file, backup] = await Promise.allSettled([
    reading,
    store.verify(),
    (async () => tokens.find(NO_HASH))(),
    // Without images there need not be a folder.
    reading.then(
      ({ images }) => (images.count > 0 ? files.verify() : undefined),
      () => {},
    ),
    store.lastBackup(),
  ]);
  const degradedReasons: DegradedReasons = {};
  const record = (outcome: PromiseSettledResult<unknown>, part: Part, reason: string) => {
    if (outcome.status === 'fulfilled') return;
    degradedReasons[part] = reason;
    log.error({ request: id, part, ...errorField(outcome.reason) }, 'health check failed');
  };
  if (statistics.status === 'fulfilled')
    record(data, 'catalogue', 'the catalogue is damaged; some requests fail');
  else record(statistics, 'catalogue', 'the catalogue cannot be read; the API returns errors');
  record(token, 'tokens', 'tokens cannot be looked up; requests with a token fail');
  record(file, 'files', 'the files cannot be read; links to them fail');
  if (disks().some(isNearlyFull))
    degradedReasons.disk = 'the disk is nearly full; free some space, or imports and changes fail';
  return {
    degradedReasons,
    statistics: statistics.status === 'fulfilled' ? statistics.value : undefined,
    lastBackup: backup.status === 'fulfilled' ? backup.value : undefined,
  };
}

/** A part is degraded if it is for one of the workers. */
export function mergeReasons(reports: MetricsReport[]): DegradedReasons {
  return Object.assign({}, ...reports.map(({ degradedReasons }) => degradedReasons));
}

export function sendReadiness({ mayMonitor }: Services, reports: MetricsReport[], exchange: Exchange): void {
  const degradedReasons = mergeReasons(reports);
  const canServe = reports.some((report) => report.canServe);
  exchange.header('Cache-Control', 'no-store');
  const isReady = Object.keys(degradedReasons).length === 0;
  const status = isReady ? 'ready' : canServe ? 'degraded' : 'unavailable';
  const hasDetails = !isReady && mayMonitor(exchange.request);
  const body = hasDetails ? { status, parts: degradedReasons } : { status };
  exchange.send(canServe ? 200 : 503, JSON.stringify(body));
}

// Metrics for Prometheus. Always responds; metrics that cannot be collected are left out.

/** The report of this worker, with metrics only if those of the server are given. */
export async function makeReport(
  services: Services,
  check: ReturnType<typeof healthCheck>,
  serverMetrics: (() => Metric[]) | undefined,
  requester: Requester,
): Promise<MetricsReport> {
  const { degradedReasons, statistics, lastBackup } = await check(requester);
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
  exchange.sendCompressed(200, toByteString(formatMetrics(metrics)), METRICS_TYPE);
}

function partMetric(degradedReasons: DegradedReasons): Metric {
  const samples = parts.map((part) => ({ labels: { part }, value: part in degradedReasons ? 0 : 1 }));
  return metric('zukan_part_up', 'gauge', 'Whether a part of the service works as configured.', samples);
}

function diskMetrics(disks: Disk[]): Metric[] {
  const perFolder = (name: 'free' | 'size') =>
    disks.map((disk) => ({ labels: { folder: disk.folder }, value: disk[name] }));
  return [
    metric('zukan_disk_free_bytes', 'gauge', 'Free space on the disk of a folder.', perFolder('free'), 'max'),
    metric('zukan_disk_size_bytes', 'gauge', 'Size of the disk of a folder.', perFolder('size'), 'max'),
  ];
}

/** Before the first backup there is no sample. */
function backupMetrics(backup: LastBackup | undefined): Metric[] {
  const at = backup ? Date.parse(backup.at) / 1000 : [];
  const began = 'When the last backup that succeeded began.';
  const size = 'The size of the last backup that succeeded.';
  return [
    metric('zukan_backup_timestamp_seconds', 'gauge', began, at, 'max'),
    metric('zukan_backup_bytes', 'gauge', size, backup?.bytes ?? [], 'max'),
  ];
}

function catalogueMetrics({ images, artists, characters, categories }: Statistics): Metric[] {
  const counts = { image: images, artist: artists, character: characters, category: categories };
  const kinds = Object.entries(counts).map(([kind, { count }]) => ({ labels: { kind }, value: count }));
  const ratings = Object.entries(images.nsfw).map(([rating, value]) => ({ labels: { rating }, value }));
  return [
    metric('zukan_catalogue_records', 'gauge', 'Records by kind.', kinds, 'max'),
    metric('zukan_catalogue_images', 'gauge', 'Images by rating.', ratings, 'max'),
  ];
}

/**
 * What requests cost: sends hostile shapes, measures the CPU time that the server takes for each, and looks for more expensive
 * ones by changing those that it found. A refused request must not cost more than a served one.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { median } from '../bench/statistics.ts';
import { writeKnownCatalogue } from '../test/support/catalogues/catalogue.ts';
import { makeToken } from '../test/support/zukan/service.ts';
import { Connection } from './connection.ts';
import {
  commonShapes,
  describeShape,
  mutateShape,
  renderShape,
  type Sender,
  type Shape,
} from './cost-shapes.ts';
import { heavyRecords } from './heavy-records.ts';
import { randomFor } from './random.ts';
import type { Report } from './report.ts';
import { type Engines, newCatalogues, runOrThrow, startTarget, type Target } from './servers.ts';

export interface CostOptions {
  seed: number;
  report: Report;
  announce: (step: string) => void;
  /** Which share of the common shapes is measured: every n-th. */
  every: number;
  /** How many shapes to derive from the most expensive ones. */
  searches: number;
  /** In milliseconds of CPU time, on a fast machine. */
  maxCost: number;
  /** For the test suite: on one store only. */
  isShort: boolean;
}

/** What the server accepts. */
const MAX_BYTES = 16 * 1024;
const CONNECTIONS = 4;
const REQUESTS = 16;
const TRIES = 3;
/** When everything is compiled, so many of the most expensive shapes are measured again, so often. */
const CANDIDATES = 60;
const LAST_TRIES = 9;
const LISTED = 20;
/** Calls as anyone makes them. On a slower or busy machine, others may take this many times as long. */
const usualPaths = ['/api/stats', '/api/image/random', '/api/artist'];
const MAX_RATIO = 5;
/** A served request may cost so many times as much as a refused one: it may send a megabyte. */
const SERVED_RATIO = 5;
/** How many of the most expensive shapes the search starts from. */
const PARENTS = 12;
const WARM_UP = 400;
/** More violations than a client may have. */
const VIOLATIONS = 12;
const BLOCKED_CLIENT = '10.255.255.254';

interface Cost {
  shape: Shape;
  ms: number;
  statuses: string;
}

export async function measureCosts(folder: string, engines: Engines, options: CostOptions): Promise<void> {
  const file = await writeKnownCatalogue(folder);
  await appendFile(file, Array.from(heavyRecords(), (record) => `${JSON.stringify(record)}\n`).join(''));
  for (const [name, catalogue] of newCatalogues(folder, engines).slice(0, options.isShort ? 1 : undefined)) {
    const limited = { RATE_LIMIT: 'on', TRUSTED_PROXIES: '127.0.0.1', THUMBNAILS: 'off' };
    const environment = { ...catalogue, ...limited };
    await runOrThrow(['import', '--quiet', file], environment);
    await using target = await startTarget(name, environment);
    const { headers } = await makeToken(target.config, ['api:ratelimit:disabled', 'image:list']);
    await search(target, headers.Authorization, options);
  }
}

async function search(
  target: Target,
  authorization: string,
  { seed, report, announce, every, searches, maxCost }: CostOptions,
): Promise<void> {
  const what = `costs, ${target.name}`;
  const random = randomFor(seed, what);
  const client = new CostClient(target, authorization);
  const shapes = [...commonShapes()].filter((_, index) => index % every === 0);
  await client.prepare(shapes);
  const costs: Cost[] = [];
  const known = new Set<string>();
  const measure = async (shape: Shape): Promise<void> => {
    if (known.has(describeShape(shape))) return;
    known.add(describeShape(shape));
    costs.push(await client.measure(shape, TRIES));
    report.row(what).tried++;
  };
  announce(`${what}: ${shapes.length} shapes`);
  for (const shape of shapes) await measure(shape);
  announce(`${what}: looking for more expensive ones`);
  for (let turn = 0; turn < searches; turn++) {
    costs.sort((one, other) => other.ms - one.ms);
    const parent = random.pick(costs.slice(0, PARENTS)) as Cost;
    await measure(mutateShape(parent.shape, shapes, random));
  }
  costs.sort((one, other) => other.ms - one.ms);
  const usualCosts: number[] = [];
  for (const path of usualPaths)
    usualCosts.push((await client.measure({ sender: 'token', path, fillers: [] }, LAST_TRIES)).ms);
  const worst: Cost[] = [];
  for (const { shape } of costs.slice(0, CANDIDATES)) worst.push(await client.measure(shape, LAST_TRIES));
  client.close();
  worst.sort((one, other) => other.ms - one.ms);
  const usual = median(usualCosts);
  const refused = Math.max(maxCost, MAX_RATIO * usual);
  for (const { shape, ms, statuses } of worst) {
    const limit = /[123]\d\d/.test(statuses) ? SERVED_RATIO * refused : refused;
    if (ms > limit)
      report.fail(
        what,
        `${ms.toFixed(2)} ms of CPU time, more than ${limit.toFixed(2)}`,
        `seed ${seed}, ${describeShape(shape)}`,
      );
  }
  report.table(
    [`${what}: the most expensive of ${costs.length} shapes`, 'status', 'CPU ms'],
    [['(for comparison: the median of usual calls)', '200', usual.toFixed(3)]].concat(
      worst
        .slice(0, LISTED)
        .map(({ shape, ms, statuses }) => [describeShape(shape), statuses, ms.toFixed(3)]),
    ),
  );
  const ending = target.ending();
  if (ending) report.fail(what, ending, `seed ${seed}`);
}

class CostClient {
  readonly #target: Target;
  readonly #connections = new Map<number, Connection>();
  /** Of a token that is exempt from the rate limit. */
  readonly #authorization: string;
  #clients = 0;

  constructor(target: Target, authorization: string) {
    this.#target = target;
    this.#authorization = authorization;
  }

  /** Pages are built at the first visit, compiled code is several times as fast, and the blocked client must be blocked. */
  async prepare(shapes: readonly Shape[]): Promise<void> {
    const blocked = shapes.find(({ sender }) => sender === 'blocked') as Shape;
    for (let number = 0; number < VIOLATIONS; number++)
      await this.#send(0, this.#text({ ...blocked, path: '/api/stats', fillers: [] }));
    for (const path of new Set(shapes.map((shape) => shape.path)))
      await this.#sendAll({ sender: 'token', path, fillers: [] });
    const warmUp = Math.min(WARM_UP, REQUESTS * shapes.length);
    for (let number = 0; number < warmUp; number += REQUESTS)
      await this.#sendAll(shapes[(number * 7) % shapes.length] as Shape);
  }

  /** The median, because garbage collection belongs to the cost but comes at any time. */
  async measure(shape: Shape, tries: number): Promise<Cost> {
    const times: number[] = [];
    const statuses = new Set<number>();
    for (let count = 0; count < tries; count++) {
      const before = cpuMs(this.#target.pid);
      for (const status of await this.#sendAll(shape)) statuses.add(status);
      times.push((cpuMs(this.#target.pid) - before) / REQUESTS);
    }
    return { shape, ms: median(times), statuses: [...statuses].sort().join() };
  }

  close(): void {
    for (const connection of this.#connections.values()) connection.close();
  }

  async #sendAll(shape: Shape): Promise<number[]> {
    const lanes = Array.from({ length: CONNECTIONS }, async (_, lane) => {
      const statuses: number[] = [];
      for (let count = 0; count < REQUESTS / CONNECTIONS; count++)
        statuses.push(await this.#send(lane, this.#text(shape)));
      return statuses;
    });
    return (await Promise.all(lanes)).flat();
  }

  async #send(lane: number, text: string): Promise<number> {
    let connection = this.#connections.get(lane);
    if (!connection || connection.isClosed) connection = new Connection(this.#target.port);
    this.#connections.set(lane, connection);
    connection.send(text);
    const answer = await connection.receive(false);
    if (!answer || answer.headers.connection === 'close') {
      connection.close();
      this.#connections.delete(lane);
    }
    return answer?.status ?? 0;
  }

  #text(shape: Shape): string {
    return renderShape(shape, this.#headers(shape.sender), MAX_BYTES);
  }

  #headers(sender: Sender): Record<string, string> {
    if (sender === 'blocked') return { 'X-Forwarded-For': BLOCKED_CLIENT };
    const number = this.#clients++;
    const address = `10.${(number >> 16) & 127}.${(number >> 8) & 255}.${number & 255}`;
    return { 'X-Forwarded-For': address, ...(sender === 'token' && { Authorization: this.#authorization }) };
  }
}

/** Of all threads of a process. Counts nanoseconds, unlike `/proc/<pid>/stat`, so a few requests suffice. */
export function cpuMs(pid: number): number {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`))
    nanoseconds += Number(
      readFileSync(join(`/proc/${pid}/task`, thread, 'schedstat'), 'utf8').split(' ', 1)[0],
    );
  return nanoseconds / 1e6;
}

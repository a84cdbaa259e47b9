/**
 * What requests cost: sends hostile shapes, measures the CPU time that the server takes for each, and looks for more expensive
 * ones by changing those that it found. A refused request must not cost more than a served one.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { median } from '../bench/statistics.ts';
import { writeKnownCatalogue } from '../test/support/catalogues/catalogue.ts';
import { toLines } from '../test/support/catalogues/lines.ts';
import { makeToken } from '../test/support/zukan/service.ts';
import { Client } from './connection.ts';
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
import { behindProxy, newCatalogues, runOrThrow, startTarget, type Target } from './servers.ts';
import type { Run } from './torture.ts';

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
/** In CPU time of the server. */
const MAX_COST_MS = 1;
/** The test suite measures fewer shapes, for which the code is hardly compiled yet, on machines that are busy. */
const SHORT_RUN_MAX_COST_MS = 6;
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

export async function measureCosts(run: Run): Promise<void> {
  const { folder, engines } = run;
  const file = await writeKnownCatalogue(folder);
  await appendFile(file, toLines(heavyRecords()));
  for (const [name, catalogue] of newCatalogues(folder, engines).slice(0, run.isShort ? 1 : undefined)) {
    const environment = { ...catalogue, ...behindProxy, THUMBNAILS: 'off' };
    await runOrThrow(['import', '--quiet', file], environment);
    await using target = await startTarget(name, environment);
    const { headers } = await makeToken(target.config, ['api:ratelimit:disabled', 'image:list']);
    const what = `costs, ${name}`;
    await run.report.observe(what, target, () => search(what, target, headers.Authorization, run));
  }
}

async function search(what: string, target: Target, authorization: string, run: Run): Promise<void> {
  const { report, announce, isShort } = run;
  const random = randomFor(run.seed, what);
  const client = new CostClient(target, authorization);
  const shapes = [...commonShapes()].filter((_, index) => index % run.everyShape === 0);
  await client.prepare(shapes);
  let costs: Cost[] = [];
  const known = new Set<string>();
  const measure = async (shape: Shape): Promise<void> => {
    if (known.has(describeShape(shape))) return;
    known.add(describeShape(shape));
    costs.push(await client.measure(shape, TRIES));
    report.add(what, 0);
  };
  announce(`${what}: ${shapes.length} shapes`);
  for (const shape of shapes) await measure(shape);
  announce(`${what}: looking for more expensive ones`);
  for (let turn = 0; turn < run.searches; turn++) {
    costs = byCost(costs);
    await measure(mutateShape(random.pick(costs.slice(0, PARENTS)).shape, shapes, random));
  }
  const measureAgain = async (all: Shape[]) =>
    byCost(await Array.fromAsync(all, (shape) => client.measure(shape, LAST_TRIES)));
  const usualCosts = await measureAgain(usualPaths.map((path) => ({ sender: 'token', path, fillers: [] })));
  const candidates = byCost(costs).slice(0, CANDIDATES);
  const worst = await measureAgain(candidates.map(({ shape }) => shape));
  client.close();
  const usual = median(usualCosts.map(({ ms }) => ms));
  const refused = Math.max(isShort ? SHORT_RUN_MAX_COST_MS : MAX_COST_MS, MAX_RATIO * usual);
  for (const { shape, ms, statuses } of worst) {
    const limit = /[123]\d\d/.test(statuses) ? SERVED_RATIO * refused : refused;
    const problem = `${ms.toFixed(2)} ms of CPU time, more than ${limit.toFixed(2)}`;
    if (ms > limit) report.fail(what, problem, describeShape(shape));
  }
  const rows = worst
    .slice(0, LISTED)
    .map(({ shape, ms, statuses }) => [...[describeShape(shape), statuses, ms.toFixed(3)]]);
  report.table(
    [`${what}: the most expensive of ${costs.length} shapes`, 'status', 'CPU ms'],
    [['(for comparison: the median of usual calls)', '200', usual.toFixed(3)], ...rows],
  );
}

const byCost = (costs: Cost[]) => costs.toSorted((one, other) => other.ms - one.ms);

class CostClient {
  readonly #target: Target;
  readonly #lanes: Client[];
  /** Of a token that is exempt from the rate limit. */
  readonly #authorization: string;
  #clients = 0;

  constructor(target: Target, authorization: string) {
    this.#target = target;
    this.#lanes = Array.from({ length: CONNECTIONS }, () => new Client(target.port));
    this.#authorization = authorization;
  }

  /** Pages are built at the first visit, compiled code is several times as fast, and the blocked client must be blocked. */
  async prepare(shapes: readonly Shape[]): Promise<void> {
    const blocked = shapes.find(({ sender }) => sender === 'blocked') as Shape;
    for (let number = 0; number < VIOLATIONS; number++)
      await this.#lanes[0]?.send(this.#text({ ...blocked, path: '/api/stats', fillers: [] }));
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
    for (const lane of this.#lanes) lane.close();
  }

  async #sendAll(shape: Shape): Promise<number[]> {
    const lanes = this.#lanes.map(async (lane) => {
      const statuses: number[] = [];
      for (let count = 0; count < REQUESTS / CONNECTIONS; count++)
        statuses.push((await lane.send(this.#text(shape)))?.status ?? 0);
      return statuses;
    });
    return (await Promise.all(lanes)).flat();
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
function cpuMs(pid: number): number {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`))
    nanoseconds += Number(
      readFileSync(join(`/proc/${pid}/task`, thread, 'schedstat'), 'utf8').split(' ', 1)[0],
    );
  return nanoseconds / 1e6;
}

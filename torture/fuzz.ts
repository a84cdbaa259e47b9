/** Sends random requests on several connections at once and checks every response. */
import { setTimeout } from 'node:timers/promises';
import type { Progress } from '../src/cli/terminal/terminal.ts';
import { findProblem, type Situation } from './checks.ts';
import { type Answer, Connection } from './connection.ts';
import type { Facts, Seen } from './parameters.ts';
import { type Random, randomFor } from './random.ts';
import type { Report } from './report.ts';
import { type FuzzRequest, type Kind, kinds, nextRequest } from './requests.ts';
import type { Target } from './servers.ts';
import type { Run } from './torture.ts';

/** Requests may use this share of the time. The rest is for kills. */
const REQUESTS_SHARE = 0.6;
const CONNECTIONS = 12;
const MAX_PIPELINED = 8;
const MAX_REQUESTS_PER_CONNECTION = 200;
const MAX_SEEN = 8;
/** How long the client waits for a response to malformed input before it closes its side. */
const PARTIAL_WAIT_MS = 20;
const CUT = 'the connection was closed without a response';

export interface Fuzzed {
  name: string;
  port: number;
  facts: Facts;
  /** Read for every response, because a fault may begin at any time. */
  situation: Situation;
}

export interface FuzzOptions {
  /** Part of the seed: each run draws other requests. */
  label: string;
  /** The row of the report. */
  rowOf(kind: Kind): string;
  requests: number;
  /** Between the requests of a connection. */
  pauseMs: number;
  report: Report;
  progress: Progress;
  isOver: () => boolean;
}

/** All servers at once, each with its share of the requests. */
export async function fuzzAll(targets: Target[], progress: Progress, run: Run): Promise<void> {
  const { report } = run;
  const requests = Math.ceil(run.requests / targets.length);
  await Promise.all(
    targets.map((target) => {
      const rowOf = (kind: Kind) => `fuzz, ${target.name}: ${kind}`;
      const isOver = () => run.isOver(REQUESTS_SHARE);
      const options = { label: 'fuzz', rowOf, requests, pauseMs: 0, report, progress, isOver };
      return report.observe(rowOf('API'), target, () => fuzz(target, options));
    }),
  );
}

export async function fuzz(server: Fuzzed, options: FuzzOptions): Promise<void> {
  for (const kind of kinds) options.report.row(options.rowOf(kind));
  const perLane = Math.ceil(options.requests / CONNECTIONS);
  await Promise.all(
    Array.from({ length: CONNECTIONS }, (_, number) => new Lane(server, options, number).run(perLane)),
  );
}

/** One connection at a time, with its own sequence of requests. */
class Lane {
  readonly #server: Fuzzed;
  readonly #options: FuzzOptions;
  readonly #name: string;
  readonly #random: Random;
  readonly #seen: Seen = { links: [], cursors: [], eTags: [] };
  #connection: Connection | undefined;
  #sent = 0;
  #requestsLeft = 0;

  constructor(server: Fuzzed, options: FuzzOptions, number: number) {
    this.#server = server;
    this.#options = options;
    this.#name = `${server.name} ${options.label} ${number}`;
    this.#random = randomFor(options.report.seed, this.#name);
  }

  async run(count: number): Promise<void> {
    const { isOver, pauseMs } = this.#options;
    while (this.#sent < count && !isOver()) {
      await this.#exchange(this.#nextBatch());
      if (pauseMs > 0) await setTimeout(pauseMs);
    }
    this.#connection?.close();
  }

  #nextBatch(): FuzzRequest[] {
    const size = this.#random.chance(0.05) ? 1 + this.#random.below(MAX_PIPELINED) : 1;
    const batch: FuzzRequest[] = [];
    while (batch.length < size) {
      const { facts, situation } = this.#server;
      const source = { random: this.#random, facts, seen: this.#seen, isProxied: situation.hasLimiter };
      const request = nextRequest(source);
      // A client that closes its side is treated as gone, so the responses to others might not come.
      if (request.kind === 'malformed') return [request];
      batch.push(request);
      // What follows on this connection might get no response.
      if (request.isLast || request.isOdd) break;
    }
    return batch;
  }

  async #exchange(batch: FuzzRequest[]): Promise<void> {
    const connection = this.#connect();
    const text = batch.map((request) => request.text).join('');
    const startedAt = performance.now();
    connection.send(text);
    for (const [index, request] of batch.entries()) {
      this.#sent++;
      let problem: string | undefined;
      try {
        problem =
          request.kind === 'malformed'
            ? await this.#receiveAll(connection, request)
            : await this.#receive(connection, request);
      } catch (error) {
        problem = (error as Error).message;
      }
      if (problem === CUT && this.#server.situation.mayBeCut) {
        this.#options.report.countOutcome('responses', 'sent again');
        this.#drop();
        return this.#exchange(batch.slice(index));
      }
      this.#record(request, performance.now() - startedAt, problem);
      if (problem !== undefined) this.#drop();
    }
    if (batch.some(({ isLast, isOdd }) => isLast || isOdd) || --this.#requestsLeft <= 0) this.#drop();
  }

  #connect(): Connection {
    if (!this.#connection || this.#connection.isClosed) {
      this.#connection = new Connection(this.#server.port);
      this.#requestsLeft = MAX_REQUESTS_PER_CONNECTION;
    }
    return this.#connection;
  }

  #drop(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  async #receive(connection: Connection, request: FuzzRequest): Promise<string | undefined> {
    const answer = await connection.receive(request.method === 'HEAD');
    if (!answer) return CUT;
    this.#remember(answer);
    this.#options.report.countOutcome('responses', String(answer.status));
    if (answer.headers.connection === 'close') this.#drop();
    return findProblem(request, answer, this.#server.situation);
  }

  /** Malformed input may be several requests, or part of one. */
  async #receiveAll(connection: Connection, request: FuzzRequest): Promise<string | undefined> {
    await connection.waitForData(PARTIAL_WAIT_MS);
    connection.end();
    for (;;) {
      const answer = await connection.receive(false);
      if (!answer) return undefined;
      const problem = findProblem(request, answer, this.#server.situation);
      if (problem !== undefined) return problem;
    }
  }

  #remember({ headers, bytes }: Answer): void {
    const { links, cursors, eTags } = this.#seen;
    keep(eTags, headers.etag);
    keep(cursors, headers['x-next-cursor']);
    if (headers['content-encoding'] || !headers['content-type']?.startsWith('application/json')) return;
    keep(links, /"url":"http[^"]*?(\/files\/[^"]+)"/.exec(bytes.toString('utf8', 0, 2000))?.[1]);
  }

  #record(request: FuzzRequest, ms: number, problem: string | undefined): void {
    const { report, progress, rowOf } = this.#options;
    const what = rowOf(request.kind);
    report.add(what, ms);
    progress.advance(1);
    if (problem !== undefined)
      report.fail(what, problem, `${this.#name}, number ${this.#sent}: ${shorten(request.text)}`);
  }
}

function keep(list: string[], value: string | undefined): void {
  if (value === undefined) return;
  list.push(value);
  if (list.length > MAX_SEEN) list.shift();
}

/** Escaped, with long runs of a character shown as a count. */
function shorten(text: string): string {
  return JSON.stringify(
    text.replaceAll(/(.)\1{30,}/gs, (run, character) => `${character}<${run.length} times>`),
  );
}

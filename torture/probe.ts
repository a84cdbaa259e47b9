/** An ordinary client on a thread of its own. It sends one request after the other and measures each of them. */
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { median } from '../bench/statistics.ts';

const PAUSE_MS = 10;

export interface Calls {
  slowestMs: number;
  medianMs: number;
  count: number;
  /** Statuses other than 200, and errors. */
  failures: string[];
}

export interface Probe {
  stop(): Promise<Calls>;
}

interface Task {
  urls: string[];
  /** The first half of the addresses that the clients of this probe have. */
  network: string;
}

let probes = 0;

/** Takes the URLs in turn. */
export async function startProbe(urls: string[]): Promise<Probe> {
  const task: Task = { urls, network: `172.${++probes % 256}` };
  const worker = new Worker(new URL(import.meta.url), { workerData: task });
  await once(worker, 'message');
  return {
    async stop() {
      const result = once(worker, 'message') as Promise<[Calls]>;
      worker.postMessage('stop');
      const [calls] = await result;
      await worker.terminate();
      return calls;
    },
  };
}

async function call(url: string, agent: Agent, client: string): Promise<number> {
  const headers = { 'X-Forwarded-For': client };
  const [response] = (await once(get(url, { agent, headers }), 'response')) as [IncomingMessage];
  await response.resume().toArray();
  return response.statusCode as number;
}

async function sendRequests({ urls, network }: Task): Promise<Calls> {
  const agent = new Agent({ keepAlive: true });
  const [times, failures]: [number[], string[]] = [[], []];
  let isStopped = false;
  parentPort?.once('message', () => {
    isStopped = true;
  });
  parentPort?.postMessage('started');
  for (let number = 0; !isStopped; number++) {
    const startedAt = performance.now();
    try {
      // Another client each time, because each may send one request per second.
      const client = `${network}.${(number >> 8) & 255}.${number & 255}`;
      const status = await call(urls[number % urls.length] as string, agent, client);
      if (status !== 200) failures.push(`status ${status}`);
    } catch (error) {
      failures.push((error as Error).message);
    }
    times.push(performance.now() - startedAt);
    await setTimeout(PAUSE_MS);
  }
  agent.destroy();
  return { slowestMs: Math.max(...times), medianMs: median(times), count: times.length, failures };
}

if (!isMainThread) parentPort?.postMessage(await sendRequests(workerData));

/** A client on a thread of its own that sends a request every ten milliseconds over kept-alive connections. */
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { until } from '../until.ts';

const PACE_MS = 10;
/** Opened at once at the start, so that several are idle later. With more, some could be idle for long. */
const CONNECTIONS = 5;

export interface PacedLoad {
  /** How many requests were answered so far. */
  answered(): number;
  /** Returns how many requests had each outcome: a status or the code of an error. */
  stop(): Promise<Map<string, number>>;
}

export function startPacedLoad(url: string): PacedLoad {
  const worker = new Worker(new URL(import.meta.url), { workerData: url });
  const outcomes = new Map<string, number>();
  worker.on('message', (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1));
  return {
    answered: () => outcomes.get('200') ?? 0,
    async stop() {
      const closed = once(worker, 'exit');
      worker.postMessage('stop');
      await closed;
      return outcomes;
    },
  };
}

async function call(url: string, agent: Agent): Promise<string> {
  try {
    const [response] = (await once(get(url, { agent }), 'response')) as [IncomingMessage];
    await response.resume().toArray();
    return String(response.statusCode);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

async function sendRequests(): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let [isStopped, running] = [false, 0];
  parentPort?.once('message', () => {
    isStopped = true;
  });
  const send = async () => {
    running++;
    parentPort?.postMessage(await call(workerData, agent));
    running--;
  };
  for (let connection = 0; connection < CONNECTIONS; connection++) void send();
  while (!isStopped) {
    void send();
    await setTimeout(PACE_MS);
  }
  await until('all requests ended', () => running === 0);
  agent.destroy();
}

if (!isMainThread) await sendRequests();

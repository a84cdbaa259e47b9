/**
 * A thread that serves. It runs the same wiring as a process with one worker, and shares the port with the others. It
 * listens when it is asked to.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { MetricsReport } from '../../lib/metrics.ts';
import { createApp, shutDown } from '../app.ts';
import { type FromWorker, startBeating, type ToWorker, type WorkerData } from './messages.ts';

const { config, heartbeat, beatMs, ...memory } = workerData as WorkerData;
const send = (message: FromWorker) => parentPort?.postMessage(message);

/** The log writes one block at a time. */
let onWritten: (error?: Error) => void = () => {};
const questions = new Map<number, (reports: MetricsReport[]) => void>();
let lastQuestion = 0;
let health: Promise<MetricsReport[]> | undefined;

const app = await createApp(config, {
  shared: {
    ...memory,
    writeLog(text, done) {
      onWritten = done;
      send({ type: 'write', text });
    },
    async collectReports(withMetrics) {
      if (withMetrics) return askForReports(true);
      // Anyone may ask for the health, so requests at the same time share one answer.
      health ??= askForReports(false).finally(() => {
        health = undefined;
      });
      return health;
    },
  },
});

function askForReports(withMetrics: boolean): Promise<MetricsReport[]> {
  return new Promise((resolve) => {
    const question = ++lastQuestion;
    questions.set(question, resolve);
    send({ type: 'reports', question, withMetrics });
  });
}

parentPort?.on('message', async (message: ToWorker) => {
  if (message.type === 'listen') {
    send({ type: 'listening', url: await app.listen(message.address) });
  } else if (message.type === 'log level') {
    app.log.level = message.level;
  } else if (message.type === 'written') {
    onWritten(message.isLost ? new Error('standard output is closed') : undefined);
  } else if (message.type === 'report') {
    const { question, withMetrics } = message;
    send({ type: 'report', question, report: await app.report(withMetrics) });
  } else if (message.type === 'reports') {
    questions.get(message.question)?.(message.reports);
    questions.delete(message.question);
  } else {
    await shutDown(app, message.timeoutMs);
    // A connection to a database that hangs would keep the thread alive.
    process.exit();
  }
});

startBeating(heartbeat, beatMs);
send({ type: 'ready' });

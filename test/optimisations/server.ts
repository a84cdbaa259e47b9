/** Two servers of one catalogue: one as it is, and one with every optimisation switched off. */

import type { Config } from '../../src/config/config.ts';
import { defaultTuning, type Tuning } from '../../src/lib/tuning.ts';
import { createApp } from '../../src/server/app.ts';
import { type Answer, Client } from '../../torture/connection.ts';
import type { FuzzRequest } from '../../torture/requests.ts';
import { parseMetrics, sampleIn } from '../support/checks/metrics.ts';
import { seededRandomInt } from '../support/zukan/service.ts';

/** Slices end in the middle of everything, and whatever can be forgotten is. */
export const nothingTuned: Tuning = {
  isCaching: false,
  maxTokens: 0,
  maxItemsPerSlice: 3,
  maxTestedImages: 0,
  maxExampleAgeMs: 0,
};

/** Too little for any document or signature. */
const NO_CACHE_MB = 512 / 1024 / 1024;
/** Room for about half of the documents, so that requests find some of theirs, and for the signatures of one worker. */
const HALF_CACHE_MB = 32 / 1024;
/** A database that is slow for a moment says nothing about the response. */
const MAX_ATTEMPTS = 5;

export type Request = Pick<FuzzRequest, 'method' | 'text'>;

export interface TestedServer extends AsyncDisposable {
  send(request: Request): Promise<Answer>;
  /** The random numbers start over. */
  seed(seed: number): void;
  metric(name: string): Promise<number>;
}

export const startTuned = (config: Config, clock: () => number): Promise<TestedServer> =>
  start({ ...config, cacheMb: HALF_CACHE_MB, workers: 1 }, clock, defaultTuning);

export const startUntuned = (config: Config, clock: () => number): Promise<TestedServer> =>
  start({ ...config, cacheMb: NO_CACHE_MB }, clock, nothingTuned);

async function start(config: Config, clock: () => number, tuning: Tuning): Promise<TestedServer> {
  let randomInt = seededRandomInt(0);
  const app = await createApp(config, { clock, tuning, randomInt: (below) => randomInt(below) });
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
  const idle: Client[] = [];
  const sendOnce = async ({ method, text }: Request): Promise<Answer> => {
    const client = idle.pop() ?? new Client(port);
    const answer = await client.send(text, method === 'HEAD');
    if (!answer) throw new Error(`the connection was closed without a response: ${text}`);
    idle.push(client);
    return answer;
  };
  const send: TestedServer['send'] = async (request) => {
    for (let attempt = 1; ; attempt++) {
      const answer = await sendOnce(request);
      if (answer.status !== 503 || attempt === MAX_ATTEMPTS) return answer;
    }
  };
  return {
    send,
    seed(seed) {
      randomInt = seededRandomInt(seed);
    },
    async metric(name) {
      const { bytes } = await send(get('/metrics'));
      return sampleIn(parseMetrics(bytes.toString()), name);
    },
    async [Symbol.asyncDispose]() {
      for (const client of idle) client.close();
      await app.close();
    },
  };
}

export const get = (target: string, headers: readonly string[] = []): Request => ({
  method: 'GET',
  text: `${[`GET ${target} HTTP/1.1`, 'Host: 127.0.0.1', ...headers].join('\r\n')}\r\n\r\n`,
});

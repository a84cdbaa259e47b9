/**
 * Optimisations change no response. Random requests and changes of the catalogue go to a server as it is, several requests at
 * once, and to one with every cache, prefetch and batch switched off, one after the other.
 *
 * ZUKAN_SAME_RUNS=50 runs it for longer and with a new seed, which ZUKAN_SAME_SEED=… repeats.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { Answer } from '../../torture/connection.ts';
import type { Facts, Seen } from '../../torture/parameters.ts';
import { randomFor } from '../../torture/random.ts';
import { type FuzzRequest, nextRequest } from '../../torture/requests.ts';
import { sandbox } from '../support/catalogues/import.ts';
import { toLines } from '../support/catalogues/lines.ts';
import { atDepth } from '../support/depth.ts';
import { forEachEngineInDepth, isEveryCase } from '../support/servers/engines.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { NOW } from '../support/zukan/api.ts';
import { runCommand } from '../support/zukan/program.ts';
import { makeToken } from '../support/zukan/service.ts';
import { contentOf, imagesIn, isComparable, isDraw } from './content.ts';
import { get, type Request, startTuned, startUntuned, type TestedServer } from './server.ts';
import * as steps from './steps.ts';

const { ZUKAN_SAME_RUNS, ZUKAN_SAME_SEED } = process.env;
const isLong = ZUKAN_SAME_RUNS !== undefined;
const numRuns = Number(ZUKAN_SAME_RUNS ?? atDepth(1, 5));
const seed = Number(ZUKAN_SAME_SEED ?? (isLong ? Date.now() % 2 ** 31 : 7));
const MAX_SEEN = 8;
/** The reference may show examples of a minute ago. */
const MINUTE_MS = 60_000;

const filterNames = /categories|exclude|nsfw|orientation|artist|character/;

const pictures = temporaryFolder();
await steps.drawPictures(pictures);

await forEachEngineInDepth((engine) => {
  /** After those of every run. */
  const STEPS = isLong ? 12 : atDepth(isEveryCase(engine) ? 2 : 0, 15);

  test('a server without optimisations sends the same responses', async (t) => {
    t.diagnostic(`seed ${seed}, ${numRuns} runs`);
    const counts = { hits: 0, requests: 0, draws: 0, changes: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(steps.step, { minLength: STEPS, maxLength: STEPS }), async (list) => {
        const box = sandbox(engine);
        const environment = { ...box.environment, THUMBNAILS: '16,32', LOG_LEVEL: 'silent' };
        const path = join(pictures, 'catalogue.ndjson');
        const importRecords = async (records: object[]) => {
          await writeFile(path, toLines(records));
          return runCommand(['import', '--quiet', path], environment);
        };
        assert.equal((await importRecords(steps.initialRecords)).status, 0);
        const facts = await makeFacts(box.config);
        let now = NOW;
        await using tuned = await startTuned(box.config, () => now);
        await using plain = await startUntuned(box.config, () => now);
        const pair = new Pair(tuned, plain, facts, () => {
          now += MINUTE_MS;
        });
        await until('the document cache is used', () => isCached(tuned));
        await pair.sendUsual();
        // A removal, an import and a changed entry are enough on the second store.
        const always = steps.firstSteps.slice(0, isEveryCase(engine) ? undefined : 3);
        for (const { parameters, records, isAwaited, seed, count } of [...always, ...list]) {
          const done = records.length > 0 ? importRecords(records) : runCommand(parameters, environment);
          if ((await done).status === 0) counts.changes++;
          if (isAwaited) await until('the document cache is used', () => isCached(tuned));
          await pair.sendUsual();
          await pair.sendRandom(seed, count);
        }
        counts.requests += pair.requests;
        counts.draws += pair.draws;
        counts.hits += await tuned.metric('zukan_document_cache_hits_total');
        assert.equal(await plain.metric('zukan_document_cache_hits_total'), 0);
      }),
      { numRuns, seed, endOnFailure: true },
    );
    t.diagnostic(JSON.stringify(counts));
    for (const [name, count] of Object.entries(counts)) assert.ok(count > 0, name);
  });
});

async function makeFacts(config: Parameters<typeof makeToken>[0]): Promise<Facts> {
  const tokens = await Promise.all(steps.TOKENS.map((id) => makeToken(config, steps.SCOPES, { id })));
  const expired = await makeToken(config, steps.SCOPES, { expires: '2026-01-01T00:00:00.000Z' });
  const count = steps.ENTRIES;
  return {
    authorizations: [...tokens, expired].map(({ headers }) => headers.Authorization),
    categories: steps.KNOWN_NAMES,
    counts: {
      image: { kind: 4, count: steps.IMAGES },
      artist: { kind: 2, count },
      character: { kind: 3, count },
      category: { kind: 1, count },
    },
  };
}

/** Whether some documents come from the cache, which has followed the last change then. */
async function isCached(server: TestedServer): Promise<boolean> {
  const before = await server.metric('zukan_document_cache_hits_total');
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const query = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await server.send(get(`/api/image/random?seed=x&limit=25${query}`));
    assert.equal(answer.status, 200);
    cursor = answer.headers['x-next-cursor'];
  }
  return (await server.metric('zukan_document_cache_hits_total')) > before;
}

class Pair {
  readonly #tuned: TestedServer;
  readonly #plain: TestedServer;
  readonly #facts: Facts;
  readonly #usual: Request[];
  /** The reference shows other examples after this. */
  readonly #waitAMinute: () => void;
  readonly #seen: Seen = { links: [], cursors: [], eTags: [] };
  /** Caches need requests that are repeated. */
  readonly #sent: FuzzRequest[] = [];
  requests = 0;
  draws = 0;

  constructor(tuned: TestedServer, plain: TestedServer, facts: Facts, waitAMinute: () => void) {
    this.#tuned = tuned;
    this.#plain = plain;
    this.#facts = facts;
    this.#waitAMinute = waitAMinute;
    this.#usual = steps.usualTargets.map((target) => get(target));
    for (const authorization of facts.authorizations)
      this.#usual.push(
        ...steps.privateTargets.map((target) => get(target, [`Authorization: ${authorization}`])),
      );
  }

  /** The first server may batch them, the second one gets them one by one. */
  async #sendTogether(requests: Request[]): Promise<void> {
    this.requests += requests.length;
    const answers = await Promise.all(requests.map((request) => this.#tuned.send(request)));
    for (const [index, request] of requests.entries()) {
      const plain = await this.#plain.send(request);
      assert.deepEqual(contentOf(answers[index] as Answer), contentOf(plain), request.text);
      this.#remember(plain);
    }
  }

  sendUsual(): Promise<void> {
    return this.#sendTogether(this.#usual);
  }

  async sendRandom(seed: number, count: number): Promise<void> {
    const random = randomFor(seed, 'requests');
    const requests = Array.from({ length: count }, () => {
      if (this.#sent.length > 0 && random.chance(0.5)) return random.pick(this.#sent);
      return nextRequest({ random, facts: this.#facts, seen: this.#seen, isProxied: false });
    }).filter(isComparable);
    this.#sent.push(...requests);
    await this.#sendTogether(requests.filter((request) => !isDraw(request) && request.path !== '/docs'));
    for (const request of requests) {
      if (request.path === '/docs') await this.#compareLater(request);
      else if (isDraw(request)) await this.#compareDraw(request, seed);
    }
  }

  /** The examples of the reference are looked up in the background. They have the port of the server, and its ETag has too. */
  async #compareLater(request: FuzzRequest): Promise<void> {
    this.#waitAMinute();
    const send = async (server: TestedServer) => {
      const { headers, body, ...rest } = contentOf(await server.send(request));
      const page = body.replaceAll(/127\.0\.0\.1:\d+/g, 'host');
      return JSON.stringify({ ...rest, headers: { ...headers, etag: 'etag' in headers }, page });
    };
    await until('/docs is the same', async () => (await send(this.#tuned)) === (await send(this.#plain)));
  }

  /**
   * The same random numbers lead to other images where a cache has the whole selection, because the other server then draws
   * until enough images qualify. These must be some of the images that qualify.
   */
  async #compareDraw(request: FuzzRequest, seed: number): Promise<void> {
    const [tuned, plain] = await Promise.all(
      [this.#tuned, this.#plain].map((server) => {
        server.seed(seed);
        return server.send(request);
      }),
    );
    this.draws++;
    const [one, other] = [contentOf(tuned as Answer), contentOf(plain as Answer)];
    if (!filterNames.test(request.text) || one.status >= 400 || other.status >= 400)
      return assert.deepEqual(one, other, request.text);
    const chosen = [one, other].map(imagesIn);
    const names = [one, other].map(({ headers }) => Object.keys(headers));
    assert.deepEqual([one.status, names[0], chosen[0]?.length], [other.status, names[1], chosen[1]?.length]);
    const qualifying = await this.#findQualifying(request);
    for (const image of chosen.flat())
      assert.ok(
        qualifying.some((text) => text.includes(image)),
        request.text,
      );
  }

  /** All images that match the filters of a request, in the order of some seed. */
  async #findQualifying({ text }: FuzzRequest): Promise<string[]> {
    const target = new URL(/^\S+ (\S*)/.exec(text)?.[1] ?? '', 'http://127.0.0.1');
    const headers = text.split('\r\n').filter((line) => /^(authorization|host):/i.test(line));
    for (const name of ['cursor', 'width']) target.searchParams.delete(name);
    target.searchParams.set('seed', 'x');
    target.searchParams.set('limit', '25');
    // A redirect may lead to a thumbnail.
    if (/\/file\/?$/.test(target.pathname)) target.searchParams.set('include', 'thumbnails');
    const images: string[] = [];
    for (;;) {
      const path = target.pathname.replace(/\/file\/?$/, '');
      const [line, , ...rest] = get(path + target.search).text.split('\r\n');
      const answer = await this.#plain.send({
        method: 'GET',
        text: [line, ...headers, ...rest].join('\r\n'),
      });
      assert.equal(answer.status, 200, answer.bytes.toString());
      images.push(...imagesIn(contentOf(answer)));
      const cursor = answer.headers['x-next-cursor'];
      if (cursor === undefined) return images;
      target.searchParams.set('cursor', cursor);
    }
  }

  #remember({ headers, bytes }: Answer): void {
    const { links, cursors, eTags } = this.#seen;
    const keep = (list: string[], value: string | undefined) => {
      if (value !== undefined) list.unshift(value);
      list.splice(MAX_SEEN);
    };
    keep(eTags, headers.etag);
    keep(cursors, headers['x-next-cursor']);
    if (headers['content-encoding'] === undefined)
      keep(links, /"url":"http[^"]*?(\/files\/[^"]+)"/.exec(bytes.toString('latin1'))?.[1]);
  }
}

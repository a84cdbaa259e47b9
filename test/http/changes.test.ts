/** The mirror of docs/client.md, and one that reads a few changes between edits, have the same images as the catalogue. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { importPaths } from '../../src/cli/importing/import.ts';
import { silentTerminal } from '../../src/cli/terminal/terminal.ts';
import type { Config } from '../../src/config/config.ts';
import { type Picture, randomPictures, toRecords } from '../support/catalogues/filters.ts';
import { keyed, sandbox } from '../support/catalogues/import.ts';
import { atDepth } from '../support/depth.ts';
import { forEachEngine, tamper } from '../support/servers/engines.ts';
import { assertError, clock } from '../support/zukan/api.ts';
import { runCommand } from '../support/zukan/program.ts';
import {
  type Answer,
  type Envelope,
  makeToken,
  type Service,
  seededRandomInt,
  startService,
} from '../support/zukan/service.ts';

const EDITS = atDepth(12, 1000);
const client = new URL('../../client/index.ts', import.meta.url).href;
const uuid = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

/** Without the links, which depend on the time of the call. */
function contentOf({ url: _, meta: { expires: __, ...meta }, ...image }: Envelope): object {
  return { ...image, meta };
}

class Mirror {
  readonly #read: (query: string) => Promise<Answer>;
  readonly #query: string;
  readonly copy = new Map<string, object>();
  since = '';

  constructor(service: Service, headers: Record<string, string>, query: string) {
    this.#query = query;
    this.#read = (query) => service.get(`/api/image/changes?${query}`, headers);
  }

  /** Returns what was read, and whether there is more. */
  async readPage(): Promise<{ data: Envelope[]; hasMore: boolean }> {
    const since = this.since === '' ? '' : `&since=${this.since}`;
    const { status, json, headers } = await this.#read(this.#query + since);
    assert.equal(status, 200, JSON.stringify(json));
    for (const { change, id, image } of json.data) {
      assert.equal(image === undefined, change === 'removed');
      if (image) this.copy.set(id, contentOf(image));
      else this.copy.delete(id);
    }
    this.since = headers['x-next-cursor'] as string;
    return { data: json.data, hasMore: headers.link !== undefined };
  }

  async catchUp(): Promise<Envelope[]> {
    const read: Envelope[] = [];
    for (let hasMore = true; hasMore; ) {
      const page = await this.readPage();
      read.push(...page.data);
      hasMore = page.hasMore;
    }
    return read;
  }
}

async function allImages(service: Service, headers: Record<string, string>): Promise<Map<string, object>> {
  const images = new Map<string, object>();
  for (let offset = 0; ; offset += 25) {
    const { json } = await service.get(
      `/api/image?include=details,artist&limit=25&offset=${offset}`,
      headers,
    );
    for (const image of json.data) images.set(image.id, contentOf(image));
    if (json.data.length < 25) return images;
  }
}

const sorted = (copy: Map<string, object>) => [...copy].sort(([one], [other]) => (one < other ? -1 : 1));

/** The program of the documentation, as a module. */
async function documentedMirror(folder: string, origin: string, token: string) {
  const page = readFileSync(new URL('../../docs/client.md', import.meta.url), 'utf8');
  const program = /```ts\n([^`]*catchUp[\s\S]*?)```/.exec(page)?.[1] ?? '';
  const path = join(folder, 'mirror.ts');
  const text = program
    .replace('zukan-client', client)
    .replace('http://127.0.0.1:3000', origin)
    .replace('process.env.TOKEN', JSON.stringify(token))
    .replace("['details']", "['details', 'artist']");
  writeFileSync(path, `${text}\nexport { catchUp, copy };`);
  const module: { catchUp(): Promise<void>; copy: Map<string, Envelope> } = await import(path);
  return module;
}

/** What operators do. Some edits find nothing to do. */
async function edit(
  service: Service,
  environment: Record<string, string>,
  addPictures: (count: number) => Promise<unknown>,
  randomInt: (below: number) => number,
): Promise<void> {
  const pick = <T>(list: readonly T[]) => list[randomInt(list.length)] as T;
  const { json } = await service.get(`/api/image/random?limit=${1 + randomInt(4)}`);
  const images: string[] = json.data.map(({ id }: Envelope) => id);
  const run = (...words: string[]) => runCommand(words, environment);
  const category = () => pick(['Alpha', 'beta', 'night sky', 'rare']);
  const artist = () => pick(['Ann', 'Bob']);
  const inTrash = async () => JSON.parse((await run('trash', '--json')).output) as Envelope[];
  const lastChange = async () => JSON.parse((await run('history', '--json')).output)[0]?.number ?? 1;
  const actions = [
    () => run('edit', ...images, '--rating', pick(['sfw', 'questionable', 'nsfw'])),
    () => run('edit', ...images, '--add-category', category(), '--create'),
    () => run('edit', ...images, '--remove-category', category()),
    () => run('edit', ...images, '--artist', artist(), '--create'),
    () => run('entry', 'category', category(), '--description', `number ${randomInt(1000)}`),
    () => run('entry', 'category', category(), '--name', category()),
    () => run('entry', 'category', category(), '--merge-into', category()),
    () => run('entry', 'artist', artist(), '--url', `https://example.org/${randomInt(1000)}`),
    () => run('entry', 'album', pick(['Autumn', 'Spring']), '--create'),
    () => run('trash', ...images),
    async () => run('trash', '--restore', pick(await inTrash())?.id ?? ''),
    () => run('remove', images[0] ?? '', '--yes', '--allow-again'),
    async () => run('undo', String(1 + randomInt(await lastChange()))),
    () => addPictures(1 + randomInt(7)),
  ];
  await pick(actions)();
}

/** A picture that is added in the studio: it continues the change of the one before. */
async function addInStudio(config: Config, path: string, records: object[], continues: number | undefined) {
  writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  const report = await importPaths(config, [path], { quiet: true }, silentTerminal, {
    signal: new AbortController().signal,
    confirmPrune: async () => [],
    author: { origin: 'studio', user: 'me' },
    run: { source: '', continues },
  });
  return report.change?.number;
}

await forEachEngine((engine) => {
  test(`after ${EDITS} random edits, every copy is equal`, async () => {
    const randomInt = seededRandomInt(7);
    const box = sandbox(engine);
    const all: Picture[] = randomPictures(0, 40 + 7 * EDITS, seededRandomInt(59));
    let added = 40;
    await box.import(toRecords(all.slice(0, added)));
    const service = await startService(box.config, { clock });
    const { secret, headers } = await makeToken(box.config, ['image:list', 'api:ratelimit:disabled']);
    const patient = new Mirror(service, headers, 'include=details,artist&limit=3');
    const safe = new Mirror(service, headers, 'include=details,artist&limit=25&nsfw=sfw');
    const documented = await documentedMirror(box.folder, service.origin, secret);
    const addPictures = (count: number) => {
      added += count;
      return box.import(toRecords(all.slice(added - count, added)));
    };
    for (let edits = 0; edits < EDITS; edits++) {
      await edit(service, box.environment, addPictures, randomInt);
      await patient.readPage();
      if (edits % 10 === 0) await documented.catchUp();
    }
    await Promise.all([patient.catchUp(), safe.catchUp(), documented.catchUp()]);
    const expected = sorted(await allImages(service, headers));
    assert.ok(expected.length > 10);
    assert.deepEqual(sorted(patient.copy), expected);
    assert.deepEqual(
      sorted(new Map([...documented.copy].map(([id, image]) => [id, contentOf(image)]))),
      expected,
    );
    assert.deepEqual(
      sorted(safe.copy),
      expected.filter(([, image]) => (image as Envelope).nsfw === 'sfw'),
    );
    assert.deepEqual(await patient.catchUp(), [], 'nothing comes again');
  });

  test('a picture that continues an import of the studio is not missed', async () => {
    const box = sandbox(engine);
    await box.import([keyed(1, { id: uuid(1) })]);
    const service = await startService(box.config, { clock });
    const { headers } = await makeToken(box.config, ['image:list']);
    const mirror = new Mirror(service, headers, 'limit=2');
    const path = join(box.folder, 'more.ndjson');
    const rated = (nsfw: string) => keyed(1, { id: uuid(1), nsfw });
    const change = await addInStudio(box.config, path, [rated('nsfw'), keyed(2, { id: uuid(2) })], undefined);
    await mirror.catchUp();
    await addInStudio(box.config, path, [rated('questionable'), keyed(3, { id: uuid(3) })], change);
    const read = await mirror.catchUp();
    assert.deepEqual(
      read.map(({ change, id, image }) => [change, id, image.nsfw]),
      [
        ['changed', uuid(1), 'questionable'],
        ['added', uuid(3), 'sfw'],
      ],
    );
    await box.import([keyed(4, { id: uuid(4) })]);
    assert.deepEqual(
      (await mirror.catchUp()).map(({ id }) => id),
      [uuid(1), uuid(4)],
    );
    assert.deepEqual(await mirror.catchUp(), []);
  });

  test('a cursor that the history does not reach is 410, and a wrong one 400', async () => {
    const box = sandbox(engine);
    const service = await startService(box.config, { clock });
    const { headers } = await makeToken(box.config, ['image:list']);
    const read = (query: string) => service.get(`/api/image/changes?${query}`, headers);
    const mirror = new Mirror(service, headers, 'limit=1');
    assert.deepEqual(await mirror.catchUp(), [], 'of an empty catalogue');
    await box.import([keyed(1, { id: uuid(1) }), keyed(2, { id: uuid(2) })]);
    assert.deepEqual(
      (await mirror.catchUp()).map(({ change, id }) => [change, id]),
      [
        ['added', uuid(1)],
        ['added', uuid(2)],
      ],
    );
    const { since } = mirror;
    assertError(await read(`since=${since}1`), 400, /Invalid since: it was not issued/);
    assertError(await read(`since=${since}&nsfw=sfw`), 400, /a different nsfw/);
    assertError(await read('since='), 400, /must not be empty/);
    assertError(await service.get(`/api/image/changes?since=${since}`), 401);
    await runCommand(['edit', uuid(1), '--rating', 'nsfw'], box.environment);
    assert.deepEqual(
      (await read(`since=${since}`)).json.data.map(({ change, id }: Envelope) => [change, id]),
      [['changed', uuid(1)]],
    );
    tamper(box.config, "update change set state = 'forgotten' where number = 2");
    assertError(await read(`since=${since}`), 410, /start again without it/);
    tamper(box.config, "update change set state = 'done', at = '2001-01-01T00:00:00.000Z'");
    assertError(await read(`since=${since}`), 410);
    tamper(box.config, 'delete from change where number = 1');
    assertError(await read(`since=${since}`), 410);
    assert.equal((await read('limit=25')).json.data.length, 2, 'the log is not needed to start');
  });
});

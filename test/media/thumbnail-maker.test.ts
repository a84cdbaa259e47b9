/** Missing thumbnails are made one at a time, from a bounded queue, and not for clients that left. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import sharp from 'sharp';
import { createTurnMemory, endTurn, takeTurn } from '../../src/lib/concurrency.ts';
import { Unavailable } from '../../src/lib/metrics.ts';
import type { Files, OpenFile } from '../../src/media/files.ts';
import { openFolder } from '../../src/media/local.ts';
import { createThumbnailMaker } from '../../src/media/thumbnail-maker.ts';
import { avifHeader } from '../support/pictures/hostile.ts';
import { drawInto } from '../support/pictures/pictures.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from '../support/workspace.ts';

const never = new AbortController().signal;
/** Of a catalogue that uses all files. */
const tryWriter = async () => ({ unusedKeys: async () => [], [Symbol.asyncDispose]: async () => {} });

async function withPictures(count: number): Promise<string> {
  const folder = temporaryFolder();
  for (let index = 0; index < count; index++)
    await drawInto(folder, {
      file: `${index}.png`,
      format: 'png',
      width: 40 + index,
      height: 30,
      colour: '#204060',
    });
  return folder;
}

/** Originals are opened only when `release` is called. */
function gated(files: Files) {
  const opened: string[] = [];
  let release = () => {};
  const gate = new Promise<void>((done) => {
    release = done;
  });
  const open = async (key: string): Promise<OpenFile | undefined> => {
    if (!key.startsWith('thumbnails/')) {
      opened.push(key);
      await gate;
    }
    return files.open(key);
  };
  return { files: { ...files, open }, opened, release };
}

test('runs one at a time, queues some, and rejects more with Unavailable', async () => {
  const { files, opened, release } = gated(openFolder(await withPictures(5)));
  const maker = createThumbnailMaker(files, tryWriter, undefined, 2);
  const leaving = new AbortController();
  const made = [
    maker.make('1.png', 20, never),
    maker.make('3.png', 20, never),
    maker.make('2.png', 20, leaving.signal),
  ];
  await until('an original is open', () => opened.length === 1);
  await assert.rejects(maker.make('4.png', 20, never), Unavailable);

  // A client that leaves makes room in the queue, and nothing is made for it.
  leaving.abort(new Error('left'));
  await assert.rejects(made[2] as Promise<unknown>, /left/);
  await assert.rejects(maker.make('2.png', 20, leaving.signal), /left/);
  made[2] = maker.make('4.png', 20, never);
  release();
  for (const file of await Promise.all(made)) {
    assert.ok(file);
    const { width } = await sharp(await buffer(file.stream(0, file.size - 1))).metadata();
    assert.equal(width, 20);
  }
  assert.deepEqual(opened.sort(), ['1.png', '3.png', '4.png']);
  // All turns were given back.
  assert.ok(await maker.make('2.png', 20, never));
});

test('two requests for the same thumbnail decode the original once', async () => {
  const folder = await withPictures(1);
  const { files, opened, release } = gated(openFolder(folder));
  const maker = createThumbnailMaker(files, tryWriter);
  const made = [maker.make('0.png', 20, never), maker.make('0.png', 20, never)];
  release();
  for (const file of await Promise.all(made)) await file?.close();
  assert.deepEqual(opened, ['0.png']);
  assert.ok(existsSync(join(folder, 'thumbnails/20/0.png.webp')));
});

test('sends what it cannot store, and nothing without a picture', async () => {
  const folder = await withPictures(1);
  const files = openFolder(folder);
  const restore = async () => {
    throw new Error('read-only');
  };
  const maker = createThumbnailMaker({ ...files, restore }, tryWriter);
  assert.ok(((await maker.make('0.png', 20, never))?.size ?? 0) > 0);
  assert.ok(!existsSync(join(folder, 'thumbnails')));
  assert.equal(await maker.make('missing.png', 20, never), undefined);
  assert.equal(await maker.make('0.png', 4000, never), undefined);
});

test('threads of a process take turns, and the turn of a thread that died is ended', async () => {
  const folder = await withPictures(2);
  const memory = createTurnMemory();
  const [a, b] = [gated(openFolder(folder)), gated(openFolder(folder))];
  const first = createThumbnailMaker(a.files, tryWriter, { memory, owner: 2 }).make('0.png', 20, never);
  await until('the first thread decodes', () => a.opened.length === 1);
  b.release();
  const second = createThumbnailMaker(b.files, tryWriter, { memory, owner: 3 }).make('1.png', 20, never);
  // A round trip through another thread, so that the second one had every chance to begin.
  await once(new Worker('', { eval: true }), 'exit');
  assert.deepEqual(b.opened, []);
  endTurn({ memory, owner: 3 });
  assert.deepEqual(b.opened, []);
  endTurn({ memory, owner: 2 });
  assert.ok(await second);
  a.release();
  assert.ok(await first);
});

test('the end of a turn wakes threads that wait for it', async () => {
  const turn = { memory: createTurnMemory(), owner: 1 };
  const end = await takeTurn(turn);
  const code = `import(${JSON.stringify(import.meta.resolve('../../src/lib/concurrency.ts'))}).then(async ({ takeTurn }) => {
    const { parentPort, workerData: memory } = require('node:worker_threads');
    parentPort.on('message', () => {});
    parentPort.postMessage('waiting');
    (await takeTurn({ memory, owner: 2 }))();
    process.exit();
  })`;
  const worker = new Worker(code, { eval: true, workerData: turn.memory });
  await once(worker, 'message');
  end();
  assert.deepEqual(await once(worker, 'exit'), [0]);
  (await takeTurn(turn))();
});

test('leaves thumbnails of pictures that take too much memory to imports and commands', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'large.avif'), await avifHeader(4000, 4000));
  const maker = createThumbnailMaker(openFolder(folder), tryWriter);
  assert.equal(await maker.make('large.avif', 20, never), undefined);
});

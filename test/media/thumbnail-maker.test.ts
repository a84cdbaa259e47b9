/** Missing thumbnails: made one at a time, and not of what is taken down. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, globSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import sharp from 'sharp';
import { removeImages } from '../../src/changes/remove.ts';
import { openForChange } from '../../src/cli/writer.ts';
import type { Config } from '../../src/config/config.ts';
import { createTurnMemory, endTurn, takeTurn } from '../../src/lib/concurrency.ts';
import { Unavailable } from '../../src/lib/metrics.ts';
import { type Files, type OpenFile, OWNER_KEY } from '../../src/media/files.ts';
import { openFolder } from '../../src/media/local.ts';
import { openBucket } from '../../src/media/s3/files.ts';
import { createThumbnailMaker } from '../../src/media/thumbnail-maker.ts';
import { openFiles, openSnapshot, openThumbnailMaker, openWriter } from '../../src/server/engines.ts';
import { type Environment, succeed } from '../support/catalogues/backup.ts';
import { atDepth } from '../support/depth.ts';
import { avifHeader } from '../support/pictures/hostile.ts';
import { draw, drawInto } from '../support/pictures/pictures.ts';
import { type Engine, forEachEngineInDepth, sqlite, testOnOneStore } from '../support/servers/engines.ts';
import { startS3 } from '../support/servers/s3.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { serve } from '../support/zukan/program.ts';
import { launchUntil } from '../support/zukan/run-until.ts';
import { configFor } from '../support/zukan/service.ts';

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

// Thumbnails that are made on request while their picture is taken down: no bytes of it stay.

const SIZE = 20;

/** A catalogue of one image whose thumbnail is missing. */
async function withoutThumbnail(engine: Engine) {
  const folder = temporaryFolder();
  const environment: Environment = {
    DATA_DIR: join(folder, 'data'),
    THUMBNAILS: `${SIZE}`,
    RATE_LIMIT: 'off',
    ...engine.environment(),
  };
  const pictures = join(folder, 'pictures');
  await drawInto(pictures, { file: '1.png', format: 'png', width: 40, height: 30, colour: '#204060' });
  await succeed(['import', '--quiet', pictures], environment);
  const config = configFor(folder, environment);
  const stored = join(folder, 'data/files');
  rmSync(join(stored, 'thumbnails'), { recursive: true });
  await using snapshot = await openSnapshot(config);
  const [image] = await Array.fromAsync(snapshot.images());
  assert.ok(image);
  return { config, environment, stored, id: image.id, key: image.key };
}

/** Everything in the storage, hidden files too, but for the one that says whose they are. */
const bytesIn = (stored: string) =>
  globSync(['**/*', '**/.*'], { cwd: stored, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.name !== OWNER_KEY,
  );

async function takeDown(config: Config, id: string, onWait: () => void): Promise<void> {
  const { removeFiles } = await removeImages(
    { ids: [id] },
    {
      files: openFiles(config),
      openWriter: () => openForChange(config, { origin: 'shell' }, { onWait, warn: assert.fail }),
      openSnapshot: () => openSnapshot(config),
      concurrency: 1,
      now: '2026-01-01T00:00:00Z',
      reason: '',
      allowAgain: false,
      toTrash: false,
      isDryRun: false,
      signal: never,
    },
  );
  await removeFiles();
}

/** Holds a step back until `release`. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const held = { isReached: false, release: resolve, pass: async () => {} };
  held.pass = () => {
    held.isReached = true;
    return promise;
  };
  return held;
}

await forEachEngineInDepth((engine) => {
  const steps: Record<string, (files: Files, pass: () => Promise<void>) => Partial<Files>> = {
    'before the picture is decoded': (files, pass) => ({
      async open(key) {
        const file = await files.open(key);
        if (!key.startsWith('thumbnails/')) await pass();
        return file;
      },
    }),
    'before the thumbnail is stored': (files, pass) => ({
      async restore(key, bytes) {
        await pass();
        await files.restore?.(key, bytes);
      },
    }),
  };
  // Whether files are read or stored is nothing that the store knows of.
  const tried = Object.entries(steps).slice(atDepth(engine === sqlite ? 0 : 1, 0));
  for (const [step, hold] of tried)
    test(`a take-down ${step}`, async () => {
      const { config, stored, id, key } = await withoutThumbnail(engine);
      const files = openFiles(config);
      const held = gate();
      const maker = openThumbnailMaker(config, { ...files, ...hold(files, held.pass) });
      const making = maker.make(key, SIZE, never);
      await until('the thumbnail is being made', () => held.isReached);
      const removal = { isDone: false, isWaiting: false };
      const removing = takeDown(config, id, () => {
        removal.isWaiting = true;
      }).finally(() => {
        removal.isDone = true;
      });
      await until('the removal is done, or waits', () => removal.isDone || removal.isWaiting);
      held.release();
      // It was requested before.
      assert.ok(((await making)?.size ?? 0) > 0);
      await removing;
      assert.deepEqual(bytesIn(stored), []);
      assert.equal(await maker.make(key, SIZE, never), undefined);
    });

  testOnOneStore(engine)(
    'a thumbnail is only sent while another command changes the catalogue, and stored otherwise',
    async () => {
      const { config, stored, id, key } = await withoutThumbnail(engine);
      const maker = openThumbnailMaker(config, openFiles(config));
      const writer = await openWriter(config);
      assert.ok(await maker.make(key, SIZE, never));
      assert.equal(bytesIn(stored).length, 1);
      await writer[Symbol.asyncDispose]();
      assert.ok(await maker.make(key, SIZE, never));
      assert.equal(bytesIn(stored).length, 2);
      await takeDown(config, id, () => {});
      assert.deepEqual(bytesIn(stored), []);
    },
  );
});

test('a server that is killed while it stores a thumbnail', async () => {
  // Before the thumbnail gets its name, and right after that.
  for (const operation of atDepth([1], [1, 2])) {
    const { config, environment, stored, id } = await withoutThumbnail(sqlite);
    const moment = { operation, from: '^rename .*/thumbnails/' };
    const { origin, ended } = await serve(
      environment,
      [],
      (parameters, variables) => launchUntil(moment, parameters, variables).child,
    );
    await assert.rejects(fetch(`${origin}/api/image/${id}/file?width=${SIZE}`));
    assert.equal(await ended, null);
    assert.equal(bytesIn(stored).length, 2);
    await takeDown(config, id, () => {});
    assert.deepEqual(bytesIn(stored), []);
  }
});

test('no thumbnail is stored in a bucket on request', async () => {
  const { location, requests } = await startS3();
  const folder = temporaryFolder();
  const files = openBucket(location, folder);
  const picture = await draw({ file: '', format: 'png', width: 40, height: 30, colour: '#204060' });
  const upload = await files.beginUpload();
  await upload.put('1.png', picture, { hash: hash('sha256', picture), mimetype: 'image/png' });
  await upload.finish();
  requests.length = 0;
  const maker = createThumbnailMaker(files, () => assert.fail('needs no lock'));
  assert.ok(((await maker.make('1.png', SIZE, never))?.size ?? 0) > 0);
  assert.deepEqual(
    requests.filter((request) => !/^(GET|HEAD) /.test(request)),
    [],
  );
});

/** Missing thumbnails are made few at a time, from a bounded queue, and not for clients that left. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import sharp from 'sharp';
import { Unavailable } from '../../src/errors.ts';
import type { Files, OpenFile } from '../../src/media/files.ts';
import { openFolder } from '../../src/media/local.ts';
import { createThumbnailMaker } from '../../src/media/thumbnail-maker.ts';
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

test('runs two at a time, queues some, and rejects more with Unavailable', async () => {
  const { files, opened, release } = gated(openFolder(await withPictures(5)));
  const maker = createThumbnailMaker(files, tryWriter, 2, 2);
  const leaving = new AbortController();
  const made = [
    maker.make('0.png', 20, never),
    maker.make('1.png', 20, never),
    maker.make('2.png', 20, leaving.signal),
    maker.make('3.png', 20, never),
  ];
  await until('two originals are open', () => opened.length === 2);
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
  assert.deepEqual(opened.sort(), ['0.png', '1.png', '3.png', '4.png']);
  // All turns were given back.
  assert.ok(await maker.make('2.png', 20, never));
});

test('two requests for the same thumbnail decode the original once', async () => {
  const folder = await withPictures(1);
  const { files, opened, release } = gated(openFolder(folder));
  const maker = createThumbnailMaker(files, tryWriter, 1);
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

/** The verification after a kill fails on a catalogue that is lost or mixed, and on files that are left behind. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { newPlaces, type Place } from '../../torture/kill-stores.ts';
import { randomFor } from '../../torture/random.ts';
import { runOrThrow } from '../../torture/servers.ts';
import { verify } from '../../torture/verify.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { temporaryFolder } from '../support/workspace.ts';

const folder = temporaryFolder();
const noEngines = { postgres: undefined, redis: undefined, [Symbol.asyncDispose]: async () => {} };
const [, original] = newPlaces(folder, noEngines)[0] as [string, Place];
writeTiny(folder, '1.png', 1);
const file = join(folder, 'catalogue.ndjson');
writeFileSync(file, JSON.stringify({ type: 'image', file: '1.png', nsfw: 'sfw' }));
await runOrThrow(['import', '--quiet', file], original.environment);
const contents = await original.contents();

const verifyCopy = (place: Place, before: string, after: string) =>
  verify({ command: ['remove'], before, after }, place, randomFor(1, ''));

test('accepts the old catalogue, the new one and the same one', async () => {
  assert.equal(await verifyCopy(await original.copy(), contents, 'new'), 'the old one');
  assert.equal(await verifyCopy(await original.copy(), 'old', contents), 'the new one');
  assert.equal(await verifyCopy(await original.copy(), contents, contents), 'the same');
});

test('accepts a removal at another time', async () => {
  const { id } = JSON.parse(contents.split('\n').find((line) => line.includes('"image"')) as string);
  const [one, other] = [await original.copy(), await original.copy()];
  for (const { environment } of [one, other]) await runOrThrow(['remove', '--yes', id], environment);
  assert.match(await one.contents(), /"type":"removed"/);
  assert.equal(await one.contents(), await other.contents());
});

test('fails on any other catalogue', async () => {
  await assert.rejects(verifyCopy(await original.copy(), 'old', 'new'), /neither the old nor the new one/);
});

test('fails on a file that stays behind, and on one that is lost', async () => {
  for (const name of ['mine.png', '.hidden', 'x.part']) {
    const place = await original.copy();
    mkdirSync(join(place.environment.DATA_DIR as string, 'files'), { recursive: true });
    writeFileSync(join(place.environment.DATA_DIR as string, 'files', name), 'bytes');
    await assert.rejects(verifyCopy(place, contents, contents), name);
  }
  const place = await original.copy();
  const [key = ''] = place.stored();
  writeFileSync(join(place.environment.DATA_DIR as string, 'files', key), '');
  await assert.rejects(verifyCopy(place, contents, contents), key);
});

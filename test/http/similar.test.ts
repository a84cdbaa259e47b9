/** Similar images: nearest first, as a naive comparison of all hashes finds them, while the catalogue changes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseHash } from '../../src/catalogue/sets/look-alikes.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { keyed, sandbox } from '../support/catalogues/import.ts';
import { forEachEngineInDepth, isEveryCase, rowsIn, tamper } from '../support/servers/engines.ts';
import { assertError } from '../support/zukan/api.ts';
import { runCommand } from '../support/zukan/program.ts';
import { seededRandomInt, startService } from '../support/zukan/service.ts';

const IMAGES = 120;
const ratings = ['sfw', 'questionable', 'nsfw'] as const;
const ratingOf = (index: number) => ratings[index % 3] as string;
const randomInt = seededRandomInt(5);

/** Flips random bits of a hash. */
function flip(hash: bigint, bits: number): bigint {
  let flipped = hash;
  for (let count = 0; count < bits; count++) flipped ^= 1n << BigInt(randomInt(128));
  return flipped;
}

const toHex = (hash: bigint) => hash.toString(16).padStart(32, '0');
const base = BigInt('0x5a0ff0c3962d8e71b44d5e2a19c7f386');
/** Several images have the same hash, most are some bits away from the first, a few are far away. */
const hashes = Array.from({ length: IMAGES }, (_, index) =>
  toHex(flip(base, [0, 3, 20, 45][index % 4] as number)),
);
/** The images 118 and 119 have none to compare. */
hashes[118] = '';

const bits = (word: number) => (word >>> 0).toString(2).replaceAll('0', '').length;

/** The specification: all images that are close enough, by distance, then by number. */
function similarTo(image: number, limit: number, accepts = (_index: number) => true): string[] {
  const target = parseHash(hashes[image] as string);
  if (!target) return [];
  const near = hashes.flatMap((hash, index) => {
    const words = index === 119 ? undefined : parseHash(hash);
    if (!words || index === image || !accepts(index)) return [];
    const [first = 0, ...others] = Array.from(words, (word, place) => bits(word ^ (target[place] as number)));
    const distance = others.reduce((sum, word) => sum + word, first);
    return first <= 8 && distance <= 36 ? { index, distance } : [];
  });
  near.sort((a, b) => a.distance - b.distance || a.index - b.index);
  return near.slice(0, limit).map(({ index }) => uuid(4, index));
}

await forEachEngineInDepth(async (engine) => {
  const box = sandbox(engine);
  await box.import(hashes.map((_, index) => keyed(index, { id: uuid(4, index), nsfw: ratingOf(index) })));
  const rows = hashes.slice(0, 119).map((hash, index) => `(${index + 1}, '${hash}')`);
  tamper(box.config, `insert into perceptual_hash (image, hash) values ${rows.join()}`);
  const service = await startService(box.config);
  const similar = async (image: number, query = ''): Promise<string[]> => {
    const answer = await service.get(`/api/image/${uuid(4, image)}/similar?${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.json.data.map(({ id }: { id: string }) => id);
  };

  test('returns the nearest images first, and those added first among equals', async () => {
    for (let image = 0; image < 118; image += isEveryCase(engine) ? 5 : 20) {
      assert.deepEqual(await similar(image), similarTo(image, 10), `image ${image}`);
      assert.deepEqual(await similar(image, 'limit=25'), similarTo(image, 25), `image ${image}`);
    }
    assert.equal(similarTo(0, 25).length, 25);
  });

  test('returns only images that match the filters', async () => {
    const rated =
      (...wanted: string[]) =>
      (index: number) =>
        wanted.includes(ratingOf(index));
    for (let image = 0; image < 20; image += isEveryCase(engine) ? 2 : 7) {
      assert.deepEqual(await similar(image, 'nsfw=sfw'), similarTo(image, 10, rated('sfw')));
      const both = similarTo(image, 25, rated('sfw', 'nsfw'));
      assert.deepEqual(await similar(image, 'nsfw=sfw,nsfw&limit=25'), both);
      assert.deepEqual(await similar(image, 'orientation=portrait'), []);
    }
  });

  test('returns nothing for an image without a hash or with too little detail', async () => {
    assert.deepEqual(await similar(118), []);
    assert.deepEqual(await similar(119), []);
  });

  test('takes include, and rejects unknown images and invalid parameters', async () => {
    const path = `/api/image/${uuid(4, 0)}/similar`;
    const { json } = await service.get(`${path}?include=artist&limit=1`);
    assert.equal(json.data[0].artistDetails.name, 'Unknown');
    assertError(await service.get(`/api/image/${uuid(9, 9)}/similar`), 404, /^Image not found\.$/);
    assertError(await service.get('/api/image/x/similar'), 400, /UUID/);
    for (const query of ['limit=0', 'limit=26', 'nsfw=x', 'orientation=x', 'expiry=5'])
      assertError(await service.get(`${path}?${query}`), 400, /Invalid/);
  });

  test('follows changes of the catalogue', async () => {
    const [first = '', second] = await similar(0);
    await runCommand(['remove', '--yes', first], box.environment);
    assert.equal((await similar(0))[0], second);
    const left = rowsIn(box.config, 'select count(*) as count from perceptual_hash') as { count: number }[];
    assert.equal(left[0]?.count, 118, 'the hash is removed with the image');
  });
});

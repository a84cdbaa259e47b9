/** Making thumbnails. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import { thumbHashToAverageRGBA } from 'thumbhash';
import { Budget } from '../../src/lib/concurrency.ts';
import { readMetadata } from '../../src/media/metadata/read.ts';
import { readPicture } from '../../src/media/picture.ts';
import { draw } from '../support/pictures/pictures.ts';

/** The left third is red, the rest is blue. */
function twoColours(width: number, height: number): Sharp {
  const third = Math.round(width / 3);
  const red = { create: { width: third, height, channels: 3 as const, background: '#e01010' } };
  return sharp({ create: { width, height, channels: 3, background: '#1010e0' } }).composite([
    { input: red, left: 0, top: 0 },
  ]);
}

async function pixelsOf(bytes: Buffer) {
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
  return {
    ...info,
    at: (x: number, y: number) => [...data.subarray((y * info.width + x) * info.channels).subarray(0, 3)],
  };
}

const isRed = ([red = 0, , blue = 0]: number[]) => red > 150 && blue < 100;

test('makes WebP files of the sizes that are smaller than the picture', async () => {
  const bytes = await twoColours(300, 200).png().toBuffer();
  const { facts, thumbnails } = await readPicture(bytes, [30, 75, 299, 300, 400]);
  assert.deepEqual(facts.previews.sizes, [30, 75, 299]);
  assert.deepEqual(
    thumbnails.map(({ size }) => size),
    [30, 75, 299],
  );
  for (const { size, bytes } of thumbnails) {
    const { format, width, height } = await sharp(bytes).metadata();
    assert.deepEqual([format, width, height], ['webp', size, Math.round((size * 2) / 3)]);
    const { at } = await pixelsOf(bytes);
    assert.ok(isRed(at(2, 2)) && !isRed(at(size - 3, 2)));
  }
  const average = thumbHashToAverageRGBA(Buffer.from(facts.previews.thumbHash, 'base64'));
  assert.ok(average.b > average.r && average.r > average.g && average.a === 1, JSON.stringify(average));
});

test('thumbnails keep the copyright notice, the terms and the credit, and nothing else', async () => {
  const xmp = (rights: string) =>
    `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:r="http://ns.adobe.com/xap/1.0/rights/" xmlns:p="http://ns.adobe.com/photoshop/1.0/" p:City="Kyoto">${rights}<dc:title>secret</dc:title></rdf:Description></rdf:RDF></x:xmpmeta>`;
  const rights = `<dc:rights>© A&amp;B &lt;i&gt;${'x'.repeat(10_000)}</dc:rights><r:WebStatement>https://a.test/</r:WebStatement><p:Credit>Ann 図</p:Credit>`;
  const exif = { IFD0: { Artist: 'secret', Copyright: 'of EXIF' } };
  for (const format of ['jpeg', 'png', 'webp', 'avif'] as const) {
    const picture = (text: string) =>
      twoColours(60, 40).withExif(exif).withXmp(xmp(text)).toFormat(format).toBuffer();
    const [thumbnail] = (await readPicture(await picture(rights), [30])).thumbnails;
    const kept = await readMetadata(thumbnail?.bytes as Buffer, 'image/webp');
    assert.equal(kept?.copyright?.replace(/x+$/, ''), '© A&B <i>', format);
    assert.deepEqual(
      [kept?.copyright?.length, kept?.copyrightUrl, kept?.credit],
      [300, 'https://a.test/', 'Ann 図'],
    );
    const names = ['rights', 'WebStatement', 'Credit'];
    assert.deepEqual(
      kept?.properties.map(([name]) => name),
      names,
    );
    assert.ok(!thumbnail?.bytes.includes('secret') && !thumbnail?.bytes.includes('EXIF'));
    const [other] = (await readPicture(await picture(''), [30])).thumbnails;
    assert.equal((await readMetadata(other?.bytes as Buffer, 'image/webp'))?.copyright, 'of EXIF');
  }
  const [plain] = (await readPicture(await twoColours(60, 40).png().toBuffer(), [30])).thumbnails;
  assert.equal(await readMetadata(plain?.bytes as Buffer, 'image/webp'), undefined);
});

test('tells animations of every type from stills', async () => {
  const drawing = { file: '', width: 20, height: 10, colour: '#204060' };
  const isAnimated = async (bytes: Buffer) => (await readPicture(bytes, [])).facts.previews.isAnimated;
  for (const format of ['gif', 'webp'] as const) {
    assert.equal(await isAnimated(await draw({ ...drawing, format, frames: 2 })), true);
    assert.equal(await isAnimated(await draw({ ...drawing, format })), false);
  }
  const png = await draw({ ...drawing, format: 'png' });
  assert.equal(await isAnimated(png), false);
  const control = Buffer.from('000000086163544c0000000200000000f38d9370', 'hex');
  assert.equal(await isAnimated(Buffer.concat([png.subarray(0, 33), control, png.subarray(33)])), true);
});

test('applies every EXIF orientation, as sharp does', async () => {
  const upright = await twoColours(90, 60).png().toBuffer();
  for (let orientation = 1; orientation <= 8; orientation++) {
    const bytes = await sharp(upright).withMetadata({ orientation }).jpeg().toBuffer();
    const { thumbnails } = await readPicture(bytes, [45]);
    const ours = await pixelsOf(thumbnails[0]?.bytes as Buffer);
    const expected = await pixelsOf(
      await sharp(bytes).autoOrient().resize(45, 45, { fit: 'inside' }).png().toBuffer(),
    );
    assert.deepEqual([ours.width, ours.height], [expected.width, expected.height]);
    for (const [x, y] of [
      [3, 3],
      [ours.width - 4, 3],
      [3, ours.height - 4],
      [ours.width - 4, ours.height - 4],
    ] as const)
      assert.equal(isRed(ours.at(x, y)), isRed(expected.at(x, y)), `orientation ${orientation} at ${x},${y}`);
  }
});

test('converts the colour profile to sRGB and leaves out other metadata', async () => {
  const pixels = { create: { width: 100, height: 80, channels: 3 as const, background: '#e06020' } };
  const bytes = await sharp(pixels)
    .withIccProfile('p3')
    .withExif({ IFD0: { Artist: 'somebody' } })
    .jpeg({ quality: 95 })
    .toBuffer();
  assert.ok((await sharp(bytes).metadata()).icc);
  const { thumbnails } = await readPicture(bytes, [50]);
  const { icc, exif, xmp, space } = await sharp(thumbnails[0]?.bytes).metadata();
  assert.deepEqual([icc, exif, xmp, space], [undefined, undefined, undefined, 'srgb']);
  const [red = 0, green = 0, blue = 0] = (await pixelsOf(thumbnails[0]?.bytes as Buffer)).at(20, 20);
  for (const [ours, theirs] of [
    [red, 0xe0],
    [green, 0x60],
    [blue, 0x20],
  ] as const)
    assert.ok(Math.abs(ours - theirs) <= 6, `${red} ${green} ${blue}`);
});

test('an animation gets a still of its first frame, even if it is small', async () => {
  for (const format of ['gif', 'webp'] as const) {
    const bytes = await draw({ file: '', format, width: 60, height: 40, colour: '#e01010', frames: 3 });
    for (const [thumbnailSizes, size] of [
      [[480], 60],
      [[30, 480], 30],
    ] as const) {
      const { thumbnails } = await readPicture(bytes, thumbnailSizes);
      assert.deepEqual(
        thumbnails.map(({ size }) => size),
        [size],
      );
      const { pages = 1, width } = await sharp(thumbnails[0]?.bytes).metadata();
      assert.deepEqual([pages, width], [1, size]);
      assert.ok(isRed((await pixelsOf(thumbnails[0]?.bytes as Buffer)).at(5, 5)));
    }
    assert.deepEqual((await readPicture(bytes, [])).thumbnails, []);
  }
});

test('keeps transparency, and handles greyscale, 16-bit and CMYK pictures and extreme shapes', async () => {
  const base = sharp({ create: { width: 90, height: 60, channels: 4, background: '#20802080' } });
  const { thumbnails } = await readPicture(await base.clone().png().toBuffer(), [45]);
  assert.equal((await sharp(thumbnails[0]?.bytes).metadata()).hasAlpha, true);
  const variants = [
    base.clone().removeAlpha().toColourspace('b-w').png(),
    base.clone().toColourspace('rgb16').png(),
    base.clone().removeAlpha().toColourspace('cmyk').jpeg(),
    base.clone().resize(2000, 1, { fit: 'fill' }).png(),
  ];
  for (const variant of variants) {
    const { facts, thumbnails } = await readPicture(await variant.toBuffer(), [45]);
    assert.deepEqual(facts.previews.sizes, [45]);
    assert.equal((await sharp(thumbnails[0]?.bytes).metadata()).width, 45);
  }
});

test('the pixel budget bounds what runs at the same time, in order, and lets any picture run alone', async () => {
  const budget = new Budget(100);
  const [started, finish]: [string[], Map<string, () => void>] = [[], new Map()];
  const run = (name: string, pixels: number) =>
    budget.spend(pixels, () => {
      started.push(name);
      return new Promise<void>((done) => finish.set(name, done));
    });
  const all = [run('a', 60), run('b', 40), run('c', 300), run('d', 1)];
  const settle = () => new Promise((done) => setImmediate(done));
  await settle();
  assert.deepEqual(started, ['a', 'b']);
  finish.get('a')?.();
  await settle();
  assert.deepEqual(started, ['a', 'b']);
  finish.get('b')?.();
  await settle();
  assert.deepEqual(started, ['a', 'b', 'c']);
  finish.get('c')?.();
  await settle();
  assert.deepEqual(started, ['a', 'b', 'c', 'd']);
  finish.get('d')?.();
  await Promise.all(all);
});

/** Removing the location from pictures. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, test } from 'node:test';
import ExifReader from 'exifreader';
import fc from 'fast-check';
import sharp from 'sharp';
import { PictureError } from '../../src/media/metadata/part.ts';
import { removeLocation } from '../../src/media/metadata/read.ts';
import { detectType } from '../../src/media/picture.ts';
import { atDepth } from '../support/depth.ts';
import * as make from '../support/pictures/geotagged.ts';

const strip = (bytes: Buffer) => removeLocation(bytes, detectType(bytes));
const plain = async (format: 'jpeg' | 'png' | 'webp' | 'gif' | 'avif') =>
  make.withoutMetadata(await make.geotagged('png'), format);

/** Everything that decides how the picture looks. */
async function appearance(bytes: Buffer) {
  const { width, height, orientation, icc, pages, format } = await sharp(bytes).metadata();
  const pixels = await sharp(bytes, { animated: true }).raw().toBuffer();
  return {
    width,
    height,
    orientation,
    icc: icc && hash('sha256', icc),
    pages,
    format,
    pixels: hash('sha256', pixels),
  };
}

/** A version or an offset alone tells no place. */
const harmless = ['_raw', 'GPSVersionID', 'GPS Info IFD Pointer'];
const placeTag = /gps|latitude|longitude|city|location|country|province|state/i;

/** The names of the tags with a location that an independent reader finds. */
async function placeTags(bytes: Buffer): Promise<string[]> {
  try {
    const groups = await ExifReader.load(bytes, { expanded: true, async: true });
    const { gps, exif, iptc, xmp, png, pngText } = groups as Record<string, object | undefined>;
    const names = [exif, iptc, xmp, png, pngText].flatMap((group) => Object.keys(group ?? {}));
    return [...Object.keys(gps ?? {}), ...names].filter(
      (name) => placeTag.test(name) && !harmless.includes(name),
    );
  } catch {
    return [];
  }
}

async function assertCleaned(bytes: Buffer): Promise<Buffer> {
  assert.ok(make.findCoordinates(bytes) || (await placeTags(bytes)).length > 0, 'the picture had a location');
  const stripped = strip(bytes);
  assert.deepEqual(await placeTags(stripped), []);
  assert.equal(make.findCoordinates(stripped), false, 'no coordinates remain');
  assert.deepEqual(await appearance(stripped), await appearance(bytes));
  assert.equal(strip(stripped), stripped, 'a second time changes nothing');
  return stripped;
}

for (const format of ['jpeg', 'png', 'webp', 'avif'] as const) {
  test(`removes EXIF and XMP locations from ${format}, and keeps the rest`, async () => {
    const bytes = await make.geotagged(format);
    assert.ok((await placeTags(bytes)).length > 4);
    const stripped = await assertCleaned(bytes);
    const tags = await ExifReader.load(stripped, { expanded: true, async: true });
    assert.equal(tags.exif?.Artist?.description, 'Exif Artist');
    assert.equal(tags.exif?.Copyright?.description, 'Exif Copyright');
    assert.equal(tags.exif?.DateTimeOriginal?.description, '2024:02:03 04:05:06');
    const xmp = tags.xmp as Record<string, { description: string }>;
    assert.equal(xmp.creator?.description, 'Ann Ink');
    assert.equal(xmp.subject?.description, 'night sky, blue, deep');
    assert.equal(xmp.Rating?.description, '5');
  });
}

test('keeps a directory for the location that has only a version', () => {
  const exif = '4d4d002a00000008 0001 88250004000000010000001a00000000 0001 00000001000000040203000000000000';
  const bytes = make.withSegments(
    Buffer.from('ffd8ffd9', 'hex'),
    make.segment(0xe1, 'Exif\0\0', Buffer.from(exif.replaceAll(' ', ''), 'hex')),
  );
  assert.equal(strip(bytes), bytes);
});

test('returns the same buffer for pictures without a location', async () => {
  for (const format of ['jpeg', 'png', 'webp', 'gif', 'avif'] as const) {
    const bytes = await plain(format);
    assert.equal(strip(bytes), bytes);
    const longer = Buffer.concat([bytes, Buffer.from('trailing')]);
    assert.equal(strip(longer), longer);
  }
});

describe('JPEG', () => {
  const photoshop = (data: Buffer) => make.segment(0xed, 'Photoshop 3.0\0', data);

  test('IPTC, also split over two segments', async () => {
    const resources = make.photoshopResources();
    for (const split of [resources.length, 20, 40]) {
      const parts = [resources.subarray(0, split), resources.subarray(split)].filter(
        (part) => part.length > 0,
      );
      const stripped = await assertCleaned(make.withSegments(await plain('jpeg'), ...parts.map(photoshop)));
      if (parts.length > 1) continue;
      const { iptc } = ExifReader.load(stripped, { expanded: true });
      const kept = iptc as Record<string, { description: string }>;
      assert.equal(kept['By-line']?.description, 'Iptc Author');
      assert.equal(kept.Keywords?.description, 'iptc keyword');
    }
  });

  test('extended XMP in portions', async () => {
    const packet = Buffer.from(make.xmpPacket);
    const portion = (start: number, end: number) => {
      const numbers = Buffer.alloc(8);
      numbers.writeUInt32BE(packet.length);
      numbers.writeUInt32BE(start, 4);
      const head = ['http://ns.adobe.com/xmp/extension/\0', 'A'.repeat(32), numbers];
      return make.segment(0xe1, ...head, packet.subarray(start, end));
    };
    const cut = packet.indexOf('GPSLongitude') + 5;
    await assertCleaned(make.withSegments(await plain('jpeg'), portion(cut, packet.length), portion(0, cut)));
  });

  test('pictures that follow, and a video', async () => {
    const [first, second] = [await plain('jpeg'), await make.geotagged('jpeg')];
    const both = Buffer.concat([first, Buffer.alloc(5), second]);
    assert.equal((await assertCleaned(both)).length, both.length);
    const video = Buffer.from('\0\0\0\x18ftypmp42 xyz Kreuzberg-7133');
    assert.deepEqual(await assertCleaned(Buffer.concat([first, video])), first);
  });

  test('comments and unknown segments that mention coordinates', async () => {
    const comment = make.segment(0xfe, 'GPSLatitude: Kreuzberg-7133');
    await assertCleaned(
      make.withSegments(await plain('jpeg'), comment, make.segment(0xe6, 'GoPro\0GPS5 Berlin-7133')),
    );
  });

  test('a thumbnail with metadata of its own', async () => {
    const thumbnail = make.withSegments(
      await plain('jpeg'),
      make.segment(0xe1, 'Exif\0\0', await make.geotaggedExif()),
    );
    const head = Buffer.from(
      'MM\0*\0\0\0\b\0\0\0\0\0\x0e\0\x02\x02\x01\0\x04\0\0\0\x01\0\0\0\x2c\x02\x02\0\x04\0\0\0\x01',
      'latin1',
    );
    const size = Buffer.alloc(8);
    size.writeUInt32BE(thumbnail.length);
    const exif = make.segment(0xe1, 'Exif\0\0', head, size, thumbnail);
    await assertCleaned(make.withSegments(await plain('jpeg'), exif));
  });
});

/** Big-endian EXIF of directories: entries as [tag, type, count, value]; `next` is the offset of the next one. */
function tiff(directories: { at: number; entries: number[][]; next?: number }[], length = 300): Buffer {
  const data = Buffer.alloc(length);
  data.write('MM\0*\0\0\0\b', 'latin1');
  for (const { at, entries, next = 0 } of directories) {
    data.writeUInt16BE(entries.length, at);
    for (const [index, [tag = 0, type = 0, count = 0, value = 0]] of entries.entries()) {
      const start = at + 2 + 12 * index;
      data.writeUInt16BE(tag, start);
      data.writeUInt16BE(type, start + 2);
      data.writeUInt32BE(count, start + 4);
      data.writeUInt32BE(value, start + 8);
    }
    data.writeUInt32BE(next, at + 2 + 12 * entries.length);
  }
  data.writeUInt32BE(457_133_713, 250);
  return data;
}

describe('hostile EXIF keeps the orientation and loses the location', () => {
  const orientation = [0x0112, 3, 1, 6 << 16];
  const toLocation = [0x8825, 4, 1, 100];
  const location = { at: 100, entries: [[2, 5, 3, 242]] };
  // Cleaning the value once per entry would take minutes.
  const shared = Buffer.alloc(60_000, '<a/>');
  const manyXmp = Array.from({ length: 1900 }, () => [700, 7, 30_000, 28_000]);
  tiff(
    [
      { at: 8, entries: [orientation, ...manyXmp, [0x8825, 4, 1, 24_000]] },
      { at: 24_000, entries: [[2, 5, 3, 24_100]] },
    ],
    25_000,
  ).copy(shared);
  shared.writeUInt32BE(457_133_713, 24_108);
  const cases: [string, Buffer][] = [
    [
      'a loop',
      tiff([
        { at: 8, entries: [orientation, toLocation], next: 8 },
        { ...location, next: 8 },
      ]),
    ],
    [
      'a location that is also the next directory',
      tiff([{ at: 8, entries: [orientation, toLocation], next: 100 }, location]),
    ],
    [
      'values that other tags share',
      tiff([{ at: 8, entries: [orientation, [0x010e, 2, 30, 240], toLocation] }, location]),
    ],
    [
      'a huge count',
      tiff([
        { at: 8, entries: [orientation, toLocation] },
        { at: 100, entries: [[2, 5, 0xffffffff, 242]] },
      ]),
    ],
    [
      'values outside',
      tiff([
        { at: 8, entries: [orientation, toLocation] },
        {
          at: 100,
          entries: [
            [2, 5, 3, 242],
            [4, 5, 3, 0xfffffff0],
          ],
        },
      ]),
    ],
    [
      'a location that is cut off',
      tiff([{ at: 8, entries: [orientation, toLocation] }, location]).subarray(0, 254),
    ],
    ['many entries that share one value', shared],
    [
      'two locations',
      tiff([
        { at: 8, entries: [orientation, toLocation, [0x8825, 4, 1, 150]] },
        location,
        { ...location, at: 150 },
      ]),
    ],
    [
      'a location in the EXIF directory',
      tiff([
        { at: 8, entries: [orientation, [0x8769, 4, 1, 60]] },
        { at: 60, entries: [toLocation] },
        location,
      ]),
    ],
  ];
  for (const [name, exif] of cases) {
    test(name, async () => {
      const bytes = make.withSegments(await plain('jpeg'), make.segment(0xe1, 'Exif\0\0', exif));
      assert.equal((await sharp(bytes).metadata()).orientation, 6);
      await assertCleaned(bytes);
    });
  }
});

describe('PNG', () => {
  test('profiles that ImageMagick and ExifTool store as texts', async () => {
    const exif = await make.geotaggedExif();
    const chunks = [
      make.rawProfile('exif', Buffer.concat([Buffer.from('Exif\0\0'), exif])),
      make.rawProfile('APP1', Buffer.from(`http://ns.adobe.com/xap/1.0/\0${make.xmpPacket}`)),
      make.rawProfile('xmp', Buffer.from(make.xmpPacket)),
      make.rawProfile('iptc', make.photoshopResources()),
    ];
    for (const chunk of chunks) {
      const bytes = make.withChunks(await plain('png'), chunk);
      const stripped = strip(bytes);
      assert.notEqual(stripped, bytes);
      const [hex = ''] = /[0-9a-f\n]{100,}/.exec(stripped.toString('latin1')) ?? [];
      const content = Buffer.from(hex.replaceAll('\n', ''), 'hex');
      assert.ok(content.length > 50);
      assert.equal(make.findCoordinates(content), false);
      assert.deepEqual(await placeTags(stripped), []);
      assert.deepEqual(
        { ...(await appearance(stripped)), orientation: 0 },
        { ...(await appearance(bytes)), orientation: 0 },
      );
      assert.equal(strip(stripped), stripped);
    }
  });

  test('texts, compressed or not, and private chunks', async () => {
    await assertCleaned(
      make.withChunks(await plain('png'), make.pngChunk('tEXt', Buffer.from('GPSPosition\0Berlin-7133'))),
    );
    const compressed = make.withChunks(await plain('png'), make.compressedText('Comment', 'Latitude: 52'));
    assert.deepEqual(strip(compressed), await plain('png'));
    const bomb = make.withChunks(
      await plain('png'),
      make.compressedText('Comment', Buffer.alloc(17 * 2 ** 20)),
    );
    assert.deepEqual(strip(bomb), await plain('png'));
    // Together they are too large, so that only the first ones are read and kept.
    const text = make.compressedText('Comment', Buffer.alloc(3 * 2 ** 20, 'a'));
    const many = make.withChunks(await plain('png'), ...Array.from({ length: 8 }, () => text));
    assert.deepEqual(
      strip(many),
      make.withChunks(await plain('png'), ...Array.from({ length: 5 }, () => text)),
    );
  });
});

test('XMP that is damaged or of absurd size becomes spaces', async () => {
  const gif = await plain('gif');
  const tags = '<a/>'.repeat(100_001);
  const attributes = `<a ${'b="" '.repeat(300_000)}/>`;
  for (const packet of [
    tags,
    attributes,
    '<a>'.repeat(101),
    '<a><b></a>',
    '<!DOCTYPE a><a/>',
    `<a>${'x'.repeat(2 ** 23)}</a>`,
  ])
    assert.ok(strip(make.withGifXmp(gif, packet)).equals(make.withGifXmp(gif, ' '.repeat(packet.length))));
});

test('pictures with absurdly many pieces are refused before they fill the memory', () => {
  const box = (type: string, content: Buffer) => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(8 + content.length);
    head.write(type, 4, 'latin1');
    return Buffer.concat([head, content]);
  };
  const avif = (...boxes: Buffer[]) =>
    Buffer.concat([
      box('ftyp', Buffer.from('avif\0\0\0\0')),
      box('meta', Buffer.concat([Buffer.alloc(4), ...boxes])),
    ]);
  const many = <T>(item: T) => Array<T>(100_001).fill(item);
  const none = Buffer.alloc(0);
  // Version 2, a count of 100,001, and items of ten bytes.
  const items = Buffer.concat([Buffer.from([2, 0, 0, 0, 0, 0, 0, 1, 0x86, 0xa1]), ...many(Buffer.alloc(10))]);
  const types = box('iinf', Buffer.concat([Buffer.alloc(6), ...many(box('infe', Buffer.alloc(8)))]));
  const segment = Buffer.from('\xff\xed\0\x10Photoshop 3.0\0', 'latin1');
  for (const [picture, mimetype] of [
    [avif(...many(box('free', none))), 'image/avif'],
    [avif(types, box('iloc', Buffer.alloc(10))), 'image/avif'],
    [avif(box('iinf', Buffer.alloc(6)), box('iloc', items)), 'image/avif'],
    [Buffer.concat([Buffer.from([0xff, 0xd8]), ...many(segment)]), 'image/jpeg'],
  ] as const)
    assert.throws(() => removeLocation(picture, mimetype), PictureError);
});

test('GIF: XMP and comments', async () => {
  const gif = await plain('gif');
  await assertCleaned(make.withGifXmp(gif, make.xmpPacket));
  const comment = Buffer.from('!\xfe\x1eGPSLatitude: Kreuzberg-7133 ...\0'.replace('\x1e', '\x1f'), 'latin1');
  await assertCleaned(Buffer.concat([gif.subarray(0, -1), comment, gif.subarray(-1)]));
});

test('the result is the same as in earlier versions, or pictures in catalogues are not recognised', () => {
  const values = Buffer.from('000000340000000100000018000000010000302d00000064', 'hex');
  const exif = Buffer.concat([
    Buffer.from(
      '4d4d002a00000008 0002 01120003000000010006000088250004000000010000002600000000'.replaceAll(' ', ''),
      'hex',
    ),
    Buffer.from('0001 00020005000000030000003800000000'.replaceAll(' ', ''), 'hex'),
    values,
  ]);
  const jpeg = Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    make.segment(0xe1, 'Exif\0\0', exif),
    make.segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0', Buffer.from(make.xmpPacket)),
    make.segment(0xed, 'Photoshop 3.0\0', make.photoshopResources()),
    make.segment(0xfe, 'GPSLatitude 52'),
    Buffer.from([0xff, 0xd9]),
    Buffer.from('....ftypmp42'),
  ]);
  const stripped = strip(jpeg);
  assert.deepEqual([jpeg.includes(values), stripped.includes(values.subarray(0, 8))], [true, false]);
  assert.equal(hash('sha256', stripped), '222afdebab1425d6a0f3732c76f9aa8cbfad019926de089f21ffe7ed6344eaad');
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  const png = Buffer.concat([
    signature,
    make.rawProfile('exif', exif),
    make.pngChunk('IEND', Buffer.alloc(0)),
  ]);
  assert.equal(
    hash('sha256', strip(png)),
    'e6195e0247692601720ff93f1f6d5a0a50d753ffd09c9dae363947c633578f9c',
  );
});

test('a PNG chunk that is cut off is removed, but for pixels', async () => {
  const bytes = await make.geotagged('png');
  const exif = bytes.indexOf('eXIf') - 4;
  const cut = Buffer.from(bytes);
  cut.writeUInt32BE(0x08000000 + bytes.readUInt32BE(exif), exif);
  assert.ok((await placeTags(cut)).length > 0, 'a reader accepts it');
  assert.deepEqual(strip(cut), cut.subarray(0, exif));
  const withoutLocation = await plain('png');
  const pixels = withoutLocation.subarray(0, withoutLocation.indexOf('IDAT') + 50);
  assert.equal(strip(pixels), pixels);
});

/** Pictures whose whole metadata has a location, for corrupting. */
async function hostileSeeds(): Promise<Buffer[]> {
  const jpeg = make.withSegments(
    await make.geotagged('jpeg'),
    make.segment(0xed, 'Photoshop 3.0\0', make.photoshopResources()),
  );
  const png = make.withChunks(
    await make.geotagged('png'),
    make.rawProfile('iptc', make.photoshopResources()),
  );
  const gif = make.withGifXmp(await plain('gif'), make.xmpPacket);
  return [jpeg, png, gif, await make.geotagged('webp'), await make.geotagged('avif')];
}

type Corruption = { at: number; kind: 'byte' | 'cut' | 'number' | 'copy'; value: number };

/** Positions are shares of the length, so that they hit every picture. */
function corrupt(bytes: Buffer, corruptions: Corruption[]): Buffer {
  let result = Buffer.from(bytes);
  for (const { at, kind, value } of corruptions) {
    if (result.length < 40) break;
    const position = 12 + Math.floor(at * (result.length - 20));
    if (kind === 'byte') result[position] = value & 255;
    if (kind === 'number') result.writeUInt32BE(value >>> 0, position);
    if (kind === 'cut') result = Buffer.from(result.subarray(0, position));
    if (kind === 'copy') result.copy(result, position, 12, 12 + (value & 127));
  }
  return result;
}

test('corrupted pictures: no crash, no location left, and the same result when repeated', async () => {
  const seeds = await hostileSeeds();
  const corruption = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    kind: fc.constantFrom('byte', 'byte', 'number', 'copy', 'cut'),
    value: fc.oneof(fc.integer(), fc.constantFrom(0, 1, 8, 0x8825, 0x88250004, 0x7fffffff, 0xffffffff)),
  }) as fc.Arbitrary<Corruption>;
  const corrupted = fc
    .tuple(fc.constantFrom(...seeds), fc.array(corruption, { minLength: 1, maxLength: 6 }))
    .map(([seed, corruptions]) => corrupt(seed, corruptions));
  await fc.assert(
    fc.asyncProperty(corrupted, async (bytes) => {
      let stripped: Buffer;
      try {
        stripped = strip(bytes);
      } catch (error) {
        assert.ok(error instanceof PictureError, String(error));
        return;
      }
      assert.equal(strip(stripped), stripped);
      assert.deepEqual(await placeTags(stripped), []);
    }),
    { numRuns: Number(process.env.ZUKAN_FUZZ_RUNS ?? atDepth(100, 1000)) },
  );
});

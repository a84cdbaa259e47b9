/** Writes a library: pictures with the sidecars of all tools that test/import/sidecars has, and bad ones between them. */
import { globSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { sidecarNames } from '../../src/import/sidecar/read.ts';
import { inParallel } from '../../src/lib/parallel.ts';

const corpus = join(import.meta.dirname, '../../test/import/sidecars');
const PER_FOLDER = 500;

/** What one tool writes next to a picture. */
interface Shape {
  tool: string;
  extension: string;
  /** The contents of sidecars, by what follows the name of the picture without its extension. */
  sidecars: Map<string, Buffer>;
}

export interface Library {
  folder: string;
  shapes: number;
  /** The paths of pictures, relative to the folder. */
  good: Set<string>;
  bad: Set<string>;
}

function readShapes(): Shape[] {
  const names = readdirSync(corpus);
  const stems = names
    .filter((name) => name.endsWith('.expected.json'))
    .map((name) => name.slice(0, -'.expected.json'.length));
  return stems.map((tool) => {
    const has = (type: string) => names.some((name) => name.startsWith(`${tool}.${type}.`));
    const extension = ['jpg', 'png', 'gif'].find(has) ?? 'jpg';
    const own = sidecarNames(`${tool}.${extension}`).filter((name) => names.includes(name));
    const sidecars = own.map((name): [string, Buffer] => [
      name.slice(tool.length),
      readFileSync(join(corpus, name)),
    ]);
    return { tool, extension, sidecars: new Map(sidecars) };
  });
}

/** Each makes one of the files of a picture useless. */
const damages: ((path: string, shape: Shape) => void)[] = [
  (path) => writeFileSync(path, ''),
  (path) => writeFileSync(path, 'not a picture'),
  (path) => writeFileSync(path, readFileSync(path).subarray(0, 100)),
  (path) =>
    writeFileSync(path, Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(500, 7)])),
  (path) => writeFileSync(`${path}.json`, '{"tags": ['),
  (path) => symlinkSync('nowhere', path.replace(/\.(\w+)$/, ' gone.$1')),
];

export async function writeLibrary(
  folder: string,
  count: number,
  bad: number,
  side: number,
): Promise<Library> {
  const shapes = readShapes();
  const library: Library = { folder, shapes: shapes.length, good: new Set(), bad: new Set() };
  const every = bad > 0 ? Math.floor(count / bad) : 0;
  await inParallel(Array.from({ length: count }).keys(), availableParallelism(), async (index) => {
    const shape = shapes[index % shapes.length] as Shape;
    const stem = join(shape.tool, `${Math.floor(index / PER_FOLDER)}`, `${index}`);
    const path = `${stem}.${shape.extension}`;
    mkdirSync(join(folder, dirname(stem)), { recursive: true });
    writeFileSync(join(folder, path), await draw(index, side, shape.extension));
    for (const [suffix, content] of shape.sidecars) writeFileSync(join(folder, stem + suffix), content);
    if (every === 0 || index % every !== every - 1 || library.bad.size === bad)
      return void library.good.add(path);
    const number = library.bad.size;
    library.bad.add(path);
    damages[number % damages.length]?.(join(folder, path), shape);
  });
  // A dangling link is one more file, next to a picture that is fine.
  for (const link of globSync('**/* gone.*', { cwd: folder })) {
    const whole = link.replace(' gone', '');
    library.bad.delete(whole);
    library.bad.add(link);
    library.good.add(whole);
  }
  return library;
}

/** A gradient with noise, which takes about as long to decode as a photograph of its size. */
async function draw(index: number, side: number, extension: string): Promise<Buffer> {
  const [width, height] = index % 3 === 0 ? [Math.round(side * 0.75), side] : [side, Math.round(side * 0.75)];
  const pixels = Buffer.allocUnsafe(width * height * 3);
  let state = index + 1;
  for (let at = 0; at < pixels.length; at++) {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    pixels[at] = (at / width + index * 7 + (state >> 26)) & 255;
  }
  const image = sharp(pixels, { raw: { width, height, channels: 3 } });
  if (extension === 'png') return image.png({ compressionLevel: 1 }).toBuffer();
  if (extension === 'gif') return image.gif({ effort: 1 }).toBuffer();
  return image.jpeg({ quality: 80 }).toBuffer();
}

/**
 * The memory that pictures take: of decoding each kind in bytes per pixel, of importing the largest that are accepted, and of
 * a server that makes missing thumbnails. Pictures are flat, because the memory does not depend on what they show.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import sharp, { type Sharp } from 'sharp';
import { chooseSizes } from '../src/catalogue/documents/document.ts';
import { decodingBytes, makeThumbnails, readLayout } from '../src/media/decoding.ts';
import { detectType } from '../src/media/picture.ts';
import { runCommand, startServer } from './process.ts';

const LADDER = [480, 960, 1600];
const SIDE = 4000;
const REQUESTS = 18;

type Encode = (picture: Sharp) => Sharp;
const deep = (picture: Sharp) => picture.ensureAlpha(0.5).toColourspace('rgb16');
const kinds: Record<string, Encode> = {
  'JPEG, baseline': (picture) => picture.jpeg(),
  'JPEG, rotated by 90°': (picture) => picture.withMetadata({ orientation: 6 }).jpeg(),
  'JPEG, progressive, 4:2:0': (picture) => picture.jpeg({ progressive: true }),
  'JPEG, progressive, 4:4:4': (picture) => picture.jpeg({ progressive: true, chromaSubsampling: '4:4:4' }),
  PNG: (picture) => picture.png(),
  'PNG, 16 bits, transparent': (picture) => deep(picture).png(),
  'PNG, interlaced': (picture) => picture.png({ progressive: true }),
  'PNG, interlaced, 16 bits, transparent': (picture) => deep(picture).png({ progressive: true }),
  WebP: (picture) => picture.webp({ effort: 0 }),
  'WebP, lossless, transparent': (picture) => picture.ensureAlpha(0.5).webp({ effort: 0, lossless: true }),
  GIF: (picture) => picture.gif({ effort: 1 }),
  'AVIF, 4:2:0': (picture) => picture.avif({ effort: 0, chromaSubsampling: '4:2:0' }),
  'AVIF, 4:4:4, transparent': (picture) => picture.ensureAlpha(0.5).avif({ effort: 0 }),
  'AVIF, 10 bits, transparent': (picture) => deep(picture).avif({ effort: 0, bitdepth: 10 }),
};
/** Close to the limit of imports. */
const largest: [kind: string, side: number][] = [
  ['JPEG, progressive, 4:4:4', 10_000],
  ['PNG, interlaced, 16 bits, transparent', 8300],
  ['AVIF, 4:4:4, transparent', 6400],
  ['AVIF, 10 bits, transparent', 5500],
];
/** Close to the limit of serving. */
const SERVED = { kind: 'AVIF, 4:4:4, transparent', side: 2700 };

export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'zukan-pictures-'));
  try {
    const empty = measure('--decode', await write(folder, 'WebP', 64)).peak;
    for (const kind of Object.keys(kinds)) {
      const path = await write(folder, kind, SIDE);
      const { peak, cost } = measure('--decode', path);
      const perPixel = ((peak - empty) * 1e6) / SIDE ** 2;
      report(
        kind,
        `${peak - empty} MB more at the peak, ${perPixel.toFixed(1)} bytes per pixel, counted as ${cost} MB`,
      );
    }
    for (const [kind, side] of largest) await measureImport(folder, kind, side);
    await measureServer(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const report = (what: string, result: string) => console.log(`${what.padEnd(40)} ${result}`);

/** Of the file, as imports expect it. */
const extensionOf = (kind: string) => kind.replace(/[, ].*/, '').toLowerCase();

/** In another process, because encoding takes memory, too. Returns the path. */
async function write(folder: string, kind: string, side: number): Promise<string> {
  const path = join(folder, `${Object.keys(kinds).indexOf(kind)}-${side}`);
  execFileSync(process.execPath, [import.meta.filename, '--encode', path, kind, String(side)]);
  return path;
}

function measure(...parameters: string[]): { peak: number; cost: number } {
  return JSON.parse(
    execFileSync(process.execPath, [import.meta.filename, ...parameters], { encoding: 'utf8' }),
  );
}

async function measureImport(folder: string, kind: string, side: number): Promise<void> {
  const pictures = join(folder, `import ${side}`);
  mkdirSync(pictures);
  execFileSync('cp', [await write(folder, kind, side), join(pictures, `1.${extensionOf(kind)}`)]);
  report(
    `import of ${side} x ${side}, ${kind}`,
    `${measure('--import', pictures, join(folder, `data ${side}`)).peak} MB at the peak`,
  );
}

async function measureServer(folder: string): Promise<void> {
  const environment = { DATA_DIR: join(folder, 'served'), WORKERS: '2', RATE_LIMIT: 'off' };
  const pictures = join(folder, 'to serve');
  mkdirSync(pictures);
  const path = await write(folder, SERVED.kind, SERVED.side);
  writeFileSync(join(pictures, '1.avif'), readFileSync(path));
  await runCommand(['import', '--quiet', pictures], environment);
  const [line = ''] = (await runCommand(['export'], environment))
    .split('\n')
    .filter((text) => text.includes('"image"'));
  const { id } = JSON.parse(line);
  await using server = await startServer(environment);
  const request = () =>
    fetch(`${server.origin}/api/image/${id}/file?width=480`).then((response) => response.arrayBuffer());
  await request();
  const memory = () => server.memory() + server.memoryOfChildren();
  const before = memory();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, memory());
  }, 20);
  for (let round = 0; round < REQUESTS / 3; round++) {
    rmSync(join(folder, 'served/files/thumbnails'), { recursive: true });
    await Promise.all([request(), request(), request()]);
  }
  clearInterval(timer);
  report(
    `serving ${SERVED.side} x ${SERVED.side}, ${SERVED.kind}`,
    `${before} MB before, ${peak} MB at the peak, with the process that makes them`,
  );
}

/** The largest resident memory of this process so far, in MB. */
const peakMemory = () => Math.round((process.resourceUsage().maxRSS * 1024) / 1e6);

const [task, path = '', kind = '', side = ''] = process.argv.slice(2);
if (task === '--encode') {
  const size = Number(side);
  const create = { width: size, height: size, channels: 3 as const, background: '#204060' };
  await kinds[kind]?.(sharp({ create, limitInputPixels: false })).toFile(path);
} else if (task === '--decode') {
  const bytes = readFileSync(path);
  const layout = await readLayout(bytes);
  const sizes = chooseSizes(LADDER, layout, layout.isAnimated);
  await makeThumbnails(bytes, layout, sizes);
  const { memory } = decodingBytes(bytes, detectType(bytes), layout, sizes.at(-1) ?? 0);
  console.log(JSON.stringify({ peak: peakMemory(), cost: Math.round(memory / 1e6) }));
} else if (task === '--import') {
  const { runProgram } = await import('../src/cli/program.ts');
  const stdout = new Writable({ write: (_chunk, _encoding, done) => done() });
  const { stdin, stderr } = process;
  const status = await runProgram(['import', '--quiet', path], { DATA_DIR: kind }, { stdin, stdout, stderr });
  if (status !== 0) throw new Error('the import failed');
  console.log(JSON.stringify({ peak: peakMemory(), cost: 0 }));
}

/** What the API must say about the known catalogue, made-up catalogues of any size, and how to judge errors. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { importFiles } from '../../src/commands/import.ts';
import { artists, categories, characters, images, uuid } from './catalogue.ts';
import {
  type Answer,
  configFor,
  type Envelope,
  type Service,
  type ServiceOptions,
  startService,
} from './service.ts';
import { temporaryFolder } from './workspace.ts';

/** The moment at which most tests take place: a whole second. */
export const NOW = Date.parse('2026-03-01T00:00:00.000Z');
export const clock = () => NOW;

/** The endpoints, in the words of the specification. */
export const endpoints = [
  ...['/', '/stats', '/token', '/image', '/image/random', '/image/{id}'],
  ...['/artist', '/artist/{id}', '/artist/{id}/images'],
  ...['/character', '/character/{id}', '/category', '/category/{id}'],
];

/** A call of each endpoint that the known catalogue has an answer for. The first has no slash: it is the prefix. */
export const examples = endpoints.map((path) => {
  const kind = { image: 4, artist: 2, character: 3, category: 1 }[path.split('/')[1] ?? ''] ?? 0;
  return path === '/' ? '' : path.replace('{id}', uuid(kind, 1));
});
/** Those that make links, whose lifetime `expiry` sets. */
export const withExpiry = examples.filter((path) => /image/.test(path));

interface Named {
  id: string;
  name: string;
}

/** By the code points of the name, then by id: UTF-8 bytes sort just so. */
export function inOrder<T extends Named>(entries: readonly T[]): T[] {
  const compare = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));
  return [...entries].sort((one, other) => compare(one.name, other.name) || compare(one.id, other.id));
}

const divisor = (one: number, other: number): number => (other === 0 ? one : divisor(other, one % other));
const named = <T extends Named>(entries: readonly T[], names: string[]) =>
  inOrder(entries.filter(({ name }) => names.includes(name)));

/** Every image as the API must show it, without `url`, `meta.color` and `meta.expires` (see `judgeImage`). */
export async function expectedImages(folder: string): Promise<Envelope[]> {
  return Promise.all(
    images.map(async ({ drawing, ...image }) => {
      const bytes = await readFile(join(folder, drawing.file));
      const { width, height } = drawing;
      const common = divisor(width, height);
      return {
        ...image,
        artist: artists.find(({ name }) => name === image.artist)?.id ?? null,
        categories: named(categories, image.categories),
        characters: named(characters, image.characters),
        meta: {
          eTag: createHash('sha256').update(bytes).digest('hex'),
          size: bytes.length,
          mimetype: `image/${drawing.format}`,
          dimens: {
            ...{ width, height, aspectRatio: `${width / common}:${height / common}` },
            orientation: width > height ? 'landscape' : width < height ? 'portrait' : 'square',
          },
        },
      };
    }),
  );
}

/** Checks the parts of an image that are not fixed (link, colour, end of the link), and gives the rest. */
export function judgeImage(image: Envelope, origin: string, ends: { from: number; to: number }): Envelope {
  const { url, ...rest } = image;
  const { color, expires, ...meta } = rest.meta;
  assert.equal(new URL(url).origin, origin);
  assert.match(expires, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const end = Date.parse(expires);
  assert.ok(end >= ends.from && end <= ends.to, `${expires} is the end of the link`);
  assert.match(color, /^#[0-9a-f]{6}$/);
  const known = images.find(({ id }) => id === image.id)?.drawing;
  // The one colour of a still picture; formats with loss and coarse counting may shift it a little.
  if (known?.frames === 1) {
    const channels = (text: string) => [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16));
    const wanted = channels(known.colour);
    const isNear = channels(color).every((value, index) => Math.abs(value - (wanted[index] ?? 0)) <= 16);
    assert.ok(isNear, `${color} is near ${known.colour}`);
  }
  return { ...rest, meta };
}

/** The error envelope, with all that every error promises. */
export function assertError(answer: Answer, status: number, says: RegExp = /\S/): void {
  assert.equal(answer.status, status, `status of ${answer.text}`);
  assert.match(answer.headers['content-type'] ?? '', /^application\/json/);
  assert.deepEqual(Object.keys(answer.json).sort(), ['code', 'message', 'success']);
  assert.equal(answer.json.code, status);
  assert.equal(answer.json.success, false);
  assert.equal(typeof answer.json.message, 'string');
  assert.match(answer.json.message, says);
}

/** Makers of tests: each GET is refused just so, or answered. */
export function judges<Name extends string>(service: Service, tokens: Record<Name, Record<string, string>>) {
  return {
    refuses: (name: string, paths: string[], token: Name, status: number, says?: RegExp) =>
      test(name, async () => {
        for (const path of paths)
          for (const prefix of ['/api', '/v1'])
            assertError(await service.get(prefix + path, tokens[token]), status, says);
      }),
    allows: (name: string, paths: string[], token: Name) =>
      test(name, async () => {
        for (const path of paths) {
          const { status, text } = await service.get(`/api${path}`, tokens[token]);
          assert.equal(status, 200, `${path}: ${text}`);
        }
      }),
  };
}

/** The address of a related page, or undefined when the answer has none. */
export function related(
  answer: Pick<Answer, 'headers'>,
  relation: 'next' | 'prev',
  base: string,
): string | undefined {
  for (const link of (answer.headers.link ?? '').matchAll(/<([^>]*)>([^,]*)/g))
    if (new RegExp(`;\\s*rel="?${relation}"?(;|\\s|$)`).test(link[2] ?? ''))
      return new URL(link[1] ?? '', base).href;
  return undefined;
}

/** The line of an image whose bytes nobody asks for. */
export const madeUpImage = (id: string, rest: object = {}) => ({
  ...{ type: 'image', id, key: `${id}.png`, nsfw: 'sfw' },
  meta: {
    eTag: createHash('sha256').update(id).digest('hex'),
    ...{ size: 1000, mimetype: 'image/png', color: '#102030', dimens: { width: 40, height: 30 } },
  },
  ...rest,
});

/** A service that serves these lines of a catalogue file. */
export async function startMadeUpService(lines: object[], options: ServiceOptions = {}) {
  const folder = temporaryFolder();
  const config = configFor(folder, { ...options.engine?.environment(), ...options.environment });
  const path = join(folder, 'made-up.ndjson');
  await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  await importFiles(config, [path]);
  return startService(config, { clock, ...options });
}

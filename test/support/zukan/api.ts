/** The expected responses for the known catalogue, services with made-up catalogues, and assertions on errors. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { artists, categories, characters, images, uuid } from '../catalogues/catalogue.ts';
import { writeLines } from '../catalogues/lines.ts';
import { storeOldText } from '../catalogues/older.ts';
import { atDepth } from '../depth.ts';
import { temporaryFolder } from '../workspace.ts';
import { importFiles } from './import-files.ts';
import {
  type Answer,
  configFor,
  type Envelope,
  type Service,
  type ServiceOptions,
  startService,
} from './service.ts';

/** The time of most tests: a whole second. */
export const NOW = Date.parse('2026-03-01T00:00:00.000Z');
export const clock = () => NOW;

/** The paths of all endpoints. */
export const endpoints = [
  ...['/', '/stats', '/token', '/image', '/image/random', '/image/latest', '/image/changes'],
  ...['/image/{id}', '/image/random/file', '/image/{id}/file', '/image/{id}/similar'],
  '/search',
  ...['/artist', '/artist/{id}', '/artist/{id}/images'],
  ...['/character', '/character/{id}', '/category', '/category/{id}'],
  ...['/album', '/album/{id}', '/album/{id}/images'],
];

/** A call of each endpoint that succeeds on the known catalogue. The first is the prefix itself. */
export const examples = endpoints.map((path) => {
  const kind = { image: 4, artist: 2, character: 3, category: 1, album: 5 }[path.split('/')[1] ?? ''] ?? 0;
  return path === '/' ? '' : path.replace('{id}', uuid(kind, 1));
});
/** The calls that accept `expiry`. */
export const withExpiry = examples.filter((path) => /image|search/.test(path));

/** The status of a successful call. */
export const successStatus = (path: string) => (path.replace(/\?.*/, '').endsWith('/file') ? 302 : 200);

interface Named {
  id: string;
  name: string;
}

/** Sorts by the name without case, then by its code points, then by id. UTF-8 bytes have the same order. */
export function sortByName<T extends Named>(entries: readonly T[]): T[] {
  const compare = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));
  return [...entries].sort(
    (one, other) =>
      compare(one.name.toLowerCase(), other.name.toLowerCase()) ||
      compare(one.name, other.name) ||
      compare(one.id, other.id),
  );
}

const greatestDivisor = (one: number, other: number): number =>
  other === 0 ? one : greatestDivisor(other, one % other);
const findByNames = <T extends Named>(entries: readonly T[], names: string[]) =>
  sortByName(entries.filter(({ name }) => names.includes(name)));

/** Every image as the API must return it, without `url`, `meta.color` and `meta.expires` (see `checkImage`). */
export async function expectedImages(folder: string): Promise<Envelope[]> {
  return Promise.all(
    images.map(async ({ drawing, ...image }) => {
      const bytes = await readFile(join(folder, drawing.file));
      const { width, height } = drawing;
      const divisor = greatestDivisor(width, height);
      return {
        ...image,
        artist: artists.find(({ name }) => name === image.artist)?.id,
        categories: findByNames(categories, image.categories),
        characters: findByNames(characters, image.characters),
        meta: {
          eTag: createHash('sha256').update(bytes).digest('hex'),
          size: bytes.length,
          mimetype: `image/${drawing.format}`,
          dimens: {
            width,
            height,
            aspectRatio: `${width / divisor}:${height / divisor}`,
            orientation: width > height ? 'landscape' : width < height ? 'portrait' : 'square',
          },
        },
      };
    }),
  );
}

/** Checks the parts of an image that vary (link, colour, expiry), and returns the rest. */
export function checkImage(
  image: Envelope,
  origin: string,
  expected: { from: number; to: number },
): Envelope {
  const { url, ...rest } = image;
  const { color, expires, ...meta } = rest.meta;
  assert.equal(new URL(url).origin, origin);
  assert.match(expires, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const expiry = Date.parse(expires);
  assert.ok(expiry >= expected.from && expiry <= expected.to, `the link expires at ${expires}`);
  assert.match(color, /^#[0-9a-f]{6}$/);
  const known = images.find(({ id }) => id === image.id)?.drawing;
  // A still picture has one colour. Lossy formats and coarse counting may shift it a little.
  if (known?.frames === 1) {
    const channels = (text: string) => [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16));
    const drawn = channels(known.colour);
    const isNear = channels(color).every((value, index) => Math.abs(value - (drawn[index] ?? 0)) <= 16);
    assert.ok(isNear, `${color} is near ${known.colour}`);
  }
  return { ...rest, meta };
}

/** Asserts an error response with this status and message. */
export function assertError(answer: Answer, status: number, message: RegExp = /\S/): void {
  assert.equal(answer.status, status, `status of ${answer.text}`);
  assert.match(answer.headers['content-type'] ?? '', /^application\/json/);
  assert.deepEqual(Object.keys(answer.json).sort(), ['code', 'message', 'success']);
  assert.equal(answer.json.code, status);
  assert.equal(answer.json.success, false);
  assert.equal(typeof answer.json.message, 'string');
  assert.match(answer.json.message, message);
}

/** Define a test that every path is rejected, or accepted, with a token. `what` completes the title. */
export function testMakers<Name extends string>(
  service: Service,
  tokens: Record<Name, Record<string, string>>,
) {
  return {
    rejects: (what: string, paths: string[], token: Name, status: number, message?: RegExp) =>
      test(`rejects ${what} (${status})`, async () => {
        for (const [at, path] of paths.entries())
          for (const prefix of atDepth([at % 2 ? '/v1' : '/api'], ['/api', '/v1']))
            assertError(await service.get(prefix + path, tokens[token]), status, message);
      }),
    accepts: (what: string, paths: string[], token: Name) =>
      test(`accepts ${what}`, async () => {
        for (const path of paths) {
          const { status, text } = await service.get(`/api${path}`, tokens[token]);
          assert.equal(status, successStatus(path), `${path}: ${text}`);
        }
      }),
  };
}

/** The address of a related page in `Link`, if there is one. */
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

/** The record of an image without a file. */
export const madeUpImage = (id: string, rest: object = {}) => ({
  type: 'image',
  id,
  key: `${id}.png`,
  nsfw: 'sfw',
  meta: {
    eTag: createHash('sha256').update(id).digest('hex'),
    size: 1000,
    mimetype: 'image/png',
    color: '#102030',
    dimens: { width: 40, height: 30 },
  },
  ...rest,
});

/** A service with these records of a catalogue file. `oldTexts` are what older versions accepted, by their stand-ins in the records. */
export async function startMadeUpService(
  records: object[],
  { oldTexts = {}, ...options }: ServiceOptions & { oldTexts?: Record<string, string> } = {},
) {
  const folder = temporaryFolder();
  const config = configFor(folder, { ...options.engine?.environment(), ...options.environment });
  await importFiles(config, [writeLines(folder, 'made-up.ndjson', records)]);
  for (const [standIn, text] of Object.entries(oldTexts)) storeOldText(config, standIn, text);
  return startService(config, { clock, ...options });
}

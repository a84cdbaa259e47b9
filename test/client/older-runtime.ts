/** Makes some calls where globals are missing, and prints how each ended and what was requested. */
import type { Zukan as Client } from '../../client/index.ts';

// Runtimes without these globals have signals and responses of their own.
const signal = AbortSignal.abort('enough');
const response = {
  ...{ ok: true, status: 200, headers: new Headers() },
  text: async () => '{ "success": true, "data": [] }',
} as Response;
new Function(process.argv[2] as string)();

const { Zukan } = await import('../../client/index.ts');
const requested: string[] = [];
const zukan: Client = new Zukan({
  origin: 'https://example.org',
  fetch: async (url) => {
    requested.push(
      decodeURIComponent(String(url))
        .replaceAll('+', ' ')
        .replace(/seed=[^&]+/, 'seed=some'),
    );
    return response;
  },
});
const id = '00000000-0000-4000-8000-000000000001';
const calls: (() => Promise<unknown>)[] = [
  () => zukan.random({ nsfw: ['sfw'], exclude: ['a & b', '#c'], minWidth: 1 }),
  () => zukan.everyRandom({ nsfw: ['sfw'] }).next(),
  () => zukan.artist(id),
  () => zukan.artist(id, { signal }),
  () => zukan.stats({ signal }),
  () => zukan.random({ category: ['x'] } as object),
  async () => zukan.randomFileUrl({ nsfw: ['sfw'] }),
];
const ends: unknown[] = [];
for (const call of calls) ends.push(await call().catch((error) => String(error)));
console.log(JSON.stringify({ ends, requested }));

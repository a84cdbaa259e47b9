// depth: all
/** The benchmark of Fastify gives handlers what they need by itself, so it could break unnoticed. */
import assert from 'node:assert/strict';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { selectEndpoints } from '../../bench/endpoints.ts';
import { startProgram } from '../../bench/process.ts';
import { startStore } from '../../bench/stores.ts';

test('zukan’s handlers respond alike behind Fastify', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'zukan-bench-'));
  await using ours = await startStore('sqlite', folder.path, 50);
  await using theirs = await startProgram('alternatives/fastify-handlers.ts', [ours.dataDir]);
  for (const { title, target } of selectEndpoints('random,id,page,artists')) {
    const { paths, headers, status } = await target(ours);
    const [own, other] = await Promise.all(
      [ours, theirs].map(async ({ origin }) => {
        const response = await fetch(origin + paths[0], { headers });
        const { data } = (await response.json()) as { data: unknown };
        return {
          status: response.status,
          type: response.headers.get('content-type'),
          items: [data].flat().length,
        };
      }),
    );
    assert.equal(other?.status, status, title);
    assert.deepEqual(other, own, title);
  }
});

/** How fast the server starts. Measured alone: npm test runs what measures time after everything else. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeKnownCatalogue } from '../support/catalogue.ts';
import { serve, zukan } from '../support/program.ts';
import { onDisk, temporaryFolder } from '../support/workspace.ts';

test('it starts in under a second on a filled catalogue', async () => {
  const folder = temporaryFolder(onDisk);
  const environment = { DATA_DIR: join(folder, 'data') };
  await zukan(['import', await writeKnownCatalogue(folder)], environment);
  const times: number[] = [];
  const least: number[] = [];
  for (let round = 0; round < 3; round++) {
    const begun = performance.now();
    await zukan(['--version'], environment);
    const started = performance.now();
    const server = await serve(environment);
    times.push(performance.now() - started);
    least.push(started - begun);
    server.child.kill('SIGTERM');
    await server.ended;
  }
  // A busy machine takes longer for everything: six times what it takes to print the version is a second on an idle one.
  const limit = Math.max(1000, 6 * Math.min(...least));
  assert.ok(
    Math.min(...times) < limit,
    `started in ${times.map(Math.round).join(', ')} ms, and ${limit} are allowed`,
  );
});

/** The last backup is known to the server, and recording it is no change of the catalogue. */
import assert from 'node:assert/strict';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { environmentOf, forEachEngine, tamper } from '../support/servers/engines.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand } from '../support/zukan/program.ts';
import { importKnownCatalogue, startService } from '../support/zukan/service.ts';

await forEachEngine((engine) => {
  test('a backup that succeeded is a metric, and changes nothing that is cached', async () => {
    const folder = temporaryFolder();
    const config = await importKnownCatalogue({ engine }, folder);
    const backup = join(folder, 'backup');
    let now = Date.now();
    // Each health check may ask again.
    const service = await startService(config, { clock: () => (now += 1000) });
    const readMetrics = async () => (await service.get('/metrics')).text;
    const { ETag, ...revision } = await service
      .get('/api/stats')
      .then(({ headers }) => ({ ETag: headers.etag ?? '', modified: headers['last-modified'] }));
    const samples = /^zukan_backup_(?:timestamp_seconds|bytes) (\S+)$/gm;
    assert.doesNotMatch(await readMetrics(), samples);

    const { status, errors } = await runCommand(['backup', '--quiet', backup], environmentOf(config));
    assert.deepEqual([status, errors], [0, '']);
    const { createdAt } = JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8'));
    const files = globSync(['files/*/*', 'lists-*/*'], { cwd: backup });
    const bytes = files.reduce((sum, name) => sum + statSync(join(backup, name)).size, 0);
    const found = Array.from((await readMetrics()).matchAll(samples), ([, value]) => Number(value));
    assert.deepEqual(found, [Date.parse(createdAt) / 1000, bytes]);
    const again = await service.get('/api/stats', { 'If-None-Match': ETag });
    assert.deepEqual([again.status, again.headers['last-modified']], [304, revision.modified]);

    // One that failed is none.
    tamper(config, "update image set key = 'gone.png' where number = 1");
    assert.equal((await runCommand(['backup', '--quiet', backup], environmentOf(config))).status, 1);
    const after = Array.from((await readMetrics()).matchAll(samples), ([, value]) => Number(value));
    assert.deepEqual(after, found);
  });
});

// depth: all
/** The Compose files: valid, and the parts that they connect work together. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { checkImportOptions } from '../src/cli/importing/options.ts';
import { readConfig } from '../src/config/config.ts';
import { writeTiny } from './support/pictures/tiny.ts';
import { unless } from './support/servers/needs.ts';
import { findNginx, installNginx, readConfiguration, runNginx } from './support/servers/nginx.ts';
import { freePort } from './support/servers/redis.ts';
import { startS3 } from './support/servers/s3.ts';
import { account } from './support/servers/s3-guard.ts';
import { temporaryFolder } from './support/workspace.ts';
import { importFiles } from './support/zukan/import-files.ts';
import { configFor, startService } from './support/zukan/service.ts';

const root = join(import.meta.dirname, '..');
const linter = join(root, 'node_modules/dclint/bin/dclint.cjs');
const lint = (...files: string[]) => promisify(execFile)(process.execPath, [linter, '--quiet', ...files]);
const scale = readFileSync(join(root, 'compose.scale.yaml'), 'utf8');

test('both files, and the one in docs/publish.md, follow the schema of Compose', async () => {
  await lint(join(root, 'compose.yaml'), join(root, 'compose.scale.yaml'));
  const [, shown = ''] =
    /```yaml\n([\s\S]*?)```/.exec(readFileSync(join(root, 'docs/publish.md'), 'utf8')) ?? [];
  const override = join(temporaryFolder(), 'compose.override.yaml');
  // Its ports are open on all addresses on purpose, which the linter refuses.
  writeFileSync(override, shown.replaceAll(/"(?=\d+:\d+")/g, '"0.0.0.0:'));
  await lint(override);
  const { environment } = parse(shown).services.zukan;
  const { importOptions } = readConfig(environment, checkImportOptions);
  assert.ok(
    importOptions.join(' ').includes('--default-rating nsfw'),
    'nobody has looked at the pictures yet',
  );
  const wrong = join(temporaryFolder(), 'compose.yaml');
  writeFileSync(wrong, scale.replace('depends_on:', 'depend_on:'));
  await assert.rejects(lint(wrong), (error: { stdout: string }) => /invalid-schema/.test(error.stdout));
});

test('the instances get a valid configuration, without unknown variables', () => {
  const { environment } = parse(scale)['x-zukan'] as { environment: Record<string, string> };
  const names = Object.keys(environment);
  const values = names.map((name) => [
    name,
    environment[name]?.replaceAll(/\$\{[^}]+\}/g, 'a-secret-of-16-chars'),
  ]);
  const known = new Set(Object.keys(readConfig(Object.fromEntries(values)).described));
  assert.deepEqual(
    names.filter((name) => !known.has(name)),
    ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'ZUKAN_SETTINGS'],
  );
});

test('clients and imports reach the storage through nginx', {
  skip: unless(findNginx(), 'nginx', installNginx),
}, async () => {
  const { location } = await startS3();
  const port = String(await freePort());
  const environment = {
    FILES_URL: `s3://${location.bucket}?endpoint=http://127.0.0.1:${port}&region=${location.region}`,
    AWS_ACCESS_KEY_ID: account.accessKeyId,
    AWS_SECRET_ACCESS_KEY: account.secretAccessKey,
    TRUSTED_PROXIES: '127.0.0.1',
  };
  const folder = temporaryFolder();
  const config = configFor(folder, environment);
  const { host } = new URL((await startService(config)).origin);
  const text = readConfiguration('nginx.compose.conf')
    .replaceAll(/zukan[12]:3000/g, host)
    .replace('storage:9000', new URL(location.endpoint ?? '').host)
    .replace('listen 8080', `listen 127.0.0.1:${port}`);
  const origin = await runNginx(text, port);

  writeTiny(folder, 'pictures/1.png', 1);
  await importFiles(config, [join(folder, 'pictures')]);
  const response = await fetch(`${origin}/api/image/random`);
  const [image] = ((await response.json()) as { data: [{ url: string; meta: { size: number } }] }).data;
  assert.ok(image.url.startsWith(`${origin}/${location.bucket}/`));
  assert.equal((await (await fetch(image.url)).arrayBuffer()).byteLength, image.meta.size);
  assert.equal(
    (await fetch(image.url.replace(/(X-Amz-Signature=)./, '$1x'))).status,
    403,
    'the storage checks the signature',
  );
});

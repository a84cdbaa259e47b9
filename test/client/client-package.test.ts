/** Every server has the package of the client, for ES modules and for CommonJS. test/package.test.ts installs that of a release. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { temporaryFolder } from '../support/workspace.ts';
import { startKnownService } from '../support/zukan/service.ts';

test('a checkout serves a package that modules import, and older programs require', async () => {
  const { origin, get } = await startKnownService();
  const { status, bytes, headers } = await get('/client.tgz', { 'Accept-Encoding': 'gzip' });
  assert.equal(status, 200);
  assert.equal(headers['content-encoding'], undefined);
  assert.equal((await get('/client.tgz', { 'If-None-Match': `${headers.etag}` })).status, 304);

  const folder = temporaryFolder();
  const installed = join(folder, 'node_modules/zukan-client');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['xz', '-C', installed, '--strip-components=1'], { input: bytes });
  const require = createRequire(join(folder, 'program.cjs'));
  const { main, types, exports } = require('zukan-client/package.json');
  const { import: ofModules, require: ofOthers } = exports['.'];
  assert.deepEqual([main, types], [ofOthers.default, ofOthers.types]);
  const module = await import(pathToFileURL(join(installed, ofModules.default)).href);
  for (const { Zukan, ZukanError } of [module, require('zukan-client')]) {
    const zukan = new Zukan({ origin });
    assert.equal((await zukan.random({ limit: 1 })).length, 1);
    await assert.rejects(zukan.artists({ search: 'mar(' }), ZukanError);
  }
  for (const path of [ofModules.types, types]) assert.ok(existsSync(join(installed, path)), path);
});

test('the package of zukan contains it, and a checkout without the compiler has none', async () => {
  const folder = temporaryFolder();
  for (const part of ['src', 'package.json'])
    cpSync(join(import.meta.dirname, '../..', part), join(folder, part), { recursive: true });
  const script = pathToFileURL(join(folder, 'src/server/pages/client-package.ts'));
  const { readClientPackage } = await import(script.href);
  await assert.rejects(readClientPackage(), { status: 404 });
  writeFileSync(join(folder, 'client.tgz'), 'packed');
  assert.equal(String((await readClientPackage()).bytes), 'packed');
});

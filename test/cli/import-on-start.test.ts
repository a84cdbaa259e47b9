/** IMPORT_ON_START: `zukan serve` imports a folder while it serves. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testDeep } from '../support/depth.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { type Running, runCommand, serve } from '../support/zukan/program.ts';

const serveImporting = (path: string, parameters: string[] = []): Promise<Running> =>
  serve({ DATA_DIR: temporaryFolder(), THUMBNAILS: 'off', IMPORT_ON_START: path }, parameters);

async function stop({ child, ended }: Running): Promise<void> {
  child.kill('SIGTERM');
  assert.equal(await ended, 0);
}

const countImages = async ({ origin }: Running) => {
  const { data } = (await (await fetch(`${origin}/api/stats`)).json()) as {
    data: { images: { count: number } };
  };
  return data.images.count;
};

test('imports a folder with the settings of a file and IMPORT_OPTIONS, and skips and lists bad files', async () => {
  const pictures = temporaryFolder();
  writeTiny(pictures, '1.png', 1);
  writeFileSync(join(pictures, 'empty.png'), '');
  const settings = join(temporaryFolder(), 'settings.env');
  const lines = [`DATA_DIR=${temporaryFolder()}`, 'THUMBNAILS=off', `IMPORT_ON_START=${pictures}`];
  writeFileSync(settings, [...lines, 'IMPORT_OPTIONS=--default-rating=questionable --prune\n'].join('\n'));
  const server = await serve({}, ['--settings', settings]);
  await until('the import has ended', () => server.output().includes('"msg":"import finished'));
  const logged = server.output().match(/.*"msg":"import .*/g) ?? [];
  assert.equal(logged.length, 1);
  assert.match(
    String(logged),
    /"level":"warn".*"leftOut":\["1 invalid picture or record left out.*left something out"/,
  );
  assert.equal(await countImages(server), 1);
  assert.match(server.errors(), /1 added, 0 updated, 0 unchanged, 0 removed/);
  assert.match(server.errors(), /1 picture without a rating imported as questionable/);
  assert.match(server.errors(), /skipped \(invalid\):\n {2}.*empty\.png: /);
  await stop(server);
});

testDeep('--watch follows the folder until the server stops', async () => {
  const pictures = temporaryFolder();
  writeTiny(pictures, '1.png', 1);
  const server = await serveImporting(pictures, ['--watch']);
  await until('the first picture is imported', async () => (await countImages(server)) === 1);
  writeTiny(pictures, '2.png', 2);
  await until('the second picture is imported', async () => (await countImages(server)) === 2);
  await stop(server);
  assert.doesNotMatch(server.output(), /import f/);
});

test('--watch needs a folder', async () => {
  const { status, errors } = await runCommand(['serve', '--watch'], { DATA_DIR: temporaryFolder() });
  assert.equal(status, 2);
  assert.match(errors, /set IMPORT_ON_START/);
});

test('a wrong IMPORT_OPTIONS is a wrong setting', async () => {
  const wrong = {
    '--default-ratin=sfw': /IMPORT_OPTIONS: unknown option '--default-ratin=sfw'/,
    '--default-rating=wild': /IMPORT_OPTIONS: .*Allowed choices are sfw/,
    '--yes': /IMPORT_OPTIONS: --yes confirms what --prune removes/,
    '--dry-run': /IMPORT_OPTIONS: unknown option/,
    '/pictures': /IMPORT_OPTIONS: too many arguments/,
    "--prune '": /IMPORT_OPTIONS: a quotation mark is missing/,
    '--help': /IMPORT_OPTIONS: unknown option/,
  };
  for (const [options, message] of Object.entries(wrong)) {
    const environment = { DATA_DIR: temporaryFolder(), IMPORT_OPTIONS: options, PORT: 'x' };
    const { status, output, errors } = await runCommand(['serve'], environment);
    assert.equal(status, 2);
    assert.equal(output, '');
    assert.match(errors, message);
    assert.match(errors, /PORT: must be/, 'all that is wrong is listed');
  }
});

test('serves what it has if the import fails, and logs why', async () => {
  const missing = join(temporaryFolder(), 'missing');
  const server = await serveImporting(missing);
  await until('the import has failed', () => server.output().includes('"msg":"import failed; '));
  assert.ok(server.errors().includes(`${missing}: no such file or folder`));
  assert.equal(await countImages(server), 0);
  await stop(server);
});

testDeep(
  'a server that is stopped during the import waits for it to clean up, and reports no failure',
  async () => {
    const pictures = temporaryFolder();
    for (let index = 0; index < 200; index++) writeTiny(pictures, `${index}.png`, index);
    const server = await serveImporting(pictures);
    await stop(server);
    assert.doesNotMatch(server.output(), /import f/);
  },
);

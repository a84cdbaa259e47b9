/** `zukan serve --demo`: the demo is drawn while the server serves. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PLANS } from '../../demo/pictures.ts';
import { needsDemo } from '../../src/cli/serving/demo.ts';
import { fillWithDemo } from '../../src/cli/serving/fill-with-demo.ts';
import { DemoProgress } from '../../src/server/demo-progress.ts';
import { createCatalogue } from '../../src/server/engines.ts';
import { startBrowser, visit } from '../support/browser/browser.ts';
import { fillWithDrawnDemo, writeDemoRecords } from '../support/catalogues/demo.ts';
import { testDeep } from '../support/depth.ts';
import { forEachEngineInDepth } from '../support/servers/engines.ts';
import { findChromium, installChromium, unless } from '../support/servers/needs.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand, serve } from '../support/zukan/program.ts';
import { configFor, startService } from '../support/zukan/service.ts';

await forEachEngineInDepth((engine) => {
  test('continues where it was interrupted, as one change', async () => {
    const folder = temporaryFolder();
    const environment = engine.environment();
    const config = configFor(folder, environment);
    const run = async (...parameters: string[]) =>
      JSON.parse(
        (await runCommand([...parameters, '--json'], { ...environment, DATA_DIR: config.dataDir })).output,
      );
    await createCatalogue(config);
    assert.equal(await needsDemo(config), true);

    const stopping = new AbortController();
    const stopAt8 = (done: number) => done === 8 && stopping.abort();
    const options = { draw: writeDemoRecords, onProgress: stopAt8, signal: stopping.signal };
    await assert.rejects(fillWithDemo(config, options), { name: 'AbortError' });
    assert.equal((await run('stats')).images.count, 8);
    assert.equal(await needsDemo(config), true);

    const progress: number[] = [];
    await fillWithDemo(config, { draw: writeDemoRecords, onProgress: (done) => progress.push(done) });
    assert.deepEqual([progress[0], progress.at(-1)], [8, PLANS.length]);
    assert.equal(await needsDemo(config), false);
    assert.equal((await run('history')).length, 1);
    const { data } = (await (await startService(config)).get('/api/album')).json;
    assert.equal(data.length, 1);
  });
});

test('keeps what was changed by hand meanwhile', async () => {
  const config = configFor(temporaryFolder());
  const environment = { DATA_DIR: config.dataDir };
  await createCatalogue(config);
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  const { signal } = stopping;
  await assert.rejects(fillWithDemo(config, { draw: writeDemoRecords, onProgress: stop, signal }));
  const edit = ['entry', 'character', 'Miu Tanehara', '--name', 'Miu', '--description', 'Mine'];
  const { status, errors } = await runCommand(edit, environment);
  assert.equal(status, 0, errors);
  await fillWithDemo(config, { draw: writeDemoRecords });
  const { get } = await startService(config);
  const [miu, ...others] = (await get('/api/character?search=Miu%25')).json.data;
  assert.deepEqual([miu.name, miu.description, others.length], ['Miu', 'Mine', 0]);
});

test('while it is drawn, the gallery says how much is there, and the API answers', async () => {
  const demo = new DemoProgress();
  const { get } = await startService(configFor(temporaryFolder()), { demo });
  const page = async () => (await get('/', { Accept: 'text/html' })).text;
  assert.doesNotMatch(await page(), /Drawing the demo/);
  demo.set(12, 68);
  assert.match(await page(), /<p id="demo"[^>]*>Drawing the demo: 12 of 68 pictures<\/p>/);
  assert.match(await page(), /<a href="\/\?in=artists">/, 'offers what the demo will have');
  assert.equal((await get('/gallery/demo')).text, 'Drawing the demo: 12 of 68 pictures');
  assert.deepEqual((await get('/api/image/random')).json.data, []);
  assert.equal((await get('/api/stats')).json.data.images.count, 0);
  demo.set(0, 0);
  assert.doesNotMatch(await page(), /Drawing the demo/);
  assert.equal((await get('/gallery/demo')).text, '');
});

const skip = unless(findChromium(), 'Chromium', installChromium);
testDeep('pictures appear on an open page', { skip }, async () => {
  const demo = new DemoProgress();
  demo.set(0, 68);
  const config = configFor(temporaryFolder());
  const { origin } = await startService(config, { demo });
  const { page, finish } = await visit(await startBrowser(), origin);
  const line = page.locator('#demo');
  await line.waitFor();
  assert.equal(await page.getByText('The catalogue is empty.').count(), 0);
  await fillWithDrawnDemo(config);
  demo.set(12, 68);
  await page.locator('.tile').first().waitFor();
  assert.equal(await line.textContent(), 'Drawing the demo: 12 of 68 pictures');
  demo.set(0, 0);
  await line.waitFor({ state: 'detached' });
  await finish();
});

testDeep('a server that is killed or stopped while it draws leaves a demo that continues', async () => {
  const environment = { DATA_DIR: temporaryFolder(), TMPDIR: temporaryFolder() };
  const count = async (origin: string) => {
    const { data } = (await (await fetch(`${origin}/api/stats`)).json()) as {
      data: { images: { count: number } };
    };
    return data.images.count;
  };
  let before = 0;
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const { origin, child, ended } = await serve(environment, ['--demo']);
    await until('more pictures are there', async () => (await count(origin)) > before);
    before = await count(origin);
    const closed = once(child, 'close');
    child.kill(signal);
    await ended.catch(() => {});
    // The process that draws has the same output.
    await closed;
  }
  assert.deepEqual(globSync(join(environment.TMPDIR, 'zukan-demo-*')), []);
  const { output } = await runCommand(['history', '--json'], environment);
  assert.equal(JSON.parse(output).length, 1);
  assert.equal((await runCommand(['check'], environment)).status, 0);
});

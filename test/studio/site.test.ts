/** The texts of the site in the studio: servers follow them, and they are undone, exported and restored; the same on both stores. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { siteReader } from '../../src/lib/site-texts.ts';
import { openMaintained } from '../support/catalogues/maintained.ts';
import { forEachEngineInDepth } from '../support/servers/engines.ts';
import { configFor, startService } from '../support/zukan/service.ts';
import { openStudio } from '../support/zukan/studio.ts';

await forEachEngineInDepth(async (engine) => {
  const box = openMaintained(engine);
  box.picture(1);
  await box.ok('import', box.pictures);
  const service = await startService(box.config);
  const studio = await openStudio(box.config);
  const [id] = await studio.ids();
  const change = (field: string, text: string) => studio.change('/change/site', { field, text });
  const licence = async () => (await service.get(`/v1/image/${id}?include=details`)).json.data.licence.name;

  test('a server shows what the studio changes', async () => {
    const etag = async () => (await service.get('/newest')).headers.etag;
    const before = await etag();
    assert.equal(await licence(), '');
    await change('licence', 'CC BY 4.0');
    assert.equal(await licence(), 'CC BY 4.0');
    await change('name', 'Kura & Co');
    await change('links', 'Imprint=https://example.org/imprint');
    await change('description', 'Foxes.');
    for (const path of ['/newest', '/nothing-here', '/docs']) {
      const { text } = await service.get(path, { Accept: 'text/html' });
      assert.match(text, /Kura &amp; Co/, path);
    }
    const { text } = await service.get('/newest', { Accept: 'text/html' });
    assert.match(text, /<a [^>]*href="https:\/\/example.org\/imprint"[^>]*>Imprint/);
    assert.match((await service.get('/', { Accept: 'text/html' })).text, /content="Foxes\."/);
    assert.equal((await service.get('/manifest.webmanifest')).json?.name ?? 'Kura & Co', 'Kura & Co');
    assert.equal((await service.get('/openapi.json')).json.info.contact.name, 'Kura & Co');
    assert.notEqual(await etag(), before);
    const [{ number, summary }] = (await studio.get('/data/history')).json;
    assert.equal(summary, 'change the description of the site');
    const [{ differences }] = (await studio.get(`/data/change?number=${number - 1}`)).json;
    assert.deepEqual(differences, [
      { field: 'text', before: '', after: 'Imprint=https://example.org/imprint' },
    ]);
  });

  test('wrong texts are refused, an empty one is the default, and what was changed since stays', async () => {
    for (const [field, text] of [
      ['name', 'a'.repeat(61)],
      ['links', 'Imprint=javascript:alert(1)'],
      ['licence', 'x'.repeat(5000)],
      ['description', 'a\nb'],
      ['name', 'a​'],
    ])
      assert.equal((await studio.post('/change/site', { field, text })).status, 422, text);
    assert.equal((await studio.post('/change/site', { field: 'logo', text: 'a' })).status, 400);
    await change('name', '');
    const [emptied = 0, , , named = 0] = (await studio.steps()).map(({ id }) => id);
    assert.deepEqual((await studio.get('/data/site')).json.texts, {
      description: 'Foxes.',
      licence: 'CC BY 4.0',
      links: 'Imprint=https://example.org/imprint',
    });
    const { kept } = await studio.undo(named);
    assert.equal(kept.listed[0].reason, 'decided otherwise since');
    await studio.undo(emptied);
    assert.equal((await studio.get('/data/site')).json.texts.name, 'Kura & Co');
  });

  test('exports and backups have the texts, and a restored catalogue undoes them', async () => {
    const exported = await box.ok('export', '--history');
    const lines = exported.split('\n').filter((line) => line.startsWith('{"type":"site"'));
    assert.equal(lines.length, 4);
    const environment = { ...box.environment, ...engine.environment(), DATA_DIR: join(box.folder, 'other') };
    const backup = join(box.folder, 'backup');
    await box.ok('backup', backup);
    const other = openMaintained({ ...engine, environment: () => environment });
    await other.ok('restore', backup);
    assert.equal(await other.ok('export', '--history'), exported);
    const again = openMaintained(engine);
    assert.deepEqual(await again.import(lines), { added: 4, updated: 0, unchanged: 0 });
    assert.deepEqual(await again.import(lines), { added: 0, updated: 0, unchanged: 4 });
    await assert.rejects(
      again.import([{ type: 'site', field: 'links', text: 'no' }]),
      /links: must be a list/,
    );
    await other.ok('check');
  });

  test('what a variable says wins', async () => {
    const config = configFor(box.folder, { ...box.environment, SITE_NAME: 'Variable' });
    const fixed = await openStudio(config);
    assert.deepEqual((await fixed.get('/data/site')).json.fixed, { name: 'SITE_NAME' });
    const site = siteReader(config.site, () => ({ name: 'Catalogue', description: 'Catalogue' }))();
    assert.deepEqual([site.name, site.description], ['Variable', 'Catalogue']);
  });
});

/** The licence, the credit and the alternative text of pictures: from each of their sources to each place where they are shown. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseAtomFeed, parseJsonFeed } from 'feedsmith';
import sharp from 'sharp';
import { openMaintained } from '../support/catalogues/maintained.ts';
import { iptcResources, segment, withSegments } from '../support/pictures/geotagged.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { forEachEngineInDepth } from '../support/servers/engines.ts';
import { NOW } from '../support/zukan/api.ts';
import { configFor, type Envelope, startService } from '../support/zukan/service.ts';
import { openStudio } from '../support/zukan/studio.ts';

const cc = (terms: string) => ({
  name: `CC ${terms.toUpperCase()} 4.0`,
  url: `https://creativecommons.org/licenses/${terms}/4.0/`,
});
const SITE = { name: 'Site & Co', url: 'https://site.test/licence' };
/** By source: what a picture is published with. */
const expected = {
  sidecar: { licence: cc('by'), credit: 'Side <b>', alt: 'From a sidecar' },
  xmp: { licence: { name: 'Ask "me"', url: 'https://xmp.test/' }, credit: 'Xmp', alt: 'From XMP' },
  iptc: { licence: { name: '© 2026 Iptc', url: '' }, credit: 'Iptc', alt: '' },
  licensor: { licence: { name: '© Plus', url: 'https://plus.test/' }, credit: 'Plus', alt: '' },
  folder: { licence: cc('by-sa'), credit: 'Folder', alt: '' },
  artist: { licence: cc('by-nc'), credit: 'Ann', alt: '' },
  site: { licence: SITE, credit: '', alt: '' },
  'by hand': {
    licence: { name: 'CC0 1.0', url: 'https://creativecommons.org/publicdomain/zero/1.0/' },
    credit: 'Me',
    alt: 'By hand',
  },
};
type Source = keyof typeof expected;
const sources = Object.keys(expected) as Source[];

const description = (content: string) =>
  `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmpRights="http://ns.adobe.com/xap/1.0/rights/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" xmlns:Iptc4xmpCore="http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/" xmlns:plus="http://ns.useplus.org/ldf/xmp/1.0/">${content}</rdf:Description></rdf:RDF></x:xmpmeta>`;
const inLanguages = (text: string) => `<rdf:Alt><rdf:li xml:lang="x-default">${text}</rdf:li></rdf:Alt>`;
const xmp = description(
  `<xmpRights:UsageTerms>${inLanguages('Ask "me"')}</xmpRights:UsageTerms><xmpRights:WebStatement>https://xmp.test/</xmpRights:WebStatement>` +
    `<photoshop:Credit>Xmp</photoshop:Credit><Iptc4xmpCore:AltTextAccessibility>${inLanguages('From XMP')}</Iptc4xmpCore:AltTextAccessibility>`,
);
const licensor = description(
  `<dc:rights>${inLanguages('© Plus')}</dc:rights><plus:Licensor><rdf:Seq><rdf:li rdf:parseType="Resource"><plus:LicensorName>Plus</plus:LicensorName><plus:LicensorURL>https://plus.test/</plus:LicensorURL></rdf:li></rdf:Seq></plus:Licensor>`,
);
const iptc = iptcResources([
  [116, '© 2026 Iptc'],
  [110, 'Iptc'],
]);

await forEachEngineInDepth(async (engine) => {
  const box = openMaintained(engine);
  const folder = join(box.pictures, 'shared');
  mkdirSync(folder);
  const jpeg = (index: number) =>
    sharp({ create: { width: 20 + index, height: 20, channels: 3, background: '#204060' } }).jpeg();
  writeTiny(box.pictures, 'sidecar.png', 1);
  writeFileSync(
    join(box.pictures, 'sidecar.json'),
    JSON.stringify({ ...expected.sidecar, licence: 'cc-by-4.0' }),
  );
  writeFileSync(join(box.pictures, 'xmp.jpg'), await jpeg(1).withXmp(xmp).toBuffer());
  writeFileSync(join(box.pictures, 'licensor.jpg'), await jpeg(2).withXmp(licensor).toBuffer());
  const iptcSegment = segment(0xed, 'Photoshop 3.0\0', iptc);
  writeFileSync(join(box.pictures, 'iptc.jpg'), withSegments(await jpeg(3).toBuffer(), iptcSegment));
  writeTiny(folder, 'folder.png', 2);
  // The picture itself counts more than its folder.
  writeFileSync(join(folder, 'own.jpg'), await jpeg(4).withXmp(xmp).toBuffer());
  const folderFile = (licence: string) =>
    writeFileSync(join(folder, '.zukan.json'), JSON.stringify({ licence, credit: 'Folder' }));
  folderFile('https://creativecommons.org/licenses/by-sa/4.0/deed.en');
  writeTiny(box.pictures, 'artist.png', 3);
  writeFileSync(join(box.pictures, 'artist.json'), JSON.stringify({ artist: 'Ann' }));
  writeTiny(box.pictures, 'site.png', 4);
  writeTiny(box.pictures, 'by hand.png', 5);
  await box.ok('import', box.pictures);
  await box.ok('entry', 'artist', 'Ann', '--licence', 'CC BY-NC 4.0', '--credit', 'Ann');
  const found = await box.find();
  const idOf = (name: string) => found.find(({ fileName }) => fileName.startsWith(`${name}.`))?.id ?? name;
  const byHand = ['--licence', 'cc0', '--credit', 'Me', '--alt', 'By hand'];
  await box.ok('edit', idOf('by hand'), ...byHand);
  const siteSettings = { SITE_LICENCE: `${SITE.name}=${SITE.url}` };
  const serve = (environment: Record<string, string>, settings: Record<string, string> = siteSettings) =>
    startService(configFor('', { ...environment, ...settings }), { clock: () => NOW });
  const service = await serve(box.environment);

  /** By source: what the details of a response say. */
  const detailsIn = async ({ get }: { get: typeof service.get }) => {
    const { data } = (await get('/api/image/latest?limit=25&include=details,artist')).json;
    return (name: string) => {
      const { licence, credit, alt, artistDetails } = data.find(({ id }: Envelope) => id === idOf(name));
      assert.deepEqual(Object.keys(artistDetails), ['id', 'name', 'url']);
      return { licence, credit, alt };
    };
  };

  test('each source reaches the details of a response', async () => {
    const details = await detailsIn(service);
    for (const source of sources) assert.deepEqual(details(source), expected[source], source);
    assert.deepEqual(details('own'), expected.xmp);
    const { data: plain } = (await service.get('/api/image/latest?limit=25')).json;
    for (const image of plain) assert.ok(!('licence' in image || 'credit' in image || 'alt' in image));
    const { json, text } = await service.get('/api/artist?include=count');
    assert.deepEqual(Object.keys(json.data[0]), ['id', 'name', 'url', 'images']);
    assert.ok(!text.includes('CC BY-NC'));
    for (const path of [`/artist/${json.data[0].id}`, '/search?q=ann'])
      assert.ok(!(await service.get(`/api${path}`)).text.includes('CC BY-NC'), path);
  });

  test('each source reaches both feeds', async () => {
    const atom = parseAtomFeed((await service.get('/feed.xml')).text) as Envelope;
    const { items } = parseJsonFeed((await service.get('/feed.json')).text) as Envelope;
    const json = JSON.parse((await service.get('/feed.json')).text);
    assert.equal(atom.rights.value ?? atom.rights, `${SITE.name} ${SITE.url}`);
    for (const source of sources) {
      const { licence, credit, alt } = expected[source];
      const hasId = ({ id }: Envelope) => id === `urn:uuid:${idOf(source)}`;
      const [entry, item] = [atom.entries.find(hasId), items.find(hasId)];
      const rights = [credit, `${licence.name} ${licence.url}`.trim()].filter(Boolean).join(' · ');
      assert.equal(entry.rights.value ?? entry.rights, rights);
      const link = entry.links.find(({ rel }: Envelope) => rel === 'license');
      assert.equal(link?.href, licence.url || undefined);
      assert.deepEqual(json.items.find(hasId)._rights, { licence, credit });
      const content = entry.content.value ?? entry.content;
      assert.equal(content, item.content_html);
      assert.ok(!content.includes('<b>'));
      // Without an alternative text, its title.
      assert.ok(content.includes(` alt="${alt || source}"`), content);
    }
  });

  test('what nobody states is not stored, and a change of the site or the artist shows at once', async () => {
    const exported = await box.ok('export');
    const line = (name: string) =>
      JSON.parse(exported.split('\n').find((text) => text.includes(idOf(name))) ?? '{}');
    assert.equal(line('sidecar').licence, 'CC BY 4.0');
    assert.equal(line('iptc').licence, '© 2026 Iptc');
    for (const name of ['artist', 'site'])
      for (const field of ['licence', 'credit', 'alt']) assert.ok(!(field in line(name)), field);
    await box.ok('entry', 'artist', 'Ann', '--licence', '', '--credit', 'Anna');
    assert.deepEqual((await detailsIn(service))('artist'), { licence: SITE, credit: 'Anna', alt: '' });
    await box.ok('entry', 'artist', 'Ann', '--licence', 'CC BY-NC 4.0', '--credit', 'Ann');
    // A catalogue file of an older version says nothing about it.
    await box.import([{ type: 'artist', name: 'Ann', url: 'https://ann.test/' }]);
    assert.deepEqual((await detailsIn(service))('artist'), expected.artist);
    const eTag = (await service.get('/feed.xml')).headers.etag ?? '';
    const other = await serve(box.environment, { SITE_LICENCE: 'Another' });
    assert.equal((await service.get('/feed.xml', { 'If-None-Match': eTag })).status, 304);
    assert.match((await other.get('/feed.xml', { 'If-None-Match': eTag })).text, /<rights>Another<\/rights>/);
  });

  test('imports keep what was decided by hand, follow .zukan.json, and a reset gives it back', async () => {
    const id = idOf('sidecar');
    await box.ok('edit', id, '--licence', '', '--credit', 'mine');
    folderFile('cc-by-nd-4.0');
    await box.ok('import', '--full', box.pictures);
    const decided = (await box.find('--edited')).find((image) => image.id === id) as Envelope;
    assert.deepEqual([decided.edited, decided.licence, decided.credit], [['credit', 'licence'], '', 'mine']);
    const details = await detailsIn(service);
    assert.deepEqual(details('sidecar'), { licence: SITE, credit: 'mine', alt: 'From a sidecar' });
    assert.deepEqual(details('folder').licence, cc('by-nd'));
    assert.deepEqual(details('by hand'), expected['by hand']);
    await box.ok('edit', id, '--reset', 'licence', '--reset', 'credit');
    await box.ok('import', box.pictures);
    assert.deepEqual((await detailsIn(service))('sidecar'), expected.sidecar);
  });

  test('the studio changes one picture and many, and undoes it', async () => {
    const studio = await openStudio(box.config);
    const ids = [idOf('site'), idOf('artist')];
    const edit = { licence: `http${cc('by').url.slice(5)}`, credit: 'Studio', alt: 'Two\nlines' };
    await studio.edit(ids, edit);
    const { licence, credit, alt } = await studio.summary(ids);
    assert.deepEqual({ licence, credit, alt }, { ...edit, licence: 'CC BY 4.0' });
    assert.equal((await studio.summary([...ids, idOf('iptc')])).licence, undefined);
    const [step] = await studio.steps();
    assert.equal(step?.label, 'change the licence, change the credit, change the alternative text: 2 images');
    assert.match(await box.ok('history', '--image', idOf('site')), /licence/);
    await studio.undo(step?.id ?? 0);
    const details = await detailsIn(service);
    for (const source of ['site', 'artist'] as const) assert.deepEqual(details(source), expected[source]);
    for (const licence of ['javascript:alert(1)', 'x'.repeat(2600), 'a\u202eb'])
      assert.match((await studio.edit(ids, { licence })).refused ?? '', /licence/);
    for (const [field, text] of [
      ['credit', 'x'.repeat(10_000)],
      ['alt', 'x'.repeat(10_000)],
      ['alt', 'a\u202eb'],
    ] as const)
      assert.match((await studio.edit(ids, { [field]: text })).refused ?? '', new RegExp(field));
  });

  test('the command line refuses what is no licence, and says what one looks like', async () => {
    for (const command of [
      ['edit', idOf('site'), '--licence', 'ftp://a.test'],
      ['entry', 'artist', 'Ann', '--licence', 'data:text/html,x'],
    ]) {
      const { status, errors } = await box.run(...command);
      assert.equal(status, 2);
      assert.match(
        errors,
        /--licence: must be a name of at most 255 characters such as CC BY 4\.0, an http or https/,
      );
    }
    assert.equal((await box.run('entry', 'category', 'x', '--credit', 'y')).status, 2);
  });
});

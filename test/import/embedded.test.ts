/** Metadata of pictures as fields of records. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import { readDocument } from '../../src/catalogue/documents/document.ts';
import { type ImageLine, OPEN_FIELDS, type OpenField } from '../../src/import/records/record.ts';
import { addMetadata } from '../../src/import/sidecar/read.ts';
import { type Metadata, readMetadata } from '../../src/media/metadata/read.ts';
import { openSnapshot } from '../../src/server/engines.ts';
import { sandbox } from '../support/catalogues/import.ts';
import * as make from '../support/pictures/geotagged.ts';
import { importFiles } from '../support/zukan/import-files.ts';

const none: Metadata = {
  creator: undefined,
  keywords: [],
  copyright: undefined,
  copyrightUrl: undefined,
  usageTerms: undefined,
  credit: undefined,
  alt: undefined,
  takenAt: undefined,
  title: undefined,
  description: undefined,
  properties: [],
};
const picture: ImageLine = { type: 'image', file: 'a.png', nsfw: 'sfw', categories: ['cats'] };
const allFields: OpenField[] = [...OPEN_FIELDS];
function fill(metadata: Partial<Metadata>, openFields = allFields, record = picture): ImageLine {
  const { openFields: _, ...filled } = addMetadata({ ...record, openFields }, { ...none, ...metadata });
  return filled;
}

test('fills the open fields only', () => {
  const metadata = {
    creator: 'Ann',
    keywords: ['night sky', 'blue, deep', 'cats', ','],
    copyright: '© Ann',
    copyrightUrl: 'https://example.org/c',
    takenAt: '2024-02-03T04:05:06.000Z',
  };
  assert.deepEqual(fill(metadata), {
    ...picture,
    artist: 'Ann',
    categories: ['cats', 'night sky', 'blue  deep'],
    licence: '© Ann=https://example.org/c',
    takenAt: '2024-02-03T04:05:06.000Z',
  });
  assert.deepEqual(fill(metadata, []), picture);
  assert.deepEqual(fill(metadata, ['artist']), { ...picture, artist: 'Ann' });
  const details = { title: ' A \n title\0', description: 'Two\r\nlines', takenAt: '2024-02-03T04:05:06' };
  const { title, description, takenAt } = fill(details);
  assert.deepEqual([title, description, takenAt], ['A title', 'Two\nlines', '2024-02-03T04:05:06']);
  const published = { ...picture, takenAt: '2025-01-01T00:00:00.000Z' };
  assert.equal(fill({}, allFields, published).takenAt, published.takenAt);
  assert.equal(fill(details, allFields, published).takenAt, details.takenAt, 'taken before it was published');
});

test('ignores what cameras write into descriptions', () => {
  for (const description of ['OLYMPUS DIGITAL CAMERA         ', 'SONY DSC', 'Exif_JPEG_PICTURE', ' ', '---'])
    assert.deepEqual(fill({ title: description, description }), picture, description);
  assert.equal(fill({ description: 'My digital camera lies' }).description, 'My digital camera lies');
});

test('ignores values that are not valid', () => {
  const id = '01890a5d-ac96-774b-bcce-b302099a8057';
  const keywords = [id, 'x'.repeat(256), '\0\u200b', '\ud800', 'fi\u202ene'];
  assert.deepEqual(fill({ creator: 'x'.repeat(256), keywords }), {
    ...picture,
    categories: ['cats', 'fine'],
  });
  assert.deepEqual(fill({ creator: id }), picture);
  assert.deepEqual(fill({ copyright: '©', copyrightUrl: 'javascript:alert(1)' }), picture);
  assert.deepEqual(fill({ usageTerms: 'javascript:alert(1)', copyrightUrl: 'data:text/html,x' }), picture);
  const many = Array.from({ length: 250 }, (_, index) => `c${index}`);
  assert.deepEqual(
    fill({ keywords: ['more'] }, allFields, { ...picture, categories: many }).categories,
    many,
  );
});

test('a notice names the licence if nothing else does, or else is the credit', () => {
  const [copyright, by] = ['© Ann', 'https://creativecommons.org/licenses/by/4.0/deed.de'];
  const rightsOf = (metadata: Partial<Metadata>) => {
    const { licence, credit } = fill(metadata);
    return [licence, credit];
  };
  assert.deepEqual(rightsOf({ copyright }), ['© Ann', undefined]);
  assert.deepEqual(rightsOf({ copyright, copyrightUrl: 'https://a.test/' }), [
    '© Ann=https://a.test/',
    undefined,
  ]);
  assert.deepEqual(rightsOf({ copyright, copyrightUrl: by }), ['CC BY 4.0', '© Ann']);
  assert.deepEqual(rightsOf({ copyright, usageTerms: 'Ask me', credit: 'Ann' }), ['Ask me', 'Ann']);
  // Too long or hostile texts are cut or left out.
  assert.deepEqual(rightsOf({ copyright: 'x\u202e\n'.repeat(10_000) }), ['x '.repeat(128).trim(), undefined]);
  assert.deepEqual(rightsOf({ usageTerms: 'see ftp://a.test', copyrightUrl: 'https://a.test/' }), [
    ...['https://a.test/', undefined],
  ]);
  assert.equal(fill({ alt: `a\0${'b'.repeat(10_000)}` }).alt, `a${'b'.repeat(1999)}`);
});

test('keywords that tell the place are not categories', () => {
  const keywords = ['geo:lat=48.13', 'Geo:lon=11.57', 'geometry'];
  assert.deepEqual(fill({ keywords }).categories, ['cats', 'geometry']);
});

test('keywords make a picture more explicit, never less', () => {
  for (const keyword of ['nsfw', 'Explicit', 'rating:e', 'rating: explicit', 'Rating Explicit', 'R-18'])
    assert.equal(fill({ keywords: ['rating:safe', keyword] }).atLeast, 'nsfw', keyword);
  assert.equal(fill({ keywords: ['rating:questionable'] }).atLeast, 'questionable');
  assert.equal(fill({ keywords: ['rating:questionable', 'nsfw'] }).atLeast, 'nsfw');
  const safe = { ...none, keywords: ['sfw', 'rating:general'] };
  assert.equal(fill(safe).atLeast, undefined);
  assert.equal(fill(safe, allFields, { ...picture, atLeast: 'nsfw' }).atLeast, 'nsfw');
  assert.equal(fill(safe, [], { ...picture, nsfw: 'nsfw' }).nsfw, 'nsfw');
  assert.equal(fill({ keywords: ['nsfw'] }, []).nsfw, 'nsfw', 'although a sidecar says sfw');
  assert.equal(fill({ properties: [['AdultContentWarning', 'CW-AW']] }).atLeast, 'nsfw');
  assert.deepEqual(fill({ keywords: ['rating:odd', 'cats'] }), {
    ...picture,
    atLeast: 'nsfw',
    unknownMarkers: [{ field: 'rating', value: 'odd' }],
  });
});

test('what the metadata states is no longer open', () => {
  const { openFields } = addMetadata(
    { ...picture, openFields: allFields },
    { ...none, creator: 'Ann', takenAt: 'never', keywords: ['nsfw'] },
  );
  assert.deepEqual(openFields, [
    ...['source', 'characters', 'nsfw'],
    ...['title', 'description', 'takenAt', 'licence', 'credit', 'alt'],
  ]);
});

test('reads XMP before IPTC before EXIF, in every format', async () => {
  for (const format of ['jpeg', 'png', 'webp', 'avif'] as const)
    assert.deepEqual(
      { ...(await readMetadata(await make.geotagged(format), `image/${format}`)), properties: [] },
      {
        ...none,
        creator: 'Ann Ink',
        keywords: ['night sky', 'blue, deep'],
        copyright: '© Ann Ink',
        takenAt: '2024-02-03T04:05:06',
      },
    );
  const plain = await make.withoutMetadata(await make.geotagged('png'), 'jpeg');
  assert.equal(await readMetadata(plain, 'image/jpeg'), undefined);
  const iptc = make.segment(0xed, 'Photoshop 3.0\0', make.photoshopResources());
  const exif = make.segment(0xe1, 'Exif\0\0', await make.geotaggedExif());
  const read = (...segments: Buffer[]) => readMetadata(make.withSegments(plain, ...segments), 'image/jpeg');
  const { creator, keywords, copyright } = (await read(exif, iptc)) ?? none;
  assert.deepEqual([creator, keywords, copyright], ['Iptc Author', ['iptc keyword'], 'Exif Copyright']);
  assert.equal((await read(exif))?.creator, 'Exif Artist');
  const named = make.segment(0xed, 'Photoshop 3.0\0', make.photoshopResources('Iptc Title', 'Iptc caption'));
  const { title, description } = (await read(named)) ?? none;
  assert.deepEqual([title, description], ['Iptc Title', 'Iptc caption']);
  const described = await sharp(plain)
    .withExif({ IFD0: { ImageDescription: 'Exif text' } })
    .toBuffer();
  assert.equal((await readMetadata(described, 'image/jpeg'))?.description, 'Exif text');
});

test('survives damaged and oversized metadata', async () => {
  const plain = await make.withoutMetadata(await make.geotagged('png'), 'jpeg');
  const packets = [
    '<a>'.repeat(20_000),
    `<a>${'<?xpacket end="?>'.repeat(3500)}</a>\n`,
    `<a>${'<b/>'.repeat(16_000)}</a>`,
    '<!DOCTYPE a><a/>',
    '\0\xff',
  ];
  for (const packet of packets) {
    const xmp = make.segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0', packet);
    assert.deepEqual((await readMetadata(make.withSegments(plain, xmp), 'image/jpeg'))?.keywords ?? [], []);
  }
});

test('reads the keywords of a picture in which Photoshop listed thousands of ancestors', async () => {
  const ancestors = `<ps:DocumentAncestors><rdf:Bag>${`<rdf:li>${'x'.repeat(40)}</rdf:li>`.repeat(3000)}</rdf:Bag></ps:DocumentAncestors>`;
  const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description
    xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"><dc:subject><rdf:Bag><rdf:li>nsfw</rdf:li></rdf:Bag></dc:subject>
    ${ancestors.replaceAll('ps:', 'photoshop:')}</rdf:Description></rdf:RDF></x:xmpmeta>`;
  const picture = await sharp(await make.withoutMetadata(await make.geotagged('png'), 'png'))
    .withXmp(xmp)
    .png()
    .toBuffer();
  assert.deepEqual((await readMetadata(picture, 'image/png'))?.keywords, ['nsfw']);
});

test('a folder of pictures gets artists and categories from their metadata unless a sidecar has them', async () => {
  const { folder, config } = sandbox();
  const pictures = join(folder, 'cats');
  mkdirSync(pictures);
  const write = async (index: number, sidecar?: object) => {
    writeFileSync(join(pictures, `${index}.jpg`), await make.geotagged('jpeg', index));
    if (sidecar) writeFileSync(join(pictures, `${index}.json`), JSON.stringify(sidecar));
  };
  await write(0);
  await write(1, { artist: 'Bob', tags: [] });
  await write(2, { source: 'https://example.org/', created_at: '2020-01-01', rating: 'e' });
  await importFiles(config, [folder]);
  await using snapshot = await openSnapshot(config);
  const artists = new Map<string, string>();
  for await (const { id, name } of snapshot.entries('artist')) artists.set(id, name);
  const images = (await Array.fromAsync(snapshot.images())).map(({ document }) => {
    const { artist, categories, source, licence, takenAt, nsfw } = readDocument(document);
    const names = categories.map(({ name }) => name);
    return [artists.get(artist ?? ''), names, source.name, licence, takenAt.slice(0, 4), nsfw];
  });
  assert.deepEqual(images, [
    ['Ann Ink', ['blue  deep', 'cats', 'night sky'], '', '© Ann Ink', '2024', 'sfw'],
    ['Bob', ['cats'], '', '© Ann Ink', '2024', 'sfw'],
    ['Ann Ink', ['blue  deep', 'cats', 'night sky'], 'example.org', '© Ann Ink', '2024', 'nsfw'],
  ]);
  assert.deepEqual(await importFiles(config, [folder]), { added: 0, updated: 0, unchanged: 3 });
});

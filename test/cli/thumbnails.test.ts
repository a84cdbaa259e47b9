/** Thumbnails through the life of a catalogue: import, replacement, removal, check, and `zukan thumbnails`. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileKeys } from '../../src/catalogue/documents/document.ts';
import { inParallel } from '../../src/lib/concurrency.ts';
import { openFiles, openSnapshot } from '../../src/server/engines.ts';
import { images, uuid, writeKnownCatalogue } from '../support/catalogues/catalogue.ts';
import { testDeep } from '../support/depth.ts';
import { drawInto } from '../support/pictures/pictures.ts';
import { forEachEngineInDepth, tamper, testOnOneStore } from '../support/servers/engines.ts';
import { startS3 } from '../support/servers/s3.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { importFiles } from '../support/zukan/import-files.ts';
import { runCommand } from '../support/zukan/program.ts';
import { killBefore } from '../support/zukan/run-until.ts';
import { configFor, type Envelope, send, startService } from '../support/zukan/service.ts';

const s3 = await startS3();
let catalogues = 0;

/** A catalogue in a folder, or in PostgreSQL with files in a bucket. */
function prepare(engine: { name: string; environment(): Record<string, string> }) {
  const folder = temporaryFolder();
  const environment: Record<string, string> = {
    ...engine.environment(),
    DATA_DIR: join(folder, 'data'),
    ...(engine.name === 'SQLite' ? {} : s3.environment(`${++catalogues}/`)),
  };
  return { folder, ...commands(environment) };
}

function commands(environment: Record<string, string>) {
  /** The configuration with other thumbnails. */
  const configOf = (thumbnails: string) => configFor('', { ...environment, THUMBNAILS: thumbnails });
  return {
    environment,
    configOf,
    run: (thumbnails: string, ...parameters: string[]) =>
      runCommand(parameters, { ...environment, THUMBNAILS: thumbnails }),
    storedKeys: async () => (await Array.fromAsync(openFiles(configOf('off')).keys())).sort(),
    /** The keys of all files that the catalogue uses. */
    async usedKeys() {
      await using snapshot = await openSnapshot(configOf('off'));
      return [...new Set((await Array.fromAsync(snapshot.images())).flatMap(fileKeys))].sort();
    },
  };
}

const isThumbnail = (key: string) => key.startsWith('thumbnails/');

await forEachEngineInDepth((engine) => {
  const testOnce = testOnOneStore(engine);
  testOnce('the command makes what is missing, follows the thumbnailSizes, and repeats nothing', async () => {
    const { folder, run, configOf, storedKeys, usedKeys } = prepare(engine);
    await importFiles(configOf('off'), [await writeKnownCatalogue(folder)]);
    assert.deepEqual((await storedKeys()).filter(isThumbnail), []);

    const dry = await run('30,70', 'thumbnails', '--dry-run');
    assert.equal(dry.output, `dry run, nothing was changed; ${images.length} images would be updated\n`);
    assert.deepEqual((await storedKeys()).filter(isThumbnail), []);

    assert.equal(
      (await run('30,70', 'thumbnails')).output,
      `updated the thumbnails of ${images.length} images\n`,
    );
    assert.deepEqual(await storedKeys(), await usedKeys());
    assert.ok((await storedKeys()).some((key) => key.startsWith('thumbnails/70/')));
    assert.equal((await run('30,70', 'thumbnails')).output, 'updated the thumbnails of 0 images\n');
    // An import makes the same ones.
    const again = await run('30,70', 'import', '--quiet', join(folder, 'catalogue.ndjson'));
    assert.match(again.output, /^0 added, 0 updated/);

    assert.match((await run('40', 'thumbnails')).output, /^updated the thumbnails of \d images\n$/);
    assert.deepEqual(await storedKeys(), await usedKeys());
    assert.ok((await storedKeys()).filter(isThumbnail).every((key) => key.startsWith('thumbnails/40/')));
    assert.equal((await run('40', 'check')).output, 'no problems found\n');

    assert.equal((await run('off', 'thumbnails')).status, 0);
    assert.deepEqual((await storedKeys()).filter(isThumbnail), []);
    assert.deepEqual(await storedKeys(), await usedKeys());
  });

  testOnce(
    'the command finds out which images are animations if an older version imported them',
    async () => {
      const { folder, run, configOf } = prepare(engine);
      const config = configOf('30');
      await importFiles(config, [await writeKnownCatalogue(folder)]);
      const animatedById = async () => {
        const { get } = await startService(config);
        const { data } = (await get('/api/image/latest?limit=25&include=thumbnails')).json;
        return Object.fromEntries(data.map(({ id, meta }: Envelope) => [id, meta.animated]));
      };
      const filtered = async () => {
        const { get } = await startService(config);
        const { data } = (await get('/api/image/latest?limit=25&animated=true')).json;
        return data.map(({ id }: Envelope) => id);
      };
      const known = await animatedById();
      const all = await filtered();
      assert.deepEqual(
        known,
        Object.fromEntries(images.map(({ id, drawing: { frames } }) => [id, (frames ?? 1) > 1])),
      );
      tamper(config, 'update image set document = substr(document, 1, length(document) - 2)');
      const isJpeg = (id: string) => images.find((image) => image.id === id)?.drawing.format === 'jpeg';
      for (const [id, animated] of Object.entries(await animatedById()))
        assert.equal(animated, isJpeg(id) ? false : undefined);
      assert.match((await run('30', 'check')).output, /is on the wrong shelves/);
      assert.equal((await run('30', 'check', '--repair')).status, 0);
      assert.deepEqual(await filtered(), []);
      const unknown = images.filter(({ id }) => !isJpeg(id)).length;
      assert.equal((await run('30', 'thumbnails')).output, `updated the thumbnails of ${unknown} images\n`);
      assert.deepEqual(await animatedById(), known);
      assert.ok(all.length > 0 && all.length < images.length);
      assert.deepEqual(await filtered(), all);
      assert.equal((await run('30', 'check')).output, 'no problems found\n');
    },
  );

  test('the links work wherever the files are', async () => {
    const { folder, run, configOf, storedKeys, usedKeys } = prepare(engine);
    const config = configOf('40');
    await importFiles(configOf('off'), [await writeKnownCatalogue(folder)]);
    assert.equal((await run('40', 'thumbnails', '--quiet')).status, 0);
    assert.deepEqual(await storedKeys(), await usedKeys());
    const service = await startService(config);
    const { data } = (await service.get('/api/image/random?limit=25&include=thumbnails')).json;
    for (const { meta } of data)
      for (const { url, mimetype } of meta.thumbnails) {
        const { status, headers } = await send(new URL(url));
        assert.deepEqual([status, headers['content-type']], [200, mimetype]);
      }
    const { headers } = await service.get(`/api/image/${uuid(4, 1)}/file?width=40`);
    const picture = await send(new URL(headers.location as string));
    // A lasting address redirects to a bucket.
    const last = picture.status === 302 ? await send(new URL(picture.headers.location as string)) : picture;
    assert.equal(last.status, 200);
    assert.match(headers.location as string, /40/);
  });

  testOnce('thumbnails are removed with their image, and replaced with its file', async () => {
    const { folder, run, configOf, storedKeys, usedKeys } = prepare(engine);
    const catalogue = await writeKnownCatalogue(folder);
    await importFiles(configOf('30'), [catalogue]);
    const before = await storedKeys();
    assert.equal((await run('30', 'remove', '--yes', uuid(4, 1))).output, 'removed 1 image and 2 files\n');
    assert.equal((await storedKeys()).length, before.length - 2);

    await drawInto(folder, { file: 'new.png', format: 'png', width: 99, height: 33, colour: '#123456' });
    const record = { type: 'image', id: uuid(4, 2), file: 'new.png', nsfw: 'sfw' };
    writeFileSync(join(folder, 'new.ndjson'), JSON.stringify(record));
    assert.match((await run('30', 'import', join(folder, 'new.ndjson'))).output, /^0 added, 1 updated/);
    assert.deepEqual(await storedKeys(), await usedKeys());

    // An import that fails leaves no thumbnails behind.
    await drawInto(folder, { file: 'more.png', format: 'png', width: 77, height: 33, colour: '#123456' });
    const lines = [
      { ...record, id: uuid(4, 50), file: 'more.png' },
      { ...record, file: 'missing.png' },
    ];
    writeFileSync(join(folder, 'bad.ndjson'), lines.map((line) => JSON.stringify(line)).join('\n'));
    assert.equal((await run('30', 'import', join(folder, 'bad.ndjson'))).status, 1);
    assert.deepEqual(await storedKeys(), await usedKeys());
    assert.equal((await run('30', 'check')).status, 0);
  });

  testOnce('check finds missing and unused thumbnails, and repairs both', async () => {
    const { folder, run, configOf, storedKeys, usedKeys } = prepare(engine);
    const config = configOf('30');
    await importFiles(config, [await writeKnownCatalogue(folder)]);
    const files = openFiles(config);
    const before = await storedKeys();
    const lost = before.find(isThumbnail) as string;
    await files.remove([lost]);
    const upload = await files.beginUpload();
    const unused = lost.replace('/30/', '/50/');
    const bytes = Buffer.from('left over');
    await upload.put(unused, bytes, { hash: hash('sha256', bytes), mimetype: 'image/webp' });
    await upload.finish();

    const found = await run('30', 'check');
    assert.match(found.output, /^image [0-9a-f-]{36}: the file of a thumbnail is missing\n/);
    // In a bucket, it may be what an import on another machine stores.
    const isYoung = engine.name !== 'SQLite';
    assert.equal(found.output.includes(`${unused}: no image uses this file\n`), !isYoung);
    assert.match(found.errors, isYoung ? /kept 1 unused file less than a day old/ : /can repair 2\n$/);
    const repaired = await run('30', 'check', '--repair');
    assert.equal(repaired.output, 'no problems found\n');
    assert.match(repaired.errors, /made the thumbnails of 1 image\n/);
    if (isYoung) await files.remove([unused]);
    assert.deepEqual(await storedKeys(), before);
    assert.deepEqual(await storedKeys(), await usedKeys());
  });

  testOnce('a picture that cannot be read is reported, and the others get their thumbnails', async () => {
    const { folder, run, configOf, storedKeys, usedKeys } = prepare(engine);
    await importFiles(configOf('off'), [await writeKnownCatalogue(folder)]);
    const original = (await storedKeys()).find((key) => key.endsWith('.jpg')) as string;
    await openFiles(configOf('off')).remove([original]);
    const { status, output, errors } = await run('30', 'thumbnails', '--quiet');
    assert.equal(status, 1);
    assert.equal(output, `updated the thumbnails of ${images.length - 1} images\n`);
    assert.match(
      errors,
      /^zukan: 1 image could not be updated:\n {2}image [0-9a-f-]{36}: the file \S+ is missing\n$/,
    );
    assert.deepEqual([...(await storedKeys()), original].sort(), await usedKeys());
  });
});

testDeep('a killed command or import leaves no file that the next command does not remove', async () => {
  const folder = temporaryFolder();
  const catalogue = await writeKnownCatalogue(folder);
  // The databases exist, so that the first commit is the one of the command.
  const [empty, original] = [join(folder, 'empty'), join(folder, 'original')];
  await commands({ DATA_DIR: empty }).run('off', 'import', '-');
  await importFiles(configFor('', { DATA_DIR: original, THUMBNAILS: '30' }), [catalogue]);
  type Point = [from: string, position: number];
  const starts: Point[] = [
    ['thumbnails/', 1],
    ['thumbnails/', 20],
  ];
  const commits = (...positions: number[]) => positions.map((position): Point => ['^commit', position]);
  const cases = [
    {
      parameters: ['thumbnails', '--quiet'],
      from: original,
      points: [...starts, ...commits(1, 2, 3, 5, 8)],
    },
    { parameters: ['import', '--quiet', catalogue], from: empty, points: [...starts, ...commits(1, 2)] },
  ];
  for (const { parameters, from, points } of cases) {
    const copy = (name: string) => {
      const data = join(folder, `${parameters[0]} ${name}`);
      cpSync(from, data, { recursive: true });
      return { data, ...commands({ DATA_DIR: data }) };
    };
    const whole = copy('whole');
    assert.equal((await whole.run('20,50', ...parameters)).status, 0);
    const expected = await whole.storedKeys();
    assert.deepEqual(expected, await whole.usedKeys());
    await inParallel(points, 2, async ([pattern, position], index) => {
      const what = `${parameters[0]} killed before operation ${position} from ${pattern}`;
      const { data, run, storedKeys, usedKeys } = copy(String(index));
      const environment = { DATA_DIR: data, THUMBNAILS: '20,50' };
      await killBefore(position, parameters, environment, { from: pattern });
      assert.equal((await run('20,50', 'check', '--quiet', '--repair')).status, 0, what);
      assert.deepEqual(await storedKeys(), await usedKeys(), what);
      assert.equal((await run('20,50', ...parameters)).status, 0, what);
      assert.deepEqual(await storedKeys(), expected, what);
      rmSync(data, { recursive: true });
    });
  }
});

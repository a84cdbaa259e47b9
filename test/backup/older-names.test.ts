/** Backups and exports of versions that took names in several Unicode forms for different ones. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Environment, lines, succeed } from '../support/catalogues/backup.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { image, moveToTrash } from '../support/catalogues/history.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { forEachEngineInDepth } from '../support/servers/engines.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand } from '../support/zukan/program.ts';

const categories = [
  { type: 'category', id: uuid(1, 1), name: 'Cafe1' },
  { type: 'category', id: uuid(1, 2), name: 'Cafe2', description: 'Coffee.', aliases: ['bar'] },
];
/** These stand for names that this version takes for one. */
const makeOld = (text: string) =>
  text.replaceAll('Cafe1', 'café'.normalize('NFD')).replaceAll('Cafe2', 'Café');

await forEachEngineInDepth((engine) => {
  test('a category in two forms is restored as one, also in the trash and in the log', async () => {
    const folder = temporaryFolder();
    const target = (name: string): Environment => ({
      ...engine.environment(),
      DATA_DIR: join(folder, name),
      THUMBNAILS: 'off',
    });
    const [environment, restored] = [target('data'), target('restored')];
    const images = [['Cafe2'], ['Cafe1', 'Cafe2'], ['Cafe1']].map((names, index) => {
      writeTiny(folder, `${index + 1}.png`, index + 1);
      const file = `${index + 1}.png`;
      return { type: 'image', id: image(index + 1), file, nsfw: 'sfw', categories: names };
    });
    writeFileSync(join(folder, 'catalogue.ndjson'), lines([...categories, ...images]));
    await succeed(['import', '--quiet', join(folder, 'catalogue.ndjson')], environment);
    await succeed(['edit', image(1), '--remove-category', 'Cafe2'], environment);
    await moveToTrash(environment, [image(2)]);
    const backup = join(folder, 'backup');
    await succeed(['backup', '--quiet', backup], environment);
    const manifestPath = join(backup, 'manifest.json');
    const manifest = JSON.parse(readFileSync(manifestPath, 'utf8'));
    for (const name of ['catalogue.ndjson', 'history.ndjson']) {
      const list = join(backup, manifest.folder, name);
      const text = makeOld(readFileSync(list, 'utf8'));
      writeFileSync(list, text);
      manifest.lists[name] = { size: Buffer.byteLength(text), sha256: hash('sha256', text) };
    }
    writeFileSync(manifestPath, JSON.stringify(manifest));

    await succeed(['restore', '--check', '--quiet', backup], {});
    await succeed(['restore', '--quiet', backup], restored);
    const run = async (...words: string[]) => JSON.parse((await succeed(words, restored)).output);
    assert.deepEqual(
      (await run('entries', 'category', '--json')).map((entry: object) => ({ ...entry, id: '' })),
      [{ id: '', name: 'café', aliases: ['bar'], images: 1 }],
    );
    assert.equal((await run('entry', 'category', 'café', '--json')).description, 'Coffee.');
    await succeed(['trash', '--restore', image(2)], restored);
    await succeed(['undo', '2', '--strict'], restored);
    assert.deepEqual(
      (await run('find', '--json')).map((found: { categories: string[] }) => found.categories),
      [['café'], ['café'], ['café']],
    );
    await succeed(['check', '--quiet'], restored);
  });
});

test('an import says what to do with a category in two forms', async () => {
  const environment = { DATA_DIR: join(temporaryFolder(), 'data') };
  const { errors } = await runCommand(['import', '-'], environment, makeOld(lines(categories)));
  assert.match(
    errors,
    new RegExp(
      `already exists with the id ${uuid(1, 1)}; .* replace the id ${uuid(1, 2)} with that one in the whole file`,
    ),
  );
  const edited = makeOld(lines(categories)).replaceAll(uuid(1, 2), uuid(1, 1));
  await succeed(['import', '--quiet', '-'], environment, edited);
});

/** A backup that is restored, into any store and storage, gives the same catalogue, tokens and links. */
import assert from 'node:assert/strict';
import { chmodSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { contentsOf, type Environment, lines, makeCatalogue, succeed } from '../support/catalogues/backup.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { historyOf } from '../support/catalogues/history.ts';
import { atDepth } from '../support/depth.ts';
import { tinyPicture, writeTiny } from '../support/pictures/tiny.ts';
import { forEachEngineInDepth } from '../support/servers/engines.ts';
import { startS3 } from '../support/servers/s3.ts';
import { account } from '../support/servers/s3-guard.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand } from '../support/zukan/program.ts';

const { folder, environment: source } = await makeCatalogue();
const s3 = await startS3();
const { bucket, endpoint, region } = s3.location;
const target = (name: string): Environment => ({ DATA_DIR: join(folder, name), THUMBNAILS: 'off' });

await forEachEngineInDepth((engine) => {
  const name = engine.name;

  test('folder → bucket → folder: exports, tokens and keys are equal', async () => {
    const backups = [join(folder, `${name} 1`), join(folder, `${name} 2`)] as const;
    const there: Environment = {
      ...target(`there ${name}`),
      ...engine.environment(),
      FILES_URL: `s3://${bucket}/${name}/?endpoint=${endpoint}&region=${region}`,
      AWS_ACCESS_KEY_ID: account.accessKeyId,
      AWS_SECRET_ACCESS_KEY: account.secretAccessKey,
    };
    const back = { ...target(`back ${name}`), ...engine.environment() };
    await succeed(['backup', '--quiet', backups[0]], source);
    assert.match(
      (await succeed(['restore', '--quiet', backups[0]], there)).output,
      /^restored 5 images and \d tokens of /,
    );
    await succeed(['backup', '--quiet', backups[1]], there);
    await succeed(['restore', '--quiet', backups[1]], back);
    const expected = await contentsOf(source);
    for (const part of [
      '"type":"blocked"',
      '"type":"removed"',
      '"aliases":["catgirl"]',
      '"edited":["rating"]',
      ...['"licence":"CC0 1.0","credit":"Abe"', '"alt":"one\\ntwo"', '"licence":"Ours=https://a.test/"'],
      '"revokedAt":"',
    ])
      assert.ok(expected.includes(part), part);
    assert.equal(await contentsOf(there), expected);
    assert.equal(await contentsOf(back), expected);
    for (const environment of [there, back])
      assert.deepEqual(await historyOf(environment), await historyOf(source));
    assert.equal((await succeed(['export'], back)).output, (await succeed(['export'], source)).output);
    for (const environment of [there, back]) await succeed(['check', '--quiet'], environment);
  });
});

test('restore needs an empty catalogue, and changes nothing in one that is not', async () => {
  const backup = join(folder, 'not empty');
  await succeed(['backup', '--quiet', backup], source);
  for (const [index, record] of [
    { type: 'category', name: 'x' },
    { type: 'blocked', kind: 'artist', name: 'x' },
    { type: 'removed', hash: 'x', image: uuid(4, 1) },
  ].entries()) {
    const environment = target(`not empty ${index}`);
    await succeed(['import', '--quiet', '-'], environment, lines([record]));
    const before = (await succeed(['export'], environment)).output;
    const { status, errors } = await runCommand(['restore', '--quiet', backup], environment);
    assert.equal(status, 1);
    assert.match(errors, /cannot restore .*not empty: the catalogue is not empty; restore into a new one/);
    assert.equal((await succeed(['export'], environment)).output, before);
    assert.deepEqual(globSync('files/**/*.png', { cwd: environment.DATA_DIR ?? '' }), []);
  }
});

test('keys of the target stay valid, behind those of the backup', async () => {
  const backup = join(folder, 'keys');
  await succeed(['backup', '--quiet', backup], source);
  const environment = target('other keys');
  const path = join(folder, 'other keys/link.keys');
  mkdirSync(join(folder, 'other keys'));
  writeFileSync(path, `${'c'.repeat(32)}\n`);
  const { output } = await succeed(['restore', '--quiet', backup], environment);
  assert.match(output, /restart running servers/);
  assert.deepEqual(
    readFileSync(path, 'utf8').trim().split('\n'),
    ['a', 'b', 'c'].map((key) => key.repeat(32)),
  );
  assert.equal(statSync(path).mode & 0o777, 0o600);
  const configured = { ...target('configured keys'), LINK_KEYS: 'd'.repeat(32), THUMBNAILS: '16' };
  const restored = await succeed(['restore', '--quiet', backup], configured);
  assert.match(restored.output, /LINK_KEYS lacks keys of the backup/);
  assert.match(restored.output, /run "zukan thumbnails"/);
  // Keys of the environment are backed up as well.
  await succeed(['backup', '--quiet', join(folder, 'configured')], configured);
  assert.equal(
    readFileSync(globSync(join(folder, 'configured/lists-*/link.keys'))[0] as string, 'utf8'),
    `${'d'.repeat(32)}\n`,
  );
});

/** What an operator may do. Commands that fail, because of what came before, change nothing. */
const name = fc.constantFrom('a', 'B', 'b', 'ß', 'だ', '😀 "x"');
const number = fc.integer({ min: 0, max: 3 });
const kind = fc.constantFrom('category', 'artist', 'character');
const command = fc.oneof(
  fc.tuple(
    fc.constant('edit'),
    number.map((index) => uuid(4, index)),
    fc.constant('--create'),
    fc.constant('--add-category'),
    name,
  ),
  fc.tuple(
    fc.constant('edit'),
    number.map((index) => uuid(4, index)),
    fc.constant('--reset'),
    fc.constant('all'),
  ),
  fc.tuple(
    fc.constant('remove'),
    fc.constant('--yes'),
    number.map((index) => uuid(4, index)),
    fc.constant('--reason'),
    name,
  ),
  fc.tuple(fc.constant('entry'), kind, name, fc.constant('--create')),
  fc.tuple(fc.constant('entry'), kind, name, fc.constantFrom('--name', '--add-alias', '--merge-into'), name),
  fc.tuple(fc.constant('entry'), kind, name, fc.constant('--block')),
  fc.tuple(fc.constant('entry'), kind, name, fc.constant('--remove')),
  fc.tuple(
    fc.constant('token'),
    fc.constant('create'),
    fc.constant('--owner'),
    name,
    fc.constant('--purpose'),
    name,
  ),
);

test('a backup of any catalogue restores to an equal one', async () => {
  const property = fc.asyncProperty(fc.array(command, { maxLength: 12 }), async (commands) => {
    const home = temporaryFolder();
    const at = (name: string) => ({ DATA_DIR: join(home, name), THUMBNAILS: 'off' });
    const images = [0, 1, 2, 3].map((index) => {
      writeTiny(home, `${index % 3}.png`, index % 3);
      return { type: 'image', id: uuid(4, index), file: `${index % 3}.png`, nsfw: 'sfw' };
    });
    writeFileSync(join(home, 'catalogue.ndjson'), lines(images));
    await succeed(['import', '--quiet', join(home, 'catalogue.ndjson')], at('data'));
    writeFileSync(join(home, 'data/link.keys'), `${'k'.repeat(20)}\n`);
    for (const parameters of commands) await runCommand(parameters, at('data'));
    await succeed(['backup', '--quiet', join(home, 'backup')], at('data'));
    await succeed(['restore', '--quiet', join(home, 'backup')], at('restored'));
    assert.equal(await contentsOf(at('restored')), await contentsOf(at('data')));
    assert.deepEqual(await historyOf(at('restored')), await historyOf(at('data')));
  });
  await fc.assert(property, { numRuns: atDepth(1, 20) });
});

test('bytes that changed behind a foreign key are backed up anew', async () => {
  const backup = join(folder, 'changed');
  await succeed(['backup', '--quiet', backup], source);
  const path = join(folder, 'data/files/some/7.png');
  chmodSync(path, 0o600);
  writeFileSync(path, tinyPicture(8));
  assert.match((await succeed(['backup', '--quiet', backup], source)).output, /\(1 new file, 1 removed\)/);
  const environment = target('changed restored');
  await succeed(['restore', '--quiet', backup], environment);
  assert.ok(readFileSync(join(folder, 'changed restored/files/some/7.png')).equals(tinyPicture(8)));
  writeFileSync(path, tinyPicture(7));
});

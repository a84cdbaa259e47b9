/** Damaged and hostile backups: `restore --check` finds them, and `restore` changes nothing. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { makeCatalogue, succeed } from '../support/catalogues/backup.ts';
import { runCommand } from '../support/zukan/program.ts';

const { folder, environment: source } = await makeCatalogue();
const original = join(folder, 'original');
await succeed(['backup', '--quiet', original], source);
const [picture = ''] = globSync('files/*/*', { cwd: original });
const [catalogue = ''] = globSync('lists-*/catalogue.ndjson', { cwd: original });
const history = catalogue.replace('catalogue', 'history');
const [tokens = ''] = globSync('lists-*/tokens.ndjson', { cwd: original });
let copies = 0;

const edit = (path: string, change: (text: string) => string) =>
  writeFileSync(path, change(readFileSync(path, 'utf8')));

/** Changes a list, and its checksum in the manifest: somebody did this on purpose. */
function forge(backup: string, list: string, change: (text: string) => string): void {
  edit(join(backup, list), change);
  const bytes = readFileSync(join(backup, list));
  edit(join(backup, 'manifest.json'), (text) => {
    const manifest = JSON.parse(text);
    manifest.lists[list.split('/')[1] ?? ''] = { size: bytes.length, sha256: hash('sha256', bytes) };
    return JSON.stringify(manifest);
  });
}

const damages: [string, (backup: string) => void, RegExp][] = [
  ['a picture is missing', (backup) => rmSync(join(backup, picture)), /files\/[^:]*: no such file/],
  [
    'a picture is damaged',
    (backup) => damage(join(backup, picture)),
    /files\/[^:]*: is damaged; delete it and back up again/,
  ],
  [
    'the catalogue is cut',
    (backup) => edit(join(backup, catalogue), (text) => text.slice(0, -2)),
    /catalogue\.ndjson: is damaged/,
  ],
  [
    'the tokens are changed',
    (backup) => edit(join(backup, tokens), (text) => text.replace('image:list', 'image:lost')),
    /tokens\.ndjson: is damaged/,
  ],
  [
    'the manifest is missing',
    (backup) => rmSync(join(backup, 'manifest.json')),
    /manifest\.json: no such file/,
  ],
  ['the manifest is empty', (backup) => edit(join(backup, 'manifest.json'), () => ''), /not valid JSON/],
  [
    'the manifest is of something else',
    (backup) => edit(join(backup, 'manifest.json'), () => '{"format":"x"}'),
    /is not that of a zukan backup/,
  ],
  [
    'the backup is of a later version',
    (backup) => edit(join(backup, 'manifest.json'), (text) => text.replace('"version": 2', '"version": 3')),
    /later version of zukan/,
  ],
  [
    'the lists are outside',
    (backup) => edit(join(backup, 'manifest.json'), (text) => text.replace(/"lists-[^"]*"/, '"../original"')),
    /manifest\.json: folder/,
  ],
  [
    'the lists are a link to the outside',
    (backup) => {
      const name = catalogue.split('/')[0] as string;
      renameSync(join(backup, name), `${backup}-lists`);
      symlinkSync(`${backup}-lists`, join(backup, name));
    },
    /is outside the catalogue's folder/,
  ],
  [
    'a picture is a link to the outside',
    (backup) => {
      renameSync(join(backup, picture), `${backup}-picture`);
      symlinkSync(`${backup}-picture`, join(backup, picture));
    },
    /is outside the catalogue's folder/,
  ],
  [
    'a key is outside the storage',
    (backup) =>
      forge(backup, catalogue, (text) => text.replace('"key":"some/7.png"', '"key":"../../../evil.png"')),
    /catalogue\.ndjson:\d+: key: must be a relative path/,
  ],
  [
    'the key of an import has other bytes',
    (backup) =>
      forge(backup, catalogue, (text) =>
        text.replace(/"key":"..\/[0-9a-f]{64}/, `"key":"ab/ab${'0'.repeat(62)}`),
      ),
    /catalogue\.ndjson:\d+: key: is not the hash of the file/,
  ],
  [
    'two files have the same key',
    (backup) =>
      forge(backup, catalogue, (text) => text.replace(/"key":"..\/[0-9a-f]{64}\.png/, '"key":"some/7.png')),
    /catalogue\.ndjson:\d+: key: another image has a different file with this key/,
  ],
  [
    'there are fewer images than the manifest says',
    (backup) => edit(join(backup, 'manifest.json'), (text) => text.replace('"images": 5', '"images": 6')),
    /manifest\.json: names 6 images, but the backup has 5/,
  ],
  [
    'a hash is a path',
    (backup) =>
      forge(backup, catalogue, (text) =>
        text.replace(/"stored":\{"hash":"[^"]*"/, '"stored":{"hash":"../../x"'),
      ),
    /catalogue\.ndjson:\d+: stored: hash/,
  ],
  [
    'an image has no file',
    (backup) => forge(backup, catalogue, (text) => text.replace(/,"stored":\{[^}]*\}/, '')),
    /catalogue\.ndjson:\d+: stored:/,
  ],
  [
    'an image has no id',
    (backup) => forge(backup, catalogue, (text) => text.replace(/("type":"image",)"id":"[^"]*",/, '$1')),
    /catalogue\.ndjson:\d+: an image needs "id", "key" and "meta"/,
  ],
  [
    'an image names a file outside the backup',
    (backup) =>
      forge(backup, catalogue, (text) =>
        text.replace(/"key":"some\/7\.png","meta":\{.*?\}\}/, '"file":"7.png"'),
      ),
    /catalogue\.ndjson:\d+: an image needs "id", "key" and "meta"/,
  ],
  [
    'a line of the history is of something else',
    (backup) => forge(backup, history, (text) => text.replace('"type":"change"', '"type":"chance"')),
    /history\.ndjson:\d+: "type" must be "change", "change-item" or "trash"/,
  ],
  [
    'a record is invalid',
    (backup) => forge(backup, catalogue, (text) => text.replace('"nsfw":"sfw"', '"nsfw":"safe"')),
    /catalogue\.ndjson:\d+: nsfw: must be/,
  ],
  [
    'a key is too short',
    (backup) => forge(backup, tokens.replace('tokens.ndjson', 'link.keys'), (text) => `${text}short\n`),
    /link\.keys: has a key of less than 16 characters/,
  ],
  [
    'a token has an unknown scope',
    (backup) => forge(backup, tokens, (text) => text.replace('image:list', 'image:lost')),
    /tokens\.ndjson:\d+: the token has the unknown scope "image:lost"/,
  ],
  [
    'the history is cut',
    (backup) => edit(join(backup, history), (text) => text.slice(0, -2)),
    /history\.ndjson: is damaged/,
  ],
  [
    'there are fewer changes than the manifest says',
    (backup) => forge(backup, history, (text) => text.replace(/^.*\n/, '')),
    /manifest\.json: names \d changes, but the backup has \d/,
  ],
  [
    'undoing a change would make an image invalid',
    (backup) => forge(backup, history, (text) => text.replace('"rating":"questionable"', '"rating":"x"')),
    /history\.ndjson:\d+: before: is not what the log has of this kind \(image\)/,
  ],
  [
    'undoing a change would make an entry invalid',
    (backup) => forge(backup, history, (text) => text.replace('"aliases":["catgirl"]', '"aliases":[" "]')),
    /history\.ndjson:\d+: after: aliases/,
  ],
  [
    'an image in the trash is invalid',
    (backup) =>
      forge(backup, history, (text) => {
        const facts = { change: 1, kind: 'image', removedAt: '2025-01-01T00:00:00.000Z', number: 1 };
        return `${text}${JSON.stringify({ type: 'trash', ...facts, image: { nsfw: 'sfw' } })}\n`;
      }),
    /history\.ndjson:\d+: image: an image needs "file" or "key" with "meta"/,
  ],
];

function damage(path: string): void {
  const bytes = readFileSync(path);
  bytes[20] = (bytes[20] as number) ^ 1;
  // The file is a hard link; the storage must stay as it is.
  rmSync(path);
  writeFileSync(path, bytes);
}

describe('finds that', () => {
  for (const [what, change, message] of damages) {
    test(what, async () => {
      const backup = join(folder, `damaged ${++copies}`);
      cpSync(original, backup, { recursive: true });
      change(backup);
      const checked = await runCommand(['restore', '--check', '--quiet', backup], {});
      assert.equal(checked.status, 1);
      assert.match(checked.errors, message);
      assert.ok(checked.errors.includes(backup), checked.errors);
      const environment = { DATA_DIR: join(folder, `target ${copies}`), THUMBNAILS: 'off' };
      const restored = await runCommand(['restore', '--quiet', backup], environment);
      assert.equal(restored.status, 1);
      assert.match(restored.errors, message);
      // Many backups are refused before there is a catalogue.
      await succeed(['import', '-'], environment);
      assert.equal((await succeed(['export'], environment)).output, '');
      assert.equal((await succeed(['token', 'list', '--json'], environment)).output, '[]\n');
      assert.ok(!existsSync(join(environment.DATA_DIR, 'link.keys')));
      assert.deepEqual(globSync('files/**/*.png', { cwd: environment.DATA_DIR }), []);
      // Repaired, it can be restored into the same place.
      if (copies > 2) return;
      await succeed(['restore', '--quiet', original], environment);
    });
  }
});

test('the shortest key that links may have can be restored', async () => {
  const backup = join(folder, 'shortest key');
  cpSync(original, backup, { recursive: true });
  forge(backup, tokens.replace('tokens.ndjson', 'link.keys'), (text) => `${text}${'k'.repeat(16)}\n`);
  await succeed(['restore', '--check', '--quiet', backup], {});
});

test('files in the storage that no import has stored are never replaced', async () => {
  const environment = { DATA_DIR: join(folder, 'occupied'), THUMBNAILS: 'off' };
  const path = join(environment.DATA_DIR, 'files/some/7.png');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, 'the only copy');
  const { status, errors } = await runCommand(['restore', '--quiet', original], environment);
  assert.equal(status, 1);
  assert.match(errors, /some\/7\.png: the storage has a different file with this name; move it away/);
  assert.equal(readFileSync(path, 'utf8'), 'the only copy');
  assert.deepEqual(globSync('files/**/*.png', { cwd: environment.DATA_DIR }), ['files/some/7.png']);
  assert.equal((await succeed(['export'], environment)).output, '');
  // The same bytes are no obstacle.
  cpSync(join(folder, 'data/files/some/7.png'), path);
  await succeed(['restore', '--quiet', original], environment);
});

test('a restore that failed after the tokens were added can be repeated', async () => {
  const environment = { DATA_DIR: join(folder, 'repeated'), THUMBNAILS: 'off' };
  mkdirSync(environment.DATA_DIR);
  await succeed(['restore', '--quiet', original], environment);
  rmSync(join(environment.DATA_DIR, 'zukan.db'));
  await succeed(['restore', '--quiet', original], environment);
  const list = async (each: Record<string, string>) =>
    (await succeed(['token', 'list', '--json'], each)).output;
  assert.equal(await list(environment), await list(source));
});

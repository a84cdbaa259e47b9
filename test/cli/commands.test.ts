/** The command line: what commands print, and how they exit. */
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { writeKnownCatalogue } from '../support/catalogues/catalogue.ts';
import { filesIn } from '../support/checks/dump.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { importFiles } from '../support/zukan/import-files.ts';
import { runCommand, zukan } from '../support/zukan/program.ts';
import { configFor, filesFolder, startService } from '../support/zukan/service.ts';

const folder = temporaryFolder();
const environment = { DATA_DIR: join(folder, 'data') };

describe('the process', { concurrency: 2 }, () => {
  test('prints its version', async () => {
    const { status, output, errors } = await zukan(['--version'], {});
    assert.equal(status, 0, errors);
    assert.match(output, /^v\d+\.\d+\.\d+\n$/);
  });

  test('fails if the port is in use, and says what to do', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    const { status, errors } = await zukan(['serve'], {
      DATA_DIR: temporaryFolder(),
      PORT: String(port),
      WORKERS: '1',
    });
    other.close();
    assert.equal(status, 1);
    assert.match(errors, new RegExp(`port ${port} is in use; choose another one with --port or PORT`));
  });

  test('fails if the link keys are invalid, and leaves them unchanged', async () => {
    const data = temporaryFolder();
    writeFileSync(join(data, 'link.keys'), '\n');
    const { status, errors } = await zukan(['serve'], { DATA_DIR: data, PORT: '0', WORKERS: '1' });
    assert.equal(status, 1);
    assert.match(errors, /link\.keys/);
    assert.equal(await readFile(join(data, 'link.keys'), 'utf8'), '\n');
  });
});

describe('usage', () => {
  const invalid: [string[], RegExp][] = [
    [['nonsense'], /^error: unknown command 'nonsense'\n\(use --help/],
    [['import'], /missing required argument/],
    [['serve', '--fast'], /unknown option/],
    [['imports', 'revert', '3'], /"zukan undo <number>" undoes an import/],
    [['entry', 'tag', 'a'], /tag: must be artist, category, character or album/],
    [
      ['entry', 'artist', 'a', '--nsfw', 'true'],
      /the kind artist has no field "nsfw"; it is for: category\n/,
    ],
    [['entry', 'artist', 'a', '--remove', '--create'], /cannot be combined/],
    [['entry', 'artist', 'a', '--remove', '--name', 'b'], /cannot be combined/],
    [['token', 'create', '--owner', 'me'], /--purpose/],
    [
      ['token', 'create', '--owner', 'me', '--purpose', 'x', '--scope', 'image:delete'],
      /--scope image:delete: unknown scope; use one of image:list/,
    ],
    [
      ['token', 'create', '--owner', 'me', '--purpose', 'x', '--scope', 'image:custom-expiry:30'],
      /--scope image:custom-expiry:30: unknown scope; .*image:custom-expiry:<seconds> \(from 31\)/,
    ],
    [['token', 'create', '--owner', 'me', '--purpose', 'x', '--expires', 'soon'], /--expires soon: must be/],
    [['token', 'create', '--owner', ' ', '--purpose', 'x'], /--owner must not be empty/],
  ];
  for (const [command, message] of invalid) {
    test(`zukan ${command.join(' ')} is a usage error`, async () => {
      const { status, output, errors } = await runCommand(command, environment);
      assert.equal(status, 2);
      assert.equal(output, '');
      assert.match(errors, message);
    });
  }

  test('an invalid environment is a usage error that names every invalid variable', async () => {
    const invalid = { ...environment, PORT: 'x', LOG_LEVEL: 'loud' };
    const { status, errors } = await runCommand(['stats'], invalid);
    assert.equal(status, 2);
    assert.match(errors, /^zukan: invalid configuration\nPORT: .*\nLOG_LEVEL: /);
  });
});

describe('zukan import', () => {
  test('imports several files or none', async () => {
    const [valid, invalid] = [join(folder, 'valid.ndjson'), join(folder, 'invalid.ndjson')];
    writeFileSync(valid, '{"type":"artist","name":"Good"}\n');
    writeFileSync(invalid, 'bad\n');
    const failed = await runCommand(['import', valid, invalid], environment);
    assert.equal(failed.status, 1);
    assert.match(failed.errors, /nothing was imported\n.*invalid\.ndjson:1: not valid JSON/);
    assert.equal(
      (await runCommand(['import', valid, valid], environment)).output,
      '0 added, 0 updated, 0 unchanged; entries: 1 added, 0 updated, 1 unchanged\n',
    );
  });

  const outside = temporaryFolder();
  const write = (inside: string, name: string, text: string) => {
    writeFileSync(join(inside, name), text);
    return name;
  };
  const link = (inside: string) => {
    symlinkSync(join(outside, 'secret.png'), join(inside, 'link.png'));
    return 'link.png';
  };
  const makeFolder = (inside: string) => {
    mkdirSync(join(inside, 'folder.png'));
    return 'folder.png';
  };
  const rejected: [string, (inside: string) => string, RegExp][] = [
    ['a missing file', () => 'none.png', /none\.png: no such file/],
    ['a path with ..', () => '../escape.png', /is outside the catalogue's folder|no such file/],
    ['an absolute path', () => join(outside, 'secret.png'), /is outside the catalogue's folder/],
    ['a link to a file outside the folder', link, /is outside the catalogue's folder/],
    ['a folder', makeFolder, /is not a file/],
    [
      'an SVG called .png',
      (inside) => write(inside, 'svg.png', '<svg xmlns="http://www.w3.org/2000/svg"/>'),
      /not a JPEG/,
    ],
    ['an empty file', (inside) => write(inside, 'empty.png', ''), /the file is empty/],
  ];
  for (const [what, fileIn, reason] of rejected) {
    test(`rejects ${what} with its line number, and stores nothing`, async () => {
      const inside = temporaryFolder();
      write(outside, 'secret.png', 'secret');
      await writeKnownCatalogue(inside);
      const records = [
        { type: 'image', file: 'p/1.jpg', nsfw: 'sfw' },
        { type: 'image', file: fileIn(inside), nsfw: 'sfw' },
      ];
      const path = join(inside, 'c.ndjson');
      writeFileSync(path, records.map((record) => JSON.stringify(record)).join('\n'));
      const config = configFor(inside);
      await assert.rejects(importFiles(config, [path]), (error: Error) => {
        assert.match(error.message, /c\.ndjson:2: /);
        assert.match(error.message, reason);
        return true;
      });
      assert.deepEqual(filesIn(filesFolder(config)), []);
    });
  }
});

describe('zukan token', () => {
  const create = (...more: string[]) =>
    runCommand(
      ['token', 'create', '--owner', 'me', '--purpose', 'a bot', '--scope', 'image:list', ...more],
      environment,
    );

  test('creates a token that works until it is revoked', async () => {
    const { output } = await create('--scope', 'image:custom-expiry:600', '--issued-by', 'the boss');
    assert.match(output, /^[0-9A-Za-z]{100}\n$/);
    const headers = { Authorization: `Bearer ${output.trim()}` };
    const service = await startService(configFor(folder));
    const { createdAt, expires, ...rest } = (await service.get('/api/token', headers)).json.data;
    const scopes = ['image:list', 'image:custom-expiry:600'];
    assert.deepEqual(rest, { owner: 'me', purpose: 'a bot', scopes, issuedBy: 'the boss' });
    assert.equal(Date.parse(expires) - Date.parse(createdAt), 365 * 86_400_000);

    const listed = JSON.parse((await runCommand(['token', 'list', '--json'], environment)).output);
    const token = listed.find(({ issuedBy }: { issuedBy: string }) => issuedBy === 'the boss');
    const { id } = token;
    // Neither the secret nor its hash.
    const fields = ['id', 'owner', 'purpose', 'scopes', 'issuedBy', 'createdAt', 'expires', 'revokedAt'];
    assert.deepEqual(Object.keys(token), fields);
    assert.ok(!JSON.stringify(listed).includes(output.trim()));
    assert.match((await runCommand(['token', 'list'], environment)).output, new RegExp(`${id} +active`));
    assert.equal((await runCommand(['token', 'revoke', id], environment)).output, `revoked ${id}\n`);
    assert.equal((await service.get('/api/token', headers)).status, 401);
    const again = await runCommand(['token', 'revoke', id], environment);
    assert.equal(again.status, 1);
    assert.match(again.errors, new RegExp(`there is no active token with the id ${id}`));
    assert.match((await runCommand(['token', 'list'], environment)).output, new RegExp(`${id} +revoked`));
  });

  test('does not store the secret', async () => {
    const secret = (await create('--expires', '1h')).output.trim();
    for (const file of filesIn(environment.DATA_DIR)) {
      const bytes = await readFile(join(environment.DATA_DIR, file.slice(0, file.lastIndexOf(' '))));
      assert.ok(!bytes.includes(secret), file);
    }
  });
});

test('does not touch a database of another program', async () => {
  const { DatabaseSync } = await import('node:sqlite');
  const path = join(folder, 'other.db');
  const other = new DatabaseSync(path);
  other.exec('create table theirs (x)');
  other.close();
  const before = await readFile(path);
  const { status, errors } = await runCommand(['stats'], { ...environment, DATABASE_URL: `sqlite:${path}` });
  assert.equal(status, 1);
  assert.match(errors, /belongs to another program/);
  assert.deepEqual(await readFile(path), before);
});

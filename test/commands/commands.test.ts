/** The commands as people type them: what they print, and how they end. */
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { importFiles } from '../../src/commands/import.ts';
import { writeKnownCatalogue } from '../support/catalogue.ts';
import { filesIn } from '../support/dump.ts';
import { serve, zukan } from '../support/program.ts';
import { configFor, filesFolder } from '../support/service.ts';
import { temporaryFolder } from '../support/workspace.ts';

const folder = temporaryFolder();
const environment = { DATA_DIR: join(folder, 'data') };
const catalogue = await writeKnownCatalogue(folder);

describe('how a command is called', { concurrency: true }, () => {
  const commands = [
    [],
    ['serve'],
    ['import'],
    ['token'],
    ['token', 'create'],
    ['token', 'list'],
    ['token', 'revoke'],
    ['config'],
  ];
  for (const command of commands) {
    test(`zukan ${[...command, '--help'].join(' ')}`, async () => {
      const { status, output } = await zukan([...command, '--help'], environment);
      assert.equal(status, 0);
      assert.match(output, /^Usage: zukan/);
    });
  }

  const wrong: [string[], RegExp][] = [
    [['nonsense'], /unknown command/],
    [['import'], /missing required argument/],
    [['serve', '--fast'], /unknown option/],
    [['token', 'create', '--owner', 'me'], /--purpose/],
    [
      ['token', 'create', '--owner', 'me', '--purpose', 'x', '--scope', 'image:delete'],
      /image:delete.*no such scope/,
    ],
    [['token', 'create', '--owner', 'me', '--purpose', 'x', '--expires', 'soon'], /--expires soon/],
  ];
  for (const [command, message] of wrong) {
    test(`zukan ${command.join(' ')} ends with 2`, async () => {
      const { status, output, errors } = await zukan(command, environment);
      assert.equal(status, 2);
      assert.equal(output, '');
      assert.match(errors, message);
    });
  }

  test('a wrong environment ends with 2 and names every wrong variable', async () => {
    const { status, errors } = await zukan(['serve'], { ...environment, PORT: 'x', LOG_LEVEL: 'loud' });
    assert.equal(status, 2);
    assert.match(errors, /PORT: .*\nLOG_LEVEL: /);
  });
});

describe('zukan import', () => {
  test('tells what it added, and again that nothing changed', async () => {
    assert.equal(
      (await zukan(['import', catalogue], environment)).output,
      '16 added, 0 updated, 0 unchanged\n',
    );
    assert.equal(
      (await zukan(['import', catalogue], environment)).output,
      '0 added, 0 updated, 16 unchanged\n',
    );
  });

  test('reads standard input', async () => {
    const input = '{"type":"artist","name":"From a pipe"}\n';
    assert.equal(
      (await zukan(['import', '-'], environment, input)).output,
      '1 added, 0 updated, 0 unchanged\n',
    );
  });

  test('several files are one import', async () => {
    const [good, bad] = [join(folder, 'good.ndjson'), join(folder, 'bad.ndjson')];
    writeFileSync(good, '{"type":"artist","name":"Good"}\n');
    writeFileSync(bad, 'bad\n');
    const refused = await zukan(['import', good, bad], environment);
    assert.equal(refused.status, 1);
    assert.match(refused.errors, /nothing was imported\n.*bad\.ndjson:1: not JSON/);
    assert.equal(
      (await zukan(['import', good, good], environment)).output,
      '1 added, 0 updated, 1 unchanged\n',
    );
  });

  const outside = temporaryFolder();
  const refused: [string, (inside: string) => string, RegExp][] = [
    ['a file that is not there', () => 'none.png', /none\.png: no such file/],
    ['a path that goes up', () => '../escape.png', /leads out of the catalogue's folder|no such file/],
    ['an absolute path', () => join(outside, 'secret.png'), /leads out of the catalogue's folder/],
    ['a link that leads out', (inside) => link(inside), /leads out of the catalogue's folder/],
    ['a folder', (inside) => makeFolder(inside), /is not a file/],
    [
      'an SVG called .png',
      (inside) => write(inside, 'svg.png', '<svg xmlns="http://www.w3.org/2000/svg"/>'),
      /not a JPEG/,
    ],
    ['an empty file', (inside) => write(inside, 'empty.png', ''), /not a JPEG/],
  ];
  const write = (inside: string, name: string, text: string) => {
    writeFileSync(join(inside, name), text);
    return name;
  };
  const link = (inside: string) => {
    writeFileSync(join(outside, 'secret.png'), 'secret');
    symlinkSync(join(outside, 'secret.png'), join(inside, 'link.png'));
    return 'link.png';
  };
  const makeFolder = (inside: string) => {
    mkdirSync(join(inside, 'folder.png'));
    return 'folder.png';
  };
  for (const [what, fileIn, reason] of refused) {
    test(`${what} is refused with its line, and nothing is kept`, async () => {
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
    zukan(
      ['token', 'create', '--owner', 'me', '--purpose', 'a bot', '--scope', 'image:list', ...more],
      environment,
    );

  test('create prints the token alone, and the server knows it until it is revoked', async () => {
    const { output } = await create('--scope', 'image:custom-expiry:600', '--issued-by', 'the boss');
    assert.match(output, /^[0-9A-Za-z]{100}\n$/);
    const headers = { Authorization: `Bearer ${output.trim()}` };
    const server = await serve({ ...environment, LOG_LEVEL: 'silent' });
    const { data } = (await (await fetch(`${server.origin}/api/token`, { headers })).json()) as {
      data: Record<string, unknown>;
    };
    const { createdAt, expires, ...rest } = data;
    const scopes = ['image:list', 'image:custom-expiry:600'];
    assert.deepEqual(rest, { owner: 'me', purpose: 'a bot', scopes, issuedBy: 'the boss' });
    assert.equal(Date.parse(expires as string) - Date.parse(createdAt as string), 365 * 86_400_000);

    const listed = JSON.parse((await zukan(['token', 'list', '--json'], environment)).output);
    const { id } = listed.find(({ issuedBy }: { issuedBy: string }) => issuedBy === 'the boss');
    assert.ok(!JSON.stringify(listed).includes(output.trim()));
    assert.equal((await zukan(['token', 'revoke', id], environment)).output, `revoked ${id}\n`);
    assert.equal((await fetch(`${server.origin}/api/token`, { headers })).status, 401);
    assert.equal((await zukan(['token', 'revoke', id], environment)).status, 1);
    assert.match((await zukan(['token', 'list'], environment)).output, new RegExp(`${id} +revoked`));
    server.child.kill('SIGTERM');
    await server.ended;
  });

  test('the secret is nowhere in the data folder', async () => {
    const secret = (await create('--expires', '1h')).output.trim();
    for (const file of filesIn(environment.DATA_DIR)) {
      const bytes = await readFile(join(environment.DATA_DIR, file.slice(0, file.lastIndexOf(' '))));
      assert.ok(!bytes.includes(secret), file);
    }
  });
});

test('zukan config masks the keys', async () => {
  const { output } = await zukan(['config'], { ...environment, LINK_KEYS: 'a-secret-key-of-some-length' });
  assert.match(output, /LINK_KEYS +\*\*\*/);
  assert.ok(!output.includes('a-secret-key'));
});

test('a port that is taken ends with 1 and says what to do', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as { port: number };
  const { status, errors } = await zukan(['serve'], { ...environment, PORT: String(port) });
  other.close();
  assert.equal(status, 1);
  assert.match(errors, new RegExp(`port ${port} is in use; set PORT`));
});

test('a database of another program is not touched', async () => {
  const { DatabaseSync } = await import('node:sqlite');
  const path = join(folder, 'other.db');
  const other = new DatabaseSync(path);
  other.exec('create table theirs (x)');
  other.close();
  const before = await readFile(path);
  const { status, errors } = await zukan(['serve'], { ...environment, DATABASE_URL: `sqlite:${path}` });
  assert.equal(status, 1);
  assert.match(errors, /belongs to another program/);
  assert.deepEqual(await readFile(path), before);
});

/** Importing folders that a stranger made. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { openMaintained } from '../support/catalogues/maintained.ts';
import { tinyPicture } from '../support/pictures/tiny.ts';

function newFolder() {
  const box = openMaintained();
  box.write('a.png', 1);
  return { ...box, sidecar: join(box.pictures, 'a.json') };
}

describe('imports nothing if a sidecar is', () => {
  const write = (content: string | Buffer) => (sidecar: string) => writeFileSync(sidecar, content);
  const linkTo = (target: string) => (sidecar: string) => symlinkSync(target, sidecar);
  const cases: [what: string, make: (sidecar: string, folder: string) => unknown, reason: RegExp][] = [
    [
      'a link to a JSON file outside',
      linkTo('../secret.json'),
      /a\.png: a\.json: is outside the catalogue's folder\n/,
    ],
    [
      'a link through a folder link',
      (sidecar, folder) => {
        symlinkSync(folder, join(folder, 'pictures/link'));
        symlinkSync('link/secret.json', sidecar);
      },
      /a\.json: is outside/,
    ],
    ['a link to /etc/passwd', linkTo('/etc/passwd'), /a\.json: is outside/],
    ['a link to /dev/zero', linkTo('/dev/zero'), /a\.json: is outside/],
    ['a named pipe', (sidecar) => execFileSync('mkfifo', [sidecar]), /a\.json: is not a file/],
    [
      'a link to a named pipe',
      (sidecar, folder) => {
        execFileSync('mkfifo', [join(folder, 'pictures/pipe')]);
        symlinkSync('pipe', sidecar);
      },
      /a\.json: is not a file/,
    ],
    ['a folder', (sidecar) => mkdirSync(sidecar), /a\.json: is not a file/],
    ['a socket', listen, /a\.json: is not a file/],
    ['a broken link', linkTo('nowhere'), /a\.json: no such file/],
    ['larger than 1 MiB', write(`{"md5":"${'x'.repeat(2 ** 20)}"}`), /a\.json: is larger than 1 MiB/],
    [
      'a hole of 8 TiB',
      (sidecar) => {
        writeFileSync(sidecar, '');
        truncateSync(sidecar, 2 ** 43);
      },
      /a\.json: is larger than 1 MiB/,
    ],
    ['not valid UTF-8', write(Buffer.from('{"artist":"\xff"}', 'latin1')), /not valid UTF-8/],
  ];
  for (const [what, make, reason] of cases) {
    test(what, async () => {
      const { folder, sidecar, tryImport, run } = newFolder();
      writeFileSync(join(folder, 'secret.json'), '{"artist":"SECRET"}');
      await make(sidecar, folder);
      const { status, output, errors } = await tryImport('--strict');
      assert.equal(status, 1, output);
      assert.match(errors, reason);
      assert.doesNotMatch(errors, /root:|SECRET/);
      assert.equal((await run('export')).output, '');
    });
  }

  function listen(path: string): Promise<void> {
    const server = createServer();
    after(() => server.close());
    return new Promise((resolve) => server.listen(path, resolve));
  }
});

test('reads a sidecar of 1 MiB, and one behind a link inside the folder', async () => {
  const { pictures, sidecar, run } = newFolder();
  const text = '{"artist":"Ann","md5":""}';
  writeFileSync(join(pictures, 'large.txt'), text.replace('""', `"${'x'.repeat(2 ** 20 - text.length)}"`));
  symlinkSync('large.txt', sidecar);
  const { status, output, errors } = await run('import', pictures);
  assert.equal(status, 0, errors);
  assert.match(output, /^1 added.*\n1 picture without a rating.*\ncreated:\n {2}artist Ann\n/);
});

test('lists names that are not UTF-8, and imports the rest', async () => {
  const { pictures, run, write } = newFolder();
  const writeLatin1 = (name: string, index: number) =>
    writeFileSync(
      Buffer.concat([Buffer.from(`${pictures}/`), Buffer.from(name, 'latin1')]),
      tinyPicture(index),
    );
  for (const [index, name] of ['caf\xe9.png', '\x8e\x71.png', 'a\xe9.json'].entries())
    writeLatin1(name, index + 2);
  mkdirSync(Buffer.concat([Buffer.from(`${pictures}/`), Buffer.from('\x8e\x71', 'latin1')]));
  write('right \u{fffd}.png', 9);
  const { status, output } = await run('import', '--quiet', pictures);
  assert.equal(status, 1);
  assert.match(output, /^2 added/);
  for (const name of ['caf\u{fffd}.png', '\u{fffd}q.png', '\u{fffd}q', 'a\u{fffd}.json'])
    assert.ok(output.includes(`${name}: the name is not UTF-8; rename it\n`), output);
});

/** Which commands may migrate a catalogue of an older version. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { changesCatalogue } from '../../src/cli/migrating.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { silentTerminal } from '../../src/cli/terminal/terminal.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { temporaryFolder } from '../support/workspace.ts';

const environment = { DATA_DIR: join(temporaryFolder(), 'data') };

async function isChanging(parameters: string[]): Promise<boolean> {
  const settings = () => ({ environment, originOf: () => '', warnings: [] });
  const program = buildProgram(settings as never, silentTerminal);
  let found: boolean | undefined;
  const stop = new Error('before the action');
  program.hook('preAction', (_, command) => {
    found = changesCatalogue(command);
    throw stop;
  });
  await assert.rejects(program.parseAsync(parameters, { from: 'user' }), stop);
  return found as boolean;
}

const id = uuid(4, 1);
const token = ['--owner', 'me', '--purpose', 'x'];

test('commands that change the catalogue migrate it; those that read, and dry runs, do not', async () => {
  const changing = [
    ['check', '--repair'],
    ['duplicates', '--keep', 'largest'],
    ['edit', id, '--rating', 'sfw'],
    ['entry', 'artist', 'Ann', '--create'],
    ['entry', 'artist', 'Ann', '--name', 'Bob'],
    ['import', 'pictures'],
    ['remove', id],
    ['restore', 'backup'],
    ['studio'],
    ['thumbnails'],
    ['token', 'create', ...token],
    ['token', 'revoke', id],
    ['trash', id],
    ['trash', '--artist', 'Ann'],
    ['trash', '--restore', id],
    ['trash', '--empty'],
    ['trash', '--accept-clock'],
    ['undo', '1'],
  ];
  const canBeDry = ['duplicates', 'edit', 'entry', 'import', 'remove', 'thumbnails', 'trash', 'undo'];
  for (const command of changing) {
    assert.ok(await isChanging(command), command.join(' '));
    if (canBeDry.includes(command[0] as string))
      assert.ok(!(await isChanging([...command, '--dry-run'])), `${command.join(' ')} --dry-run`);
  }
  for (const command of [
    ['backup', 'folder'],
    ['blocked'],
    ['check'],
    ['config'],
    ['duplicates', '--json'],
    ['entries', 'artist'],
    ['entry', 'artist', 'Ann'],
    ['entry', 'artist', 'Ann', '--json'],
    ['export'],
    ['find', '--artist', 'Ann'],
    ['history', '1'],
    ['imports'],
    ['restore', 'backup', '--check'],
    ['stats'],
    ['studio', 'password', 'anna'],
    ['token', 'list'],
    ['trash', '--json'],
  ])
    assert.ok(!(await isChanging(command)), command.join(' '));
});

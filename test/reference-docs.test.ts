/** The tables of parameters, settings and commands in docs/ are complete; `--help` explains options. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Command } from 'commander';
import { routes } from '../src/api/routes.ts';
import { buildProgram } from '../src/cli/program.ts';
import { silentTerminal } from '../src/cli/terminal/terminal.ts';
import { readConfig } from '../src/config/config.ts';

const read = (page: string) => readFileSync(join(import.meta.dirname, '../docs', page), 'utf8');

test('docs/api.md names every parameter', () => {
  const parameters = new Set(routes.flatMap(({ query }) => Object.keys(query.properties)));
  assert.ok(parameters.size > 15);
  const page = read('api.md');
  assert.deepEqual(
    [...parameters].filter((name) => !page.includes(`\`${name}\``)),
    [],
  );
});

test('docs/settings.md explains every setting, and no other one', () => {
  const rows = read('settings.md').matchAll(/^\| (`(?!AWS_)[A-Z].*?) \|.*\|.*\|$/gm);
  const documented = Array.from(rows, ([, names = '']) => names.match(/[A-Z_]+/g) ?? []).flat();
  const settings = Object.keys(readConfig({ DATABASE_URL: 'postgres://localhost/zukan' }).described);
  assert.deepEqual(documented.sort(), settings.sort());
});

test('docs/commands.md names every command', () => {
  const page = read('commands.md');
  const program = buildProgram(() => assert.fail('no command runs'), silentTerminal);
  const commands = listCommands(program, []);
  assert.ok(commands.length > 25);
  assert.deepEqual(
    commands.filter((command) => !new RegExp(`\`${command}[ \`]`).test(page)),
    [],
  );
});

test('--help groups the commands as docs/commands.md does', () => {
  const help = buildProgram(() => assert.fail('no command runs'), silentTerminal).helpInformation();
  const groups = Array.from(help.matchAll(/^([A-Z][\w ,]+):$/gm), ([, group]) => group);
  const sections = Array.from(read('commands.md').matchAll(/^## (.+)$/gm), ([, section]) => section);
  assert.ok(sections.length > 4);
  assert.deepEqual(
    groups.filter((group) => group !== 'Options' && group !== 'Commands'),
    sections.filter((section) => section !== 'On Windows'),
  );
});

function listCommands(command: Command, words: string[]): string[] {
  const isGroup = command.commands.length > 0 && command.options.length === 0;
  return [
    ...(words.length === 0 || isGroup ? [] : [words.join(' ')]),
    ...command.commands.flatMap((child) => listCommands(child, [...words, child.name()])),
  ];
}

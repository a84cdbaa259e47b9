/** Completion in the shells themselves, and the examples of every --help. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Command } from 'commander';
import { buildProgram } from '../../src/cli/program.ts';
import { silentTerminal } from '../../src/cli/terminal/terminal.ts';
import { findProgram, unless } from '../support/servers/needs.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand } from '../support/zukan/program.ts';

const program = buildProgram(() => assert.fail('no command runs'), silentTerminal);
const folder = temporaryFolder();

/** Runs a script in a shell and returns its output as words. */
async function complete(shell: string, run: (script: string) => string): Promise<string[]> {
  const { status, output } = await runCommand(['completion', shell], {});
  assert.equal(status, 0);
  const script = join(folder, `zukan.${shell}`);
  writeFileSync(script, output);
  const flags = { bash: ['--noprofile', '--norc', '-c'], zsh: ['-f', '-c'], fish: ['--no-config', '-c'] }[
    shell
  ];
  const text = execFileSync(shell, [...(flags ?? []), run(script)], { encoding: 'utf8', cwd: folder });
  return text.split(/\s+/).filter(Boolean).sort();
}

/** The words that can follow those before; the last one is being typed. */
const shells: Record<string, (words: string[]) => Promise<string[]>> = {
  bash: (words) =>
    complete(
      'bash',
      (script) =>
        `source ${script}; COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); ` +
        `COMP_CWORD=${words.length - 1}; _zukan; echo "\${COMPREPLY[@]}"; complete -p zukan >/dev/null`,
    ),
  zsh: (words) =>
    complete(
      'zsh',
      (script) =>
        `compdef() {}; _files() {}; _describe() { print -l -- "\${(@)found%%:*}"; }; source ${script}; ` +
        `words=(${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length}; _zukan`,
    ),
  fish: (words) =>
    complete(
      'fish',
      (script) => `source ${script}; complete -C'${words.join(' ')}' | string replace -r '\\t.*' ''; true`,
    ),
};

const names = (commands: readonly Command[]) => commands.map((command) => command.name()).sort();
const tokenCommands = names(program.commands.find((command) => command.name() === 'token')?.commands ?? []);

for (const [shell, follow] of Object.entries(shells)) {
  const skip = unless(findProgram(shell), shell, `install it (on Debian: apt-get install ${shell})`);
  test(`completes commands, options and values in ${shell}`, { skip }, async () => {
    assert.deepEqual(await follow(['zukan', '']), names(program.commands));
    assert.deepEqual(await follow(['zukan', 'token', '']), tokenCommands);
    assert.ok((await follow(['zukan', 'token', 'create', '--'])).includes('--issued-by'));
    assert.ok((await follow(['zukan', 'import', '--'])).includes('--default-rating'));
    const ratings = ['nsfw', 'questionable', 'sfw'];
    assert.deepEqual(await follow(['zukan', 'import', '--default-rating', '']), ratings);
    assert.deepEqual(await follow(['zukan', 'completion', '']), ['bash', 'fish', 'zsh']);
    // File names: the shell's own completion.
    if (shell !== 'fish') assert.deepEqual(await follow(['zukan', 'import', '']), []);
  });
}

test('another shell is a usage error', async () => {
  const { status, errors } = await runCommand(['completion', 'tcsh'], {});
  assert.equal(status, 2);
  assert.match(errors, /Allowed choices are bash, zsh, fish/);
});

test('the help of every command has an example, whose commands and options exist', async () => {
  const check = async (command: Command, words: string[]): Promise<void> => {
    const { status, output } = await runCommand([...words, '--help'], {});
    assert.equal(status, 0);
    assert.ok(output.startsWith(`Usage: zukan ${words.join(' ')} `), output);
    assert.doesNotMatch(output, /default: false/);
    const [, text = ''] = output.split('\nExamples:\n');
    const lines = text.split('\n').filter(Boolean);
    assert.ok(lines.length > 0, `zukan ${words.join(' ')} --help has no example`);
    assert.ok(lines.some((line) => line.includes(`zukan ${words.join(' ')}`)));
    for (const line of lines) assert.doesNotMatch(line, /'|&&|^\s*[A-Z_]+=/, 'fails in cmd or PowerShell');
    for (const line of lines.flatMap((line) => line.split(/\||<\(/))) checkOptions(line);
    for (const child of command.commands) await check(child, [...words, child.name()]);
  };
  for (const command of program.commands) await check(command, [command.name()]);
});

function checkOptions(line: string): void {
  const [, text] = /\bzukan (.*)/.exec(line) ?? [];
  if (text === undefined) return;
  const words = text.split(' ');
  let command: Command = program;
  for (const word of words) command = command.commands.find((child) => child.name() === word) ?? command;
  assert.notEqual(command, program, line);
  for (const option of words.filter((word) => word.startsWith('--')))
    assert.ok(
      command.options.some(({ long }) => long === option),
      `${line}: there is no ${option}`,
    );
}

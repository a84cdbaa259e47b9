/** The commands of access tokens. */
import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { examples } from './terminal/options.ts';
import type { Terminal } from './terminal/terminal.ts';

export function addTokenCommands(program: Command, config: () => Config, terminal: Terminal): void {
  const token = program
    .command('token')
    .description('create, list and revoke access tokens')
    .addHelpText('after', examples('zukan token list'));

  token
    .command('create')
    .description('create a token and print it; it cannot be shown again')
    .requiredOption('--owner <name>', 'who uses it')
    .requiredOption('--purpose <text>', 'what it is for')
    .option(
      '--scope <scope...>',
      'image:list, image:custom-expiry[:<seconds>] or api:ratelimit:disabled; can be repeated',
      [],
    )
    .option('--issued-by <name>', 'who issues it', 'zukan')
    .option('--expires <duration>', 'how long it is valid: a number and s, m, h, d or w', '365d')
    .option('--json', 'print the whole token as JSON', false)
    .addHelpText('after', examples('zukan token create --owner kei --purpose wallpaper --scope image:list'))
    .action(async (options) => (await import('./token.ts')).createToken(config(), options, terminal));

  token
    .command('list')
    .description('list all tokens, without their secrets')
    .option('--json', 'print JSON', false)
    .addHelpText('after', examples('zukan token list --json'))
    .action(async (options) => (await import('./token.ts')).listTokens(config(), options, terminal));

  token
    .command('revoke')
    .description('revoke a token at once')
    .argument('<id>', 'the id that "zukan token list" shows')
    .addHelpText('after', examples('zukan token revoke 6ee4a3a2-9d0b-4a7e-8f0c-2f0f5a1d7c3b'))
    .action(async (id) => (await import('./token.ts')).revokeToken(config(), id, terminal));
}

/** The commands that serve, and those that say who may do what: serve, studio and token. */
import type { Command } from 'commander';
import type { Config } from '../../config/config.ts';
import { examples, parsePort, type Terminal } from '../terminal/terminal.ts';

export function addServingCommands(
  program: Command,
  config: () => Config,
  terminal: Terminal,
  settingsFile: () => string | undefined,
): void {
  program
    .command('serve')
    .description('serve the catalogue until stopped by SIGTERM or Ctrl-C')
    .option('--demo', 'first fill an empty catalogue with the demo', false)
    .option('--watch', 'keep importing the folder of IMPORT_ON_START whenever it changes', false)
    .option('--host <address>', 'listen on this address instead of HOST')
    .option('--port <number>', 'listen on this port instead of PORT; 0 picks a free one', parsePort)
    .addHelpText('after', examples('zukan serve --demo', 'zukan serve --host 0.0.0.0 --port 8080'))
    .action(async (options) => (await import('./serve.ts')).serveCommand(config(), options, settingsFile()));

  const studio = program
    .command('studio')
    .description('open a web page to look after the catalogue, for you alone or for people with a password')
    .option(
      '--host <address>',
      'listen on another address; without --remote, anyone who can reach it can connect, without encryption',
      '127.0.0.1',
    )
    .option(
      '--port <number>',
      'listen on this port instead of the usual one of the catalogue; 0 picks a free one',
      parsePort,
    )
    .option('--remote', 'let people sign in from elsewhere, over HTTPS, with a name and a password', false)
    .option('--certificate <file>', 'with --remote: the certificate, with its chain, as PEM')
    .option('--key <file>', 'with --remote: the private key of the certificate, as PEM')
    .addHelpText(
      'after',
      examples(
        'zukan studio --port 4000',
        'zukan studio password anna',
        'zukan studio --remote --host 0.0.0.0 --port 8443 --certificate cert.pem --key key.pem',
      ),
    )
    .action(async (options) => (await import('./studio.ts')).studioCommand(config(), options, terminal));

  studio
    .command('password')
    .description('set the password of a person who may sign in to a remote studio, and end their sessions')
    .argument('<name>', 'whose password; the history shows the name')
    .option('--remove', 'remove the person instead', false)
    .addHelpText('after', examples('zukan studio password anna', 'zukan studio password anna < password.txt'))
    .action(async (name, options) =>
      (await import('./studio.ts')).passwordCommand(config(), name, options, terminal),
    );

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

#!/usr/bin/env node
/** argv to command. Each command is loaded when it is called, so that none waits for what another needs. */
import { Command, CommanderError } from 'commander';
import { CommandError, UsageError } from './commands/errors.ts';
import { ConfigError, readConfig } from './config/config.ts';
import { version } from './version.ts';

const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;

const program = new Command('zukan')
  .description('A self-hosted image catalogue with a read-only JSON API.')
  .version(`v${version}`)
  .exitOverride()
  .showHelpAfterError('(--help tells more)')
  .addHelpText(
    'after',
    '\nThe environment configures it: "zukan config" shows the variables, docs/configuration.md explains them.',
  );

program
  .command('serve')
  .description('serve the catalogue until told to stop')
  .option('--demo', 'fill an empty catalogue with drawn pictures first', false)
  .action(async (options) => (await import('./commands/serve.ts')).serveCommand(config(), options));

program
  .command('import')
  .description('add or update from catalogue files or folders of pictures, all or nothing')
  .argument('<path...>', 'newline-delimited JSON files, or folders; - reads standard input')
  .option('--dry-run', 'only print what would change', false)
  .option('--quiet', 'show no progress', false)
  .action(async (paths, options) =>
    (await import('./commands/import.ts')).importCommand(config(), paths, options),
  );

program
  .command('export')
  .description('write the whole catalogue as a catalogue file')
  .argument('[file]', 'where to; standard output by default')
  .option('--files <folder>', 'copy the bytes there too, so that the file can be imported anywhere')
  .option('--quiet', 'show no progress', false)
  .action(async (path, options) =>
    (await import('./commands/export.ts')).exportCommand(config(), path, options),
  );

program
  .command('remove')
  .description('take images out at once, and the bytes that no other image uses')
  .argument('<id...>', 'ids of images')
  .action(async (ids) => (await import('./commands/remove.ts')).removeCommand(config(), ids));

program
  .command('check')
  .description(
    'verify the catalogue against itself and the stored bytes; ends with 1 when something is wrong',
  )
  .option('--repair', 'mend what can be mended without losing anything', false)
  .option('--json', 'print JSON', false)
  .option('--quiet', 'show no progress', false)
  .action(async (options) => (await import('./commands/check.ts')).checkCommand(config(), options));

program
  .command('stats')
  .description('show what is in the catalogue')
  .option('--json', 'print JSON', false)
  .action(async (options) => (await import('./commands/stats.ts')).statsCommand(config(), options));

const token = program.command('token').description('make, list and revoke access tokens');

token
  .command('create')
  .description('print a new token, which is shown only this once')
  .requiredOption('--owner <name>', 'who uses it')
  .requiredOption('--purpose <text>', 'what for')
  .option(
    '--scope <scope...>',
    'image:list, image:custom-expiry[:<seconds>] or api:ratelimit:disabled; may be repeated',
    [],
  )
  .option('--issued-by <name>', 'who gave it out', 'zukan')
  .option('--expires <duration>', 'how long it is valid: a number and s, m, h, d or w', '365d')
  .option('--json', 'print the whole record', false)
  .action(async (options) => (await import('./commands/token.ts')).createToken(config(), options));

token
  .command('list')
  .description('all tokens by id, never the secret')
  .option('--json', 'print JSON', false)
  .action(async (options) => (await import('./commands/token.ts')).listTokens(config(), options));

token
  .command('revoke')
  .description('make a token invalid at once')
  .argument('<id>', 'as "zukan token list" shows it')
  .action(async (id) => (await import('./commands/token.ts')).revokeToken(config(), id));

program
  .command('config')
  .description('show the configuration in effect, secrets masked')
  .option('--json', 'print JSON', false)
  .action(async (options) => (await import('./commands/config.ts')).showConfig(config(), options));

function config() {
  return readConfig(process.env);
}

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

/** Tells the person what went wrong, and gives the exit status. */
function report(error: unknown): number {
  // Commander has written its own message already; --help and --version come this way too.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  if (error instanceof ConfigError) {
    console.error(`zukan: the configuration is wrong\n${error.message}`);
    return EXIT_USAGE;
  }
  const isExpected = error instanceof CommandError;
  console.error(
    `zukan: ${isExpected || process.env.LOG_LEVEL !== 'debug' ? (error as Error).message : (error as Error).stack}`,
  );
  return error instanceof UsageError ? EXIT_USAGE : EXIT_FAILURE;
}

/** The command line: parses the arguments, runs a command and returns the exit status. */
import { Command, CommanderError, Option } from 'commander';
import { ConfigError, readConfig } from '../config/config.ts';
import { version } from '../lib/version.ts';
import { addMaintenanceCommands } from './maintenance/commands.ts';
import { CommandError, explainError, UsageError } from './terminal/errors.ts';
import { parseKeep } from './terminal/options.ts';
import { type Terminal, watchOutput } from './terminal/terminal.ts';
import { printable } from './terminal/text.ts';

const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;

export async function runProgram(
  parameters: string[],
  environment: NodeJS.ProcessEnv,
  terminal: Terminal,
): Promise<number> {
  const written = watchOutput(terminal);
  try {
    // Also after --help, which ends with an error.
    await buildProgram(environment, terminal).parseAsync(parameters, { from: 'user' }).finally(written);
    return 0;
  } catch (error) {
    return reportError(error, environment, terminal);
  }
}

/** Each action imports its command, so that a command loads only the modules it needs. */
function buildProgram(environment: NodeJS.ProcessEnv, terminal: Terminal): Command {
  const config = () => readConfig(environment);
  const program = new Command('zukan')
    .description('A self-hosted image catalogue with a read-only JSON API.')
    .version(`v${version}`)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
      outputError: (text, write) => write(`${printableUsageError(text.trimEnd())}\n`),
    })
    .showHelpAfterError('(use --help for more information)')
    .addHelpText(
      'after',
      '\nEnvironment variables configure zukan: "zukan config" lists them, docs/configuration.md explains them.',
    );

  program
    .command('serve')
    .description('serve the catalogue until stopped by SIGTERM or Ctrl-C')
    .option('--demo', 'fill an empty catalogue with the demo first', false)
    .option('--watch', 'keep importing the folder of IMPORT_ON_START whenever it changes', false)
    .action(async (options) => (await import('./serving/serve.ts')).serveCommand(config(), options));

  program
    .command('import')
    .description('add or update records from catalogue files or folders of pictures, all or nothing')
    .argument('<path...>', 'newline-delimited JSON files or folders; - reads standard input')
    .option('--dry-run', 'print what would change and change nothing', false)
    .option('--skip-bad', 'skip unreadable pictures, sidecars and invalid records, and list them', false)
    .option('--full', 'also read pictures that did not change since they were imported', false)
    .option('--prune', 'remove images whose files are gone from the folders', false)
    .option('--yes', 'with --prune: remove more than a tenth of the catalogue without asking', false)
    .option('--watch', 'keep running, and import the folders again whenever they change', false)
    .option(
      '--keep-location',
      'keep the location in the metadata of pictures, which everyone can then read',
      false,
    )
    .addOption(
      new Option('--default-rating <rating>', 'rating of new pictures that nothing marks as explicit or safe')
        .choices(['sfw', 'questionable', 'nsfw'])
        .default('sfw'),
    )
    .option('--quiet', 'show no progress', false)
    .action(async (paths, { watch, ...options }) =>
      watch
        ? (await import('./importing/watch.ts')).watchCommand(config(), paths, options, terminal)
        : (await import('./importing/import.ts')).importCommand(config(), paths, options, terminal),
    );

  program
    .command('export')
    .description('write the whole catalogue as a catalogue file')
    .argument('[file]', 'the file to write (default: standard output)')
    .option('--files <folder>', 'also copy the image files there, for an import anywhere')
    .option('--history', 'begin with the change log and the trash, for an import into an empty catalogue')
    .option('--quiet', 'show no progress', false)
    .action(async (path, options) =>
      (await import('./moving/export.ts')).exportCommand(config(), path, options, terminal),
    );

  program
    .command('backup')
    .description(
      'back up the catalogue, pictures, tokens and link keys; adds only what changed since the last time',
    )
    .argument('<folder>', 'a new or empty folder, or that of an earlier backup')
    .option(
      '--keep <number>',
      'how many generations the folder keeps, as before by default, one at first',
      parseKeep,
    )
    .option('--quiet', 'show no progress', false)
    .action(async (path, options) =>
      (await import('./moving/backup.ts')).backupCommand(config(), path, options, terminal),
    );

  program
    .command('restore')
    .description('restore a backup into an empty catalogue, all or nothing')
    .argument('<folder>', 'the folder of the backup')
    .option(
      '--check',
      'only verify the backup, and list older generations; exits with 1 if it is damaged',
      false,
    )
    .option(
      '--generation <time>',
      'the newest one that was made then, such as 2026-01-31, instead of the newest',
    )
    .option('--quiet', 'show no progress', false)
    .action(async (path, options) =>
      (await import('./moving/restore.ts')).restoreCommand(config, path, options, terminal),
    );

  addMaintenanceCommands(program, config, terminal);

  program
    .command('thumbnails')
    .description('make missing thumbnails, and remove those of sizes that THUMBNAILS no longer names')
    .option('--dry-run', 'count the images and change nothing', false)
    .option('--quiet', 'show no progress', false)
    .action(async (options) =>
      (await import('./maintenance/thumbnails.ts')).thumbnailsCommand(config(), options, terminal),
    );

  program
    .command('check')
    .description('verify the catalogue and the stored files; exits with 1 if it finds a problem')
    .option('--repair', 'repair what can be repaired without losing data', false)
    .option('--json', 'print JSON', false)
    .option('--quiet', 'show no progress', false)
    .action(async (options) =>
      (await import('./maintenance/check.ts')).checkCommand(config(), options, terminal),
    );

  program
    .command('duplicates')
    .description('list groups of images that look alike')
    .option('--json', 'print JSON', false)
    .action(async (options) =>
      (await import('./maintenance/duplicates.ts')).duplicatesCommand(config(), options, terminal),
    );

  program
    .command('stats')
    .description('count the images, artists, characters and categories')
    .option('--json', 'print JSON', false)
    .action(async (options) =>
      (await import('./maintenance/stats.ts')).statsCommand(config(), options, terminal),
    );

  const token = program.command('token').description('create, list and revoke access tokens');

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
    .action(async (options) => (await import('./token.ts')).createToken(config(), options, terminal));

  token
    .command('list')
    .description('list all tokens, without their secrets')
    .option('--json', 'print JSON', false)
    .action(async (options) => (await import('./token.ts')).listTokens(config(), options, terminal));

  token
    .command('revoke')
    .description('revoke a token at once')
    .argument('<id>', 'the id that "zukan token list" shows')
    .action(async (id) => (await import('./token.ts')).revokeToken(config(), id, terminal));

  program
    .command('config')
    .description('show the configuration in effect, with secrets masked')
    .option('--json', 'print JSON', false)
    .action(async (options) => (await import('./config.ts')).configCommand(config(), options, terminal));

  return program;
}

/** Prints the error and returns the exit status. */
function reportError(error: unknown, environment: NodeJS.ProcessEnv, { stderr }: Terminal): number {
  // Commander has already printed its message. --help and --version end here too.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  if (error instanceof ConfigError) {
    stderr.write(printableLines(`zukan: invalid configuration\n${error.message}\n`));
    return EXIT_USAGE;
  }
  if (error instanceof CommandError) stderr.write(`zukan: ${error.message}\n`);
  else {
    stderr.write(`zukan: ${printable(explainError(error as Error, readConfig(environment)))}\n`);
    if (environment.LOG_LEVEL === 'debug') stderr.write(printableLines(`${(error as Error).stack}\n`));
  }
  return error instanceof UsageError ? EXIT_USAGE : EXIT_FAILURE;
}

/** Commander's message repeats the arguments, and may suggest an option on a second line. */
function printableUsageError(text: string): string {
  return text
    .split(/\n(?=\(Did you mean )/)
    .map(printable)
    .join('\n');
}

/** For text that consists of several lines. */
function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

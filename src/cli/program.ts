/** The command line: parses the arguments, runs a command and returns the exit status. */
import { Argument, Command, CommanderError, Option } from 'commander';
import { type Config, ConfigError, type Environment, readConfig } from '../config/config.ts';
import { readSettings, type Settings } from '../config/environment.ts';
import { version } from '../lib/version.ts';
import { addFolderOptions, checkImportOptions } from './importing/options.ts';
import { addMaintenanceCommands } from './maintenance/commands.ts';
import { CommandError, explainError, UsageError } from './terminal/errors.ts';
import { examples, parseKeep } from './terminal/options.ts';
import { type Terminal, watchOutput } from './terminal/terminal.ts';
import { printable } from './terminal/text.ts';
import { addTokenCommands } from './token-commands.ts';

const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;

export async function runProgram(
  parameters: string[],
  environment: NodeJS.ProcessEnv,
  terminal: Terminal,
  folder = '',
): Promise<number> {
  const written = watchOutput(terminal);
  let read: Settings | undefined;
  // Only by commands that need it: --help works with any configuration.
  const settings = (file: string | undefined) => {
    if (read) return read;
    read = readSettings(environment, file, folder);
    for (const line of read.warnings) terminal.stderr.write(`warning: ${printable(line)}\n`);
    return read;
  };
  try {
    // Also after --help, which ends with an error.
    await buildProgram(settings, terminal).parseAsync(parameters, { from: 'user' }).finally(written);
    return 0;
  } catch (error) {
    return reportError(error, read?.environment ?? environment, terminal);
  }
}

/** Each action imports its command, so that a command loads only the modules it needs. */
export function buildProgram(
  readFile: (settingsFile: string | undefined) => Settings,
  terminal: Terminal,
): Command {
  const settings = () => readFile(program.opts().settings);
  const config = (): Config => readConfig(settings().environment, checkImportOptions);
  const program = new Command('zukan')
    .description('A self-hosted image catalogue with a read-only JSON API.')
    .version(`v${version}`)
    .option('--settings <file>', 'read settings that are no environment variables from this file')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
      outputError: (text, write) => write(`${printableUsageError(text.trimEnd())}\n`),
    })
    .showHelpAfterError('(use --help for more information)')
    .addHelpText(
      'after',
      '\nEnvironment variables, and the file of --settings or ZUKAN_SETTINGS, configure zukan:\n' +
        '"zukan config" lists them, docs/settings.md explains them.',
    );

  program.hook('preAction', async (_, command) => {
    const { changesCatalogue, migrateFirst } = await import('./migrating.ts');
    if (changesCatalogue(command)) await migrateFirst(config(), terminal);
  });

  program
    .command('serve')
    .description('serve the catalogue until stopped by SIGTERM or Ctrl-C')
    .option('--demo', 'first fill an empty catalogue with the demo', false)
    .option('--watch', 'keep importing the folder of IMPORT_ON_START whenever it changes', false)
    .option('--host <address>', 'listen on this address instead of HOST')
    .option('--port <number>', 'listen on this port instead of PORT; 0 picks a free one')
    .addHelpText('after', examples('zukan serve --demo', 'zukan serve --host 0.0.0.0 --port 8080'))
    .action(async (options) =>
      (await import('./serving/serve.ts')).serveCommand(config(), options, settings().file),
    );

  const importing = program
    .command('import')
    .description('add or update records from catalogue files or folders of pictures, all or nothing')
    .argument('<path...>', 'newline-delimited JSON files or folders; - reads standard input')
    .option('--dry-run', 'print what would change and change nothing', false)
    .option('--skip-bad', 'leave out invalid lines of catalogue files, too, and list them', false)
    .option('--strict', 'read everything first, and import nothing if anything cannot be read', false)
    .option('--full', 'also read pictures that did not change since they were imported', false)
    .option('--watch', 'keep running, and import the folders again whenever they change', false)
    .option('--quiet', 'show no progress', false);
  addFolderOptions(importing)
    .addHelpText('after', examples('zukan import pictures/', 'zukan import --watch pictures/'))
    .action(async (paths, { watch, ...options }) =>
      watch
        ? (await import('./importing/watch.ts')).watchCommand(config(), paths, options, terminal)
        : (await import('./importing/import.ts')).importCommand(config(), paths, options, terminal),
    );

  program
    .command('export')
    .description('write the whole catalogue as a catalogue file')
    .argument('[file]', 'the file to write; - or nothing is standard output')
    .option('--files <folder>', 'also copy the image files there, for an import anywhere')
    .option('--history', 'begin with the change log and the trash, for an import into an empty catalogue')
    .option('--quiet', 'show no progress', false)
    .addHelpText('after', examples('zukan export catalogue.ndjson --files exported', 'zukan export - | gzip'))
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
    .option('--yes', 'drop more than a tenth of the pictures, and tokens, that the folder has', false)
    .option('--quiet', 'show no progress', false)
    .addHelpText('after', examples('zukan backup /mnt/backup/zukan'))
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
    .addHelpText('after', examples('zukan restore --check /mnt/backup/zukan'))
    .action(async (path, options) =>
      (await import('./moving/restore.ts')).restoreCommand(config, path, options, terminal),
    );

  program
    .command('adopt')
    .description('make the files of another catalogue those of this one, before an import that moves it here')
    .addHelpText('after', examples('zukan adopt'))
    .action(async () => (await import('./moving/adopt.ts')).adoptCommand(config(), terminal));

  addMaintenanceCommands(program, config, terminal);

  program
    .command('migrate')
    .description('upgrade the catalogue of an older version, which cannot read it afterwards')
    .addHelpText('after', examples('zukan migrate'))
    .action(async () => (await import('./migrating.ts')).migrateCommand(config(), terminal));

  program
    .command('thumbnails')
    .description('make missing thumbnails, and remove those of sizes that THUMBNAILS no longer names')
    .option('--dry-run', 'count the images and change nothing', false)
    .option('--quiet', 'show no progress', false)
    .addHelpText('after', examples('zukan thumbnails --dry-run'))
    .action(async (options) =>
      (await import('./maintenance/thumbnails.ts')).thumbnailsCommand(config(), options, terminal),
    );

  program
    .command('check')
    .description('verify the catalogue and the stored files; exits with 1 if it finds a problem')
    .option('--repair', 'repair what can be repaired without losing data', false)
    .option(
      '--yes',
      'with --repair: remove more than a tenth of the stored pictures if no image uses them',
      false,
    )
    .option('--json', 'print JSON', false)
    .option('--quiet', 'show no progress', false)
    .addHelpText('after', examples('zukan check --repair'))
    .action(async (options) =>
      (await import('./maintenance/check.ts')).checkCommand(config(), options, terminal),
    );

  program
    .command('duplicates')
    .description('list groups of images that look alike, or keep one of each')
    .addOption(
      new Option(
        '--keep <which>',
        'keep this one of each group, give it the fields of the others, and move them to the trash',
      ).choices(['largest', 'oldest']),
    )
    .option('--dry-run', 'with --keep: print what would change and change nothing', false)
    .option('--json', 'print JSON', false)
    .addHelpText('after', examples('zukan duplicates --json', 'zukan duplicates --keep largest --dry-run'))
    .action(async (options) =>
      (await import('./maintenance/duplicates.ts')).duplicatesCommand(config(), options, terminal),
    );

  program
    .command('stats')
    .description('count the images, artists, characters and categories')
    .option('--json', 'print JSON', false)
    .addHelpText('after', examples('zukan stats --json'))
    .action(async (options) =>
      (await import('./maintenance/stats.ts')).statsCommand(config(), options, terminal),
    );

  addTokenCommands(program, config, terminal);

  program
    .command('config')
    .description('show the configuration in effect and where each value comes from, with secrets masked')
    .option('--json', 'print JSON', false)
    .addHelpText('after', examples('zukan config', 'zukan config --json'))
    .action(async (options) =>
      (await import('./config.ts')).configCommand(config(), settings().originOf, options, terminal),
    );

  program
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', examples('source <(zukan completion bash)', 'zukan completion fish | source'))
    .action(async (shell) => (await import('./completion.ts')).completionCommand(program, shell, terminal));

  return program;
}

/** Prints the error and returns the exit status. */
function reportError(error: unknown, environment: Environment, { stderr }: Terminal): number {
  // Commander has already printed its message. --help and --version end here too.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  if (error instanceof ConfigError) {
    stderr.write(printableLines(`zukan: invalid configuration\n${error.message}\n`));
    return EXIT_USAGE;
  }
  if (error instanceof CommandError) stderr.write(`zukan: ${error.message}\n`);
  else if ((error as NodeJS.ErrnoException).syscall === 'uv_cwd')
    stderr.write('zukan: the current folder no longer exists; change to another one\n');
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

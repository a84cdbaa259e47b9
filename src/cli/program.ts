/** The command line: parses the arguments, runs a command and returns the exit status. */
import { Argument, Command, CommanderError, Help } from 'commander';
import { type Config, ConfigError, type Environment, readConfig } from '../config/config.ts';
import { readSettings, type Settings } from '../config/environment.ts';
import { version } from '../lib/version.ts';
import { addImportCommand } from './importing/commands.ts';
import { checkImportOptions } from './importing/options.ts';
import { addCheckCommands, addMaintenanceCommands } from './maintenance/commands.ts';
import { addMovingCommands } from './moving/commands.ts';
import { addServingCommands } from './serving/commands.ts';
import {
  CommandError,
  examples,
  explainError,
  printable,
  type Terminal,
  UsageError,
  watchOutput,
} from './terminal/terminal.ts';

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
    .configureHelp({
      showGlobalOptions: true,
      // That a flag is off unless it is given says nothing.
      optionDescription: (option) =>
        option.defaultValue === false ? option.description : new Help().optionDescription(option),
    })
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

  program.commandsGroup('Serve:');
  addServingCommands(program, config, terminal, () => settings().file);

  program
    .command('config')
    .description('show the configuration in effect and where each value comes from, with secrets masked')
    .option('--json', 'print JSON', false)
    .addHelpText('after', examples('zukan config', 'zukan config --json'))
    .action(async (options) =>
      (await import('./maintenance/overview.ts')).configCommand(
        config(),
        settings().originOf,
        options,
        terminal,
      ),
    );

  program.commandsGroup('Import:');
  addImportCommand(program, config, terminal);
  program.commandsGroup('Look after pictures:');
  addMaintenanceCommands(program, config, terminal);
  program.commandsGroup('Back up, move and repair:');
  addMovingCommands(program, config, terminal);
  addCheckCommands(program, config, terminal);

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

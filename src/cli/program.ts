/** The command line: parses the arguments, runs a command and returns the exit status. */
import { Argument, Command, CommanderError, Help, type Option } from 'commander';
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
  warnOn,
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
    for (const line of read.warnings) warnOn(terminal)(line);
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
  let onMigration: Config['onMigration'];
  const config = (): Config => ({ ...readConfig(settings().environment, checkImportOptions), onMigration });
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
    const { announceMigration, changesCatalogue } = await import('./migrating.ts');
    if (changesCatalogue(command)) onMigration = announceMigration(terminal);
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
    .action((shell) => completionCommand(program, shell, terminal));

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

// `zukan completion`: prints a script that completes commands, options and their values. It is made from the commands themselves.

type Shell = 'bash' | 'zsh' | 'fish';

/** What can follow a command. */
interface Place {
  /** The words after `zukan`, such as `token create`. */
  words: string[];
  command: Command;
  options: Option[];
  /** Commands inside it, or the values of its first argument; empty: file names if it takes an argument. */
  values: { name: string; description: string }[];
}

function completionCommand(program: Command, shell: Shell, { stdout }: Terminal): void {
  const places = listPlaces(program, []);
  stdout.write({ bash, zsh, fish }[shell](places));
}

function listPlaces(command: Command, words: string[]): Place[] {
  const help = command.createHelp();
  const inside = help.visibleCommands(command).filter((child) => child.name() !== 'help');
  const choices = command.registeredArguments[0]?.argChoices ?? [];
  const place: Place = {
    words,
    command,
    options: [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)],
    values: [
      ...inside.map((child) => ({ name: child.name(), description: child.description() })),
      ...choices.map((name) => ({ name, description: '' })),
    ],
  };
  return [place, ...inside.flatMap((child) => listPlaces(child, [...words, child.name()]))];
}

const takesArgument = ({ command }: Place) => command.registeredArguments.length > 0;
const takesValue = ({ required, optional }: Option) => required || optional;
/** Short flags need no completion. */
const flagsOf = ({ long }: Option) => (long === undefined ? [] : [long]);
const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
/** A pattern of `case`: the place, and a flag there. */
const at = ({ words }: Place, ...more: string[]) => quote([...words, ...more].join(' '));

/** Walks along the words of the line, for shells like sh, and then assigns what can follow at the place where they lead. */
function walk(words: string, places: Place[], assign: (place: Place) => string): string {
  const known = places.slice(1).map((place) => at(place));
  const follow = places.map((place) => `    ${at(place)}) ${assign(place)} ;;`);
  return `  for word in "\${${words}}"; do
    case "\${place:+$place }$word" in
    ${known.join('|')}) place="\${place:+$place }$word" ;;
    esac
  done
  case "$place" in
${follow.join('\n')}
  esac`;
}

/** Assigns the values of the option before the word, for shells like sh. */
function chooseValues(word: string, places: Place[], assign: (choices: readonly string[]) => string): string {
  const values = places.flatMap((place) =>
    place.options
      .filter(takesValue)
      .flatMap((option) =>
        flagsOf(option).map((flag) => `    ${at(place, flag)}) ${assign(option.argChoices ?? [])} ;;`),
      ),
  );
  return `  case "\${place:+$place }\${${word}}" in
${values.join('\n')}
  esac`;
}

function bash(places: Place[]): string {
  const assign = (place: Place) => {
    const flags = place.options.flatMap(flagsOf).join(' ');
    const names = place.values.map(({ name }) => name).join(' ');
    return `flags=${quote(flags)} words=${quote(names || (takesArgument(place) ? '' : flags))}`;
  };
  return `# Completion of zukan for bash: source <(zukan completion bash)
_zukan() {
  local current=\${COMP_WORDS[COMP_CWORD]} place= flags= words= word
${walk('COMP_WORDS[@]:1:COMP_CWORD-1', places, assign)}
  [[ $current == -* ]] && words=$flags
${chooseValues('COMP_WORDS[COMP_CWORD-1]', places, (choices) => `words=${quote(choices.join(' '))}`)}
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _zukan zukan
`;
}

function zsh(places: Place[]): string {
  // A colon separates the word from its description.
  const described = (name: string, description: string) =>
    quote(`${name.replaceAll(':', '\\:')}${description && `:${description}`}`);
  const assign = (place: Place) => {
    const flags = place.options.flatMap((option) =>
      flagsOf(option).map((flag) => described(flag, option.description)),
    );
    const names = place.values.map(({ name, description }) => described(name, description));
    const others = names.length > 0 ? names.join(' ') : takesArgument(place) ? '' : '$flags';
    return `flags=(${flags.join(' ')}); found=(${others})`;
  };
  return `#compdef zukan
# Completion of zukan for zsh: source <(zukan completion zsh)
_zukan() {
  local place= word
  local -a flags found
${walk('(@)words[2,CURRENT-1]', places, assign)}
  [[ \${words[CURRENT]} == -* ]] && found=($flags)
${chooseValues('words[CURRENT-1]', places, (choices) => `found=(${choices.map(quote).join(' ')})`)}
  if (( \${#found} )); then _describe zukan found; else _files; fi
}
if [[ \${funcstack[1]} == _zukan ]]; then _zukan "$@"; else compdef _zukan zukan; fi
`;
}

function fish(places: Place[]): string {
  const text = (value: string) => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = places.flatMap((place) => {
    const seen = place.words.map((word) => `__fish_seen_subcommand_from ${word}`);
    const inside = place.command.commands.map((child) => child.name());
    const notInside = inside.length > 0 ? [`not __fish_seen_subcommand_from ${inside.join(' ')}`] : [];
    const start = `complete -c zukan -n ${text([...seen, ...notInside].join('; and ') || 'true')}`;
    return [
      ...(takesArgument(place) && place.values.length === 0 ? [] : [`${start} -f`]),
      ...place.values.map(({ name, description }) => `${start} -a ${name} -d ${text(description)}`),
      ...place.options.map((option) => {
        const choices = option.argChoices ? ` -x -a ${text(option.argChoices.join(' '))}` : ' -r';
        return `${start} -l ${option.long?.slice(2)}${takesValue(option) ? choices : ''} -d ${text(option.description)}`;
      }),
    ];
  });
  return `# Completion of zukan for fish: zukan completion fish | source\n${lines.join('\n')}\n`;
}

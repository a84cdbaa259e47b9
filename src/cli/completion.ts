/** `zukan completion`: prints a script that completes commands, options and their values. It is made from the commands themselves. */
import type { Command, Option } from 'commander';
import type { Terminal } from './terminal/terminal.ts';

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

export function completionCommand(program: Command, shell: Shell, { stdout }: Terminal): void {
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

/** A `case` that walks along the words of the line, for shells like sh. */
const walk = (places: Place[]) =>
  places
    .slice(1)
    .map((place) => at(place))
    .join('|');

/** The branches of a `case` for the values of options. */
function listValues(places: Place[], assign: (choices: readonly string[]) => string): string[] {
  return places.flatMap((place) =>
    place.options
      .filter(takesValue)
      .flatMap((option) =>
        flagsOf(option).map((flag) => `    ${at(place, flag)}) ${assign(option.argChoices ?? [])} ;;`),
      ),
  );
}

function bash(places: Place[]): string {
  const values = listValues(places, (choices) => `words=${quote(choices.join(' '))}`);
  const follow = places.map((place) => {
    const flags = place.options.flatMap(flagsOf).join(' ');
    const names = place.values.map(({ name }) => name).join(' ');
    const words = names || (takesArgument(place) ? '' : flags);
    return `    ${at(place)}) flags=${quote(flags)} words=${quote(words)} ;;`;
  });
  return `# Completion of zukan for bash: source <(zukan completion bash)
_zukan() {
  local current=\${COMP_WORDS[COMP_CWORD]} place= flags= words= word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${place:+$place }$word" in
    ${walk(places)}) place="\${place:+$place }$word" ;;
    esac
  done
  case "$place" in
${follow.join('\n')}
  esac
  [[ $current == -* ]] && words=$flags
  case "\${place:+$place }\${COMP_WORDS[COMP_CWORD-1]}" in
${values.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _zukan zukan
`;
}

function zsh(places: Place[]): string {
  // A colon separates the word from its description.
  const described = (name: string, description: string) =>
    quote(`${name.replaceAll(':', '\\:')}${description && `:${description}`}`);
  const values = listValues(places, (choices) => `found=(${choices.map(quote).join(' ')})`);
  const follow = places.map((place) => {
    const flags = place.options.flatMap((option) =>
      flagsOf(option).map((flag) => described(flag, option.description)),
    );
    const names = place.values.map(({ name, description }) => described(name, description));
    const others = names.length > 0 ? names.join(' ') : takesArgument(place) ? '' : '$flags';
    return `    ${at(place)}) flags=(${flags.join(' ')}); found=(${others}) ;;`;
  });
  return `#compdef zukan
# Completion of zukan for zsh: source <(zukan completion zsh)
_zukan() {
  local place= word
  local -a flags found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${place:+$place }$word" in
    ${walk(places)}) place="\${place:+$place }$word" ;;
    esac
  done
  case "$place" in
${follow.join('\n')}
  esac
  [[ \${words[CURRENT]} == -* ]] && found=($flags)
  case "\${place:+$place }\${words[CURRENT-1]}" in
${values.join('\n')}
  esac
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

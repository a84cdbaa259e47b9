/** The options of `zukan import`. Those that say how a folder is imported are also the ones of IMPORT_OPTIONS. */
import { relative, sep } from 'node:path';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { RATINGS } from '../../catalogue/schemas.ts';
import { type ChosenFolder, FOLDER_RULES, type FolderChoice } from '../../catalogue/writer.ts';
import { checkRules, parseRule } from '../../import/sources/files.ts';
import type { FolderCategories } from '../../import/sources/walk.ts';
import { UsageError } from '../terminal/terminal.ts';

export function addFolderOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--default-rating <rating>',
        'rating of new pictures that nothing marks as explicit or safe (default: DEFAULT_RATING)',
      ).choices(RATINGS),
    )
    .option(
      '--folder-categories <which>',
      'the folders that are categories: all, meaningful (leaves out names such as Camera and New Folder), last, none, or how many from the first one on (default: meaningful)',
      parseFolderCategories,
    )
    .addOption(
      new Option(
        '--albums-from <what>',
        'folders: each folder with pictures becomes an album (default: none)',
      ).choices(['folders', 'none']),
    )
    .option(
      '--keep-location',
      'keep the location in the metadata of pictures, which everyone can then read',
      false,
    )
    .option(
      '--exclude <glob>',
      'ignore these files and folders, as a line of .zukanignore; can be repeated',
      collect,
    )
    .option('--no-exclude', 'ignore no longer what was excluded before')
    .option('--prune', 'remove images whose files are gone from the folders', false)
    .option('--verbose', 'list everything in the summary, however much it is', false)
    .option('--yes', 'with --prune: remove more than a tenth of the catalogue without asking', false);
}

function parseFolderCategories(text: string): FolderCategories {
  const rule = FOLDER_RULES.find((name) => name === text);
  if (rule) return rule;
  if (/^[1-9]\d?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be all, meaningful, last, none, or a number from 1 to 99.');
}

function collect(glob: string, before: string[] | false | undefined): string[] {
  const globs = [...(before || []), glob];
  try {
    checkRules(globs.map((line) => parseRule(line)));
    return globs;
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

type Flags = Partial<Record<'yes' | 'prune' | 'skipBad' | 'strict', boolean>>;

export function checkFlags({ yes, prune, skipBad, strict }: Flags): void {
  if (yes && !prune) throw new UsageError('--yes confirms what --prune removes; add --prune');
  if (strict && skipBad) throw new UsageError('--strict and --skip-bad cannot be combined');
}

/** Throws an error that says what is wrong with IMPORT_OPTIONS. */
export function checkImportOptions(words: string[]): void {
  const command = addFolderOptions(new Command())
    .helpOption(false)
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ outputError: () => {} });
  try {
    checkFlags(command.parse(words, { from: 'user' }).opts());
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    throw new Error(error.message.replace(/^error: /, '').split('\n')[0]);
  }
}

// What an operator chooses for a folder stays chosen for its next imports. Pure.

/** `exclude` is false if nothing is excluded any more. */
export type ChoiceFlags = Omit<FolderChoice, 'exclude'> & { exclude?: string[] | false };

/** What was chosen before, and what the command line chooses instead. */
export function choose(before: FolderChoice, flags: ChoiceFlags): FolderChoice {
  const names = ['folderCategories', 'exclude', 'defaultRating', 'albumsFrom'] as const;
  const chosen = names.map((name) => [name, flags[name] ?? before[name]] as const);
  return Object.fromEntries(chosen.filter(([, choice]) => choice)) as FolderChoice;
}

/** What was chosen for a folder, as it is for one in it: exclusions and categories that count from there begin further down. */
export function choiceInside({ folder: around, choice }: ChosenFolder, folder: string): FolderChoice {
  if (folder === around) return choice;
  const names = relative(around, folder).split(sep);
  const inside = { ...choice };
  if (typeof inside.folderCategories === 'number')
    inside.folderCategories = Math.max(0, inside.folderCategories - names.length) || 'none';
  const way = `${names.join('/')}/`;
  if (inside.exclude)
    inside.exclude = inside.exclude.map((glob) => {
      const [, negation = '', path = ''] = /^(!?)\/?(.*)$/s.exec(glob) ?? [];
      return path.startsWith(way) ? `${negation}/${path.slice(way.length)}` : glob;
    });
  return inside;
}

export function isSameChoice(one: FolderChoice, other: FolderChoice): boolean {
  // In the order of `choose`.
  return JSON.stringify(choose(one, {})) === JSON.stringify(choose(other, {}));
}

/** The options that an import uses because they were chosen before, as one would type them. */
export function describeKept(before: FolderChoice, flags: ChoiceFlags): string {
  const { folderCategories, exclude = [], defaultRating, albumsFrom } = before;
  const words: string[] = [];
  const isDefault = folderCategories === undefined || folderCategories === 'meaningful';
  if (!isDefault && flags.folderCategories === undefined)
    words.push(`--folder-categories ${folderCategories}`);
  if (flags.exclude === undefined) words.push(...exclude.map((glob) => `--exclude '${glob}'`));
  if (defaultRating !== undefined && flags.defaultRating === undefined)
    words.push(`--default-rating ${defaultRating}`);
  if (albumsFrom !== undefined && flags.albumsFrom === undefined) words.push(`--albums-from ${albumsFrom}`);
  return words.join(' ');
}

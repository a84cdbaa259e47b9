/**
 * Commands that change the catalogue first upgrade one that an older version made, and say so. Those that only read never do,
 * because the older version could not read it afterwards; they refuse.
 */
import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { migrateCatalogue, openSnapshot } from '../server/engines.ts';
import { printLine, type Terminal } from './terminal/terminal.ts';

/** Which of its calls change the catalogue, apart from dry runs. `serve` sees to itself. */
const changing: Record<string, (isGiven: (...options: string[]) => boolean, command: Command) => boolean> = {
  check: (isGiven) => isGiven('repair'),
  create: () => true,
  duplicates: (isGiven) => isGiven('keep'),
  edit: () => true,
  entry: (isGiven, { options }) =>
    options.some((option) => option.attributeName() !== 'json' && isGiven(option.attributeName())),
  import: () => true,
  remove: () => true,
  restore: (isGiven) => !isGiven('check'),
  revoke: () => true,
  studio: () => true,
  thumbnails: () => true,
  trash: (isGiven, { args }) =>
    args.length > 0 || isGiven('artist', 'character', 'category', 'restore', 'empty', 'acceptClock'),
  undo: () => true,
};

export function changesCatalogue(command: Command): boolean {
  const isGiven = (...options: string[]) =>
    options.some((option) => command.getOptionValueSource(option) === 'cli');
  return !isGiven('dryRun') && (changing[command.name()]?.(isGiven, command) ?? false);
}

/** Returns whether there was anything to do. */
export async function migrateFirst(config: Config, { stderr }: Pick<Terminal, 'stderr'>): Promise<boolean> {
  let isOld = false;
  // The catalogue and the tokens have files of their own.
  await migrateCatalogue(config, () => {
    if (isOld) return;
    isOld = true;
    stderr.write('migrating the catalogue of an older version, which cannot read it afterwards\n');
  });
  return isOld;
}

export async function migrateCommand(config: Config, terminal: Terminal): Promise<void> {
  const isOld = await migrateFirst(config, terminal);
  // Fails if there is no catalogue.
  await (await openSnapshot(config))[Symbol.asyncDispose]();
  printLine(terminal, isOld ? 'migrated the catalogue' : 'the catalogue is of this version already');
}

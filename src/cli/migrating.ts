/**
 * Commands that change the catalogue upgrade one that an older version made when they open it, and say so. Those that only read
 * never do, because the older version could not read it afterwards; they refuse.
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

/** For `onMigration`. Says it once: the catalogue and the tokens have files of their own. */
export function announceMigration({ stderr }: Pick<Terminal, 'stderr'>): () => void {
  let isKnown = false;
  return () => {
    if (isKnown) return;
    isKnown = true;
    stderr.write('migrating the catalogue of an older version, which cannot read it afterwards\n');
  };
}

export async function migrateCommand(config: Config, terminal: Terminal): Promise<void> {
  let isOld = false;
  const announce = announceMigration(terminal);
  await migrateCatalogue(config, () => {
    isOld = true;
    announce();
  });
  // Fails if there is no catalogue.
  await (await openSnapshot(config))[Symbol.asyncDispose]();
  printLine(terminal, isOld ? 'migrated the catalogue' : 'the catalogue is of this version already');
}

/** The command import. */
import type { Command } from 'commander';
import type { Config } from '../../config/config.ts';
import { examples, type Terminal } from '../terminal/terminal.ts';
import { addFolderOptions } from './options.ts';

export function addImportCommand(program: Command, config: () => Config, terminal: Terminal): void {
  const importing = program
    .command('import')
    .description(
      'add or update pictures and entries from catalogue files or folders of pictures, all or nothing',
    )
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
        ? (await import('./watch.ts')).watchCommand(config(), paths, options, terminal)
        : (await import('./import.ts')).importCommand(config(), paths, options, terminal),
    );
}

/** The commands that move a whole catalogue: export, backup, restore, adopt and migrate. */
import type { Command } from 'commander';
import type { Config } from '../../config/config.ts';
import { examples, parseKeep, type Terminal } from '../terminal/terminal.ts';

export function addMovingCommands(program: Command, config: () => Config, terminal: Terminal): void {
  program
    .command('export')
    .description('write the whole catalogue as a catalogue file')
    .argument('[file]', 'the file to write; - or nothing is standard output')
    .option('--files <folder>', 'also copy the image files there, for an import anywhere')
    .option('--history', 'begin with the change log and the trash, for an import into an empty catalogue')
    .option('--quiet', 'show no progress', false)
    .addHelpText('after', examples('zukan export catalogue.ndjson --files exported', 'zukan export - | gzip'))
    .action(async (path, options) =>
      (await import('./copies.ts')).exportCommand(config(), path, options, terminal),
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
      (await import('./copies.ts')).backupCommand(config(), path, options, terminal),
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
      (await import('./copies.ts')).restoreCommand(config, path, options, terminal),
    );

  program
    .command('adopt')
    .description('make the files of another catalogue those of this one, before an import that moves it here')
    .addHelpText('after', examples('zukan adopt'))
    .action(async () => (await import('./copies.ts')).adoptCommand(config(), terminal));

  program
    .command('migrate')
    .description('upgrade the catalogue of an older version, which cannot read it afterwards')
    .addHelpText('after', examples('zukan migrate'))
    .action(async () => (await import('../migrating.ts')).migrateCommand(config(), terminal));
}

/** The commands that look after the images and entries of a catalogue: find, edit, entry, entries, remove, history, undo, trash, imports and studio. */
import type { Command } from 'commander';
import { EDITABLE_FIELDS } from '../../catalogue/documents/edit-image.ts';
import type { Config } from '../../config/config.ts';
import { ratingOption, repeatable } from '../terminal/options.ts';
import type { Terminal } from '../terminal/terminal.ts';

export function addMaintenanceCommands(program: Command, config: () => Config, terminal: Terminal): void {
  program
    .command('find')
    .description('list images, newest first: ids on a pipe, a table on a terminal')
    .addOption(repeatable('--category <name|id>', 'in this category'))
    .addOption(repeatable('--exclude <name|id>', 'not in this category'))
    .option('--artist <name|id>', 'by this artist')
    .option('--character <name|id>', 'showing this character')
    .addOption(ratingOption('with this rating'))
    .option('--since <date>', 'created on this date or later')
    .option('--title <text>', 'with this text in the title')
    .option('--file <glob>', "from this file, such as 'IMG_2*.jpg' or 'holidays/**/*.png'")
    .option('--edited', 'with fields that were changed by hand', false)
    .option('--limit <number>', 'at most this many')
    .option('--json', 'print JSON', false)
    .action(async (options) => (await import('./find.ts')).findCommand(config(), options, terminal));

  program
    .command('edit')
    .description('change images; imports of folders keep what was changed')
    .argument('<id...>', 'ids of images; - reads them from standard input')
    .addOption(ratingOption('the rating'))
    .addOption(repeatable('--add-category <name|id>', 'add to this category'))
    .addOption(repeatable('--remove-category <name|id>', 'remove from this category'))
    .addOption(repeatable('--add-character <name|id>', 'add this character'))
    .addOption(repeatable('--remove-character <name|id>', 'remove this character'))
    .option('--artist <name|id>', 'the artist; Unknown for none')
    .option('--title <text>', "the title; '' for none")
    .option('--description <text>', "the description; '' for none")
    .option(
      '--taken-at <date>',
      "when it was taken or published, such as 2026-01-31T12:00:00+01:00; '' if unknown",
    )
    .option('--source-name <text>', 'the name of the source')
    .option('--source-url <url>', 'the URL of the source')
    .addOption(
      repeatable(
        '--reset <field>',
        `let imports of folders change it again: ${EDITABLE_FIELDS.join(', ')} or all`,
      ),
    )
    .option('--create', 'create the named entries that do not exist', false)
    .option('--dry-run', 'print what would change and change nothing', false)
    .action(async (ids, options) =>
      (await import('./edit.ts')).editCommand(config(), ids, options, terminal),
    );

  program
    .command('entry')
    .description('show, change, merge or remove an artist, category or character')
    .argument('<kind>', 'artist, category or character')
    .argument(
      '[name|id...]',
      'its name, an alias or its id; several with --remove, where - reads standard input',
    )
    .option('--name <name>', 'rename it; the old name stays an alias')
    .option('--url <url>', 'of an artist')
    .option('--description <text>', 'of a category or character')
    .option('--nsfw <true|false>', 'whether a category is for adults')
    .option('--source <text>', 'the work that a character comes from')
    .option('--gender <text>', 'of a character')
    .addOption(repeatable('--age <number>', 'of a character'))
    .option('--birth-date <text>', 'of a character')
    .option('--nationality <text>', 'of a character')
    .addOption(repeatable('--occupation <text>', 'of a character'))
    .addOption(repeatable('--add-alias <name>', 'another name for it'))
    .addOption(repeatable('--remove-alias <name>', 'remove this alias'))
    .option('--merge-into <name|id>', 'give its images and names to another entry, and remove it')
    .option('--create', 'create it')
    .option('--remove', 'remove it from the catalogue and all images')
    .option('--remove-empty', 'remove all entries of the kind that no image has')
    .option('--block', 'imports do not create the name again; with --remove, nor its aliases')
    .option('--unblock', 'allow a blocked name again')
    .option('--dry-run', 'print what would change and change nothing')
    .option('--json', 'print JSON when showing it')
    .action(async (kind, references, options) =>
      (await import('./entry.ts')).entryCommand(config(), kind, references, options, terminal),
    );

  program
    .command('entries')
    .description('list artists, categories or characters: ids on a pipe, a table on a terminal')
    .argument('<kind>', 'artist, category or character')
    .option('--empty', 'only those that no image has', false)
    .option('--json', 'print JSON', false)
    .action(async (kind, options) =>
      (await import('./entries.ts')).entriesCommand(config(), kind, options, terminal),
    );

  program
    .command('remove')
    .description('take images down: remove them and their files at once and for good')
    .argument('[id...]', 'ids of images; - reads them from standard input')
    .option('--artist <name|id>', 'all images by this artist')
    .option('--character <name|id>', 'all images of this character')
    .option('--category <name|id>', 'all images in this category')
    .option('--reason <text>', 'why; an import that skips the picture shows it', '')
    .option(
      '--allow-again',
      'let imports add the same pictures again; takes ids of removed images, too',
      false,
    )
    .option('--dry-run', 'print what would be removed and change nothing', false)
    .action(async (ids, options) =>
      (await import('./remove.ts')).removeCommand(config(), ids, options, terminal),
    );

  program
    .command('history')
    .description('list changes, the newest one first, or show what one changed')
    .argument('[number]', 'the number of a change')
    .option('--image <id>', 'changes of this image')
    .option('--entry <name|id>', 'changes of this artist, category or character')
    .option('--since <date>', 'made on this date or later')
    .option('--limit <number>', 'at most this many (default: 100)')
    .option('--json', 'print JSON', false)
    .action(async (number, options) =>
      (await import('./history.ts')).historyCommand(config(), number, options, terminal),
    );

  program
    .command('undo')
    .description('undo a change; what was changed since stays as it is and is listed')
    .argument('<number>', 'the number that "zukan history" shows')
    .option('--dry-run', 'print what would change and change nothing', false)
    .option('--strict', 'change nothing if something was changed since', false)
    .action(async (number, options) =>
      (await import('./undo.ts')).undoCommand(config(), number, options, terminal),
    );

  program
    .command('trash')
    .description('list the images in the trash, restore some, or delete all of them')
    .option('--restore <id...>', 'put these images back into the catalogue')
    .option('--empty', 'delete all of them for good', false)
    .option('--json', 'print JSON', false)
    .action(async (options) => (await import('./trash.ts')).trashCommand(config(), options, terminal));

  const imports = program
    .command('imports')
    .description('list the last imports and what each changed, or revert one')
    .option('--json', 'print JSON', false)
    .action(async (options) => (await import('./undo.ts')).listImports(config(), options, terminal));

  imports
    .command('revert')
    .description('undo an import: remove the images that it added, and restore what it changed')
    .argument('<id>', 'the id that "zukan imports" shows')
    .option('--dry-run', 'print what would change and change nothing', false)
    .option('--strict', 'change nothing if something was changed since', false)
    .action(async (id, options) =>
      (await import('./undo.ts')).revertCommand(config(), id, options, terminal),
    );

  program
    .command('studio')
    .description('open a web page to look after the catalogue, for you alone')
    .option(
      '--host <address>',
      'listen on another address; anyone who can reach it can connect, without encryption',
      '127.0.0.1',
    )
    .option('--port <number>', 'the port to listen on; 0 picks a free one', '0')
    .action(async (options) =>
      (await import('../serving/studio.ts')).studioCommand(config(), options, terminal),
    );
}

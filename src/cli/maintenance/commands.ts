/** The commands that look after the images and entries of a catalogue: find, edit, entry, entries, history, undo, imports and studio. */
import type { Command } from 'commander';
import { EDITABLE_FIELDS } from '../../catalogue/documents/edit-image.ts';
import type { Config } from '../../config/config.ts';
import { examples, ratingOption, repeatable } from '../terminal/options.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { addRemovalCommands } from './removal-commands.ts';

export function addMaintenanceCommands(program: Command, config: () => Config, terminal: Terminal): void {
  program
    .command('find')
    .description('list images, newest first: ids on a pipe, a table on a terminal')
    .addOption(repeatable('--category <name|id>', 'in this category'))
    .addOption(repeatable('--exclude <name|id>', 'not in this category'))
    .option('--artist <name|id>', 'by this artist')
    .option('--character <name|id>', 'showing this character')
    .option('--album <name|id>', 'in this album')
    .addOption(ratingOption('with this rating'))
    .option('--since <date>', 'created on this date or later')
    .option('--title <text>', 'with this text in the title')
    .option('--file <glob>', "from this file, such as 'IMG_2*.jpg' or 'holidays/**/*.png'")
    .option('--like <picture>', 'that look like the picture of this file, nearest first')
    .option('--edited', 'with fields that were changed by hand', false)
    .option('--changed-since-rated', 'whose files changed since somebody rated them by hand', false)
    .option('--limit <number>', 'at most this many')
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      examples(
        'zukan find --category fox --rating sfw',
        'zukan find --artist Kei | zukan edit - --rating questionable',
      ),
    )
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
    .addOption(repeatable('--add-album <name|id>', 'add to the end of this album'))
    .addOption(repeatable('--remove-album <name|id>', 'remove from this album'))
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
    .addHelpText(
      'after',
      examples('zukan edit 3e9f2a0c-6c1b-4d1e-9a7f-0d5c8b2e4f61 --add-category fox --create'),
    )
    .action(async (ids, options) =>
      (await import('./edit.ts')).editCommand(config(), ids, options, terminal),
    );

  program
    .command('entry')
    .description('show, change, merge or remove an artist, category, character or album')
    .argument('<kind>', 'artist, category, character or album')
    .argument(
      '[name|id...]',
      'its name, an alias or its id; several with --remove, where - reads standard input',
    )
    .option('--name <name>', 'rename it; the old name stays an alias')
    .option('--url <url>', 'of an artist')
    .option('--description <text>', 'of a category, character or album')
    .option('--nsfw <true|false>', 'whether a category is for adults')
    .option('--source <text>', 'the work that a character comes from')
    .option('--gender <text>', 'of a character')
    .addOption(repeatable('--age <number>', 'of a character'))
    .option('--birth-date <text>', 'of a character')
    .option('--nationality <text>', 'of a character')
    .addOption(repeatable('--occupation <text>', 'of a character'))
    .option('--images <id...>', 'the images of an album, in this order; - reads the ids from standard input')
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
    .addHelpText(
      'after',
      examples(
        'zukan entry category kitsune --name fox',
        'zukan entry artist Kei --merge-into "Kei Mori" --dry-run',
        'zukan entry character --remove-empty',
        'zukan find --category beach | zukan entry album "Summer 2026" --create --images -',
      ),
    )
    .action(async (kind, references, options) =>
      (await import('./entry.ts')).entryCommand(config(), kind, references, options, terminal),
    );

  program
    .command('entries')
    .description('list artists, categories, characters or albums: ids on a pipe, a table on a terminal')
    .argument('<kind>', 'artist, category, character or album')
    .option('--empty', 'only those that no image has', false)
    .option('--json', 'print JSON', false)
    .addHelpText('after', examples('zukan entries artist', 'zukan entries category --empty --json'))
    .action(async (kind, options) =>
      (await import('./entries.ts')).entriesCommand(config(), kind, options, terminal),
    );

  addRemovalCommands(program, config, terminal);

  program
    .command('blocked')
    .description('list the names that imports of folders leave out, or whose pictures they skip')
    .option('--json', 'print JSON', false)
    .addHelpText('after', examples('zukan blocked', 'zukan entry artist Kei --unblock'))
    .action(async (options) => (await import('./blocked.ts')).blockedCommand(config(), options, terminal));

  program
    .command('history')
    .description('list changes, the newest one first, or show what one changed')
    .argument('[number]', 'the number of a change')
    .option('--image <id>', 'changes of this image')
    .option('--entry <name|id>', 'changes of this artist, category, character or album')
    .option('--since <date>', 'made on this date or later')
    .option('--limit <number>', 'at most this many (default: 100)')
    .option('--json', 'print JSON', false)
    .addHelpText('after', examples('zukan history --since 2026-01-31', 'zukan history 12 --json'))
    .action(async (number, options) =>
      (await import('./history.ts')).historyCommand(config(), number, options, terminal),
    );

  program
    .command('undo')
    .description('undo a change; what was changed since stays as it is and is listed')
    .argument('<number>', 'the number that "zukan history" shows')
    .option('--dry-run', 'print what would change and change nothing', false)
    .option('--strict', 'change nothing if something was changed since', false)
    .addHelpText('after', examples('zukan undo 12 --dry-run'))
    .action(async (number, options) =>
      (await import('./undo.ts')).undoCommand(config(), number, options, terminal),
    );

  program
    .command('imports')
    .description('list the last imports and what each changed; "zukan undo" undoes one')
    .option('--json', 'print JSON', false)
    .addHelpText('after', examples('zukan imports --json'))
    .action(async (options) => (await import('./undo.ts')).listImports(config(), options, terminal));

  const studio = program
    .command('studio')
    .description('open a web page to look after the catalogue, for you alone or for people with a password')
    .option(
      '--host <address>',
      'listen on another address; without --remote, anyone who can reach it can connect, without encryption',
      '127.0.0.1',
    )
    .option(
      '--port <number>',
      'listen on this port instead of the usual one of the catalogue; 0 picks a free one',
    )
    .option('--remote', 'let people sign in from elsewhere, over HTTPS, with a name and a password', false)
    .option('--certificate <file>', 'with --remote: the certificate, with its chain, as PEM')
    .option('--key <file>', 'with --remote: the private key of the certificate, as PEM')
    .addHelpText(
      'after',
      examples(
        'zukan studio --port 4000',
        'zukan studio password anna',
        'zukan studio --remote --host 0.0.0.0 --port 8443 --certificate cert.pem --key key.pem',
      ),
    )
    .action(async (options) =>
      (await import('../serving/studio.ts')).studioCommand(config(), options, terminal),
    );

  studio
    .command('password')
    .description('set the password of a person who may sign in to a remote studio, and end their sessions')
    .argument('<name>', 'whose password; the history shows the name')
    .option('--remove', 'remove the person instead', false)
    .addHelpText('after', examples('zukan studio password anna', 'zukan studio password anna < password.txt'))
    .action(async (name, options) =>
      (await import('../serving/studio-password.ts')).passwordCommand(config(), name, options, terminal),
    );
}

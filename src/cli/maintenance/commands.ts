/** The commands that look after the images and entries of a catalogue. */
import { type Command, Option } from 'commander';
import { EDITABLE_FIELDS } from '../../catalogue/documents/edit-image.ts';
import type { Config } from '../../config/config.ts';
import {
  examples,
  parseLimit,
  parseTime,
  ratingOption,
  repeatable,
  type Terminal,
} from '../terminal/terminal.ts';

/** Those that compare the catalogue with its files. */
export function addCheckCommands(program: Command, config: () => Config, terminal: Terminal): void {
  program
    .command('thumbnails')
    .description('make missing thumbnails, and remove those of sizes that THUMBNAILS no longer names')
    .option('--dry-run', 'count the images and change nothing', false)
    .option('--quiet', 'show no progress', false)
    .addHelpText('after', examples('zukan thumbnails --dry-run'))
    .action(async (options) => (await import('./check.ts')).thumbnailsCommand(config(), options, terminal));

  program
    .command('check')
    .description('verify the catalogue and the stored files; exits with 1 if it finds a problem')
    .option('--repair', 'repair what can be repaired without losing data', false)
    .option(
      '--yes',
      'with --repair: remove more than a tenth of the stored pictures if no image uses them',
      false,
    )
    .option('--json', 'print JSON', false)
    .option('--quiet', 'show no progress', false)
    .addHelpText('after', examples('zukan check --repair'))
    .action(async (options) => (await import('./check.ts')).checkCommand(config(), options, terminal));
}

export function addMaintenanceCommands(program: Command, config: () => Config, terminal: Terminal): void {
  program
    .command('duplicates')
    .description('list groups of images that look alike, or keep one of each')
    .addOption(
      new Option(
        '--keep <which>',
        'keep this one of each group, give it the fields of the others, and move them to the trash',
      ).choices(['largest', 'oldest']),
    )
    .option('--dry-run', 'with --keep: print what would change and change nothing', false)
    .option('--json', 'print JSON', false)
    .addHelpText('after', examples('zukan duplicates --json', 'zukan duplicates --keep largest --dry-run'))
    .action(async (options) => (await import('./images.ts')).duplicatesCommand(config(), options, terminal));

  program
    .command('stats')
    .description('count the images, artists, characters and categories')
    .option('--json', 'print JSON', false)
    .addHelpText('after', examples('zukan stats --json'))
    .action(async (options) => (await import('./overview.ts')).statsCommand(config(), options, terminal));

  program
    .command('find')
    .description('list images, newest first: ids on a pipe, a table on a terminal')
    .argument('[text]', "what every image must be about, such as 'fox -night', as in the gallery")
    .addOption(repeatable('--category <name|id>', 'in this category'))
    .addOption(repeatable('--exclude <name|id>', 'not in this category'))
    .option('--artist <name|id>', 'by this artist')
    .option('--character <name|id>', 'showing this character')
    .option('--album <name|id>', 'in this album')
    .addOption(ratingOption('with this rating'))
    .option('--since <date>', 'created on this date or later', parseTime)
    .option('--title <text>', 'with this text in the title')
    .option('--file <glob>', "from this file, such as 'IMG_2*.jpg' or 'holidays/**/*.png'")
    .option('--like <picture>', 'that look like the picture of this file, nearest first')
    .option('--edited', 'with fields that were changed by hand', false)
    .option('--not-rated', 'that nobody rated by hand', false)
    .option('--changed-since-rated', 'whose files changed since somebody rated them by hand', false)
    .option('--limit <number>', 'at most this many', parseLimit)
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      examples(
        'zukan find "fox -night"',
        'zukan find --category fox --rating sfw',
        'zukan find --artist Kei | zukan edit - --rating questionable',
      ),
    )
    .action(async (text, options) =>
      (await import('./images.ts')).findCommand(config(), text, options, terminal),
    );

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
    .option('--licence <licence>', "a name such as CC BY 4.0, an address or name=address; '' for none")
    .option('--credit <text>', "whom to credit; '' for none")
    .option('--alt <text>', "what it shows, for those who do not see it; '' for none")
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
      (await import('./images.ts')).editCommand(config(), ids, options, terminal),
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
    .option(
      '--licence <licence>',
      "of an artist's images that state none; a name, an address or name=address",
    )
    .option('--credit <text>', "of an artist's images that state none")
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
      (await import('./entries.ts')).entryCommand(config(), kind, references, options, terminal),
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

  program
    .command('blocked')
    .description('list the names that imports of folders leave out, or whose pictures they skip')
    .option('--json', 'print JSON', false)
    .addHelpText('after', examples('zukan blocked', 'zukan entry artist Kei --unblock'))
    .action(async (options) => (await import('./overview.ts')).blockedCommand(config(), options, terminal));

  program
    .command('history')
    .description('list changes, the newest one first, or show what one changed')
    .argument('[number]', 'the number of a change')
    .option('--image <id>', 'changes of this image')
    .option('--entry <name|id>', 'changes of this artist, category, character or album')
    .option('--since <date>', 'made on this date or later', parseTime)
    .option('--limit <number>', 'at most this many (default: 100)', parseLimit)
    .option('--json', 'print JSON', false)
    .addHelpText('after', examples('zukan history --since 2026-01-31', 'zukan history 12 --json'))
    .action(async (number, options) =>
      (await import('./history.ts')).historyCommand(config(), number, options, terminal),
    );

  program
    .command('undo')
    .description('undo a change; what was changed since stays as it is and is listed')
    .argument('<number>', 'the number that "zukan history" shows, or the range of one line')
    .option('--dry-run', 'print what would change and change nothing', false)
    .option('--strict', 'change nothing if something was changed since', false)
    .addHelpText('after', examples('zukan undo 12 --dry-run'))
    .action(async (number, options) =>
      (await import('./history.ts')).undoCommand(config(), number, options, terminal),
    );

  program
    .command('imports')
    .description('list the last imports and what each changed; "zukan undo" undoes one')
    .option('--json', 'print JSON', false)
    .showHelpAfterError('("zukan undo <number>" undoes an import)')
    .addHelpText('after', examples('zukan imports --json'))
    .action(async (options) => (await import('./history.ts')).listImports(config(), options, terminal));

  addTargets(program.command('trash'))
    .description('move images to the trash; list those that it has, restore some, or delete all of them')
    .option('--restore <id...>', 'put these images back, or the former files of images that got another one')
    .option('--empty', 'delete all that the trash has for good', false)
    .option('--accept-clock', 'after a jump of the clock: delete what is too old by its present time', false)
    .option('--dry-run', 'print what would change and change nothing', false)
    .option('--yes', 'do not ask before anything is deleted for good', false)
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      examples(
        'zukan find --category kimono --rating nsfw | zukan trash -',
        'zukan trash --restore 3e9f2a0c-6c1b-4d1e-9a7f-0d5c8b2e4f61',
      ),
    )
    .action(async (ids, options) =>
      (await import('./remove.ts')).trashCommand(config(), ids, options, terminal),
    );

  addTargets(program.command('remove'))
    .description('take images down: remove them and their files at once and for good')
    .option('--reason <text>', 'why; an import that skips the picture shows it', '')
    .option('--block', 'also remove the artist or character; imports skip their pictures from now on', false)
    .option(
      '--allow-again',
      'let imports add the same pictures again; takes ids of removed images, too',
      false,
    )
    .option('--dry-run', 'print what would be removed and change nothing', false)
    .option('--yes', 'do not ask', false)
    .addHelpText('after', examples('zukan remove --artist Kei --block --reason "the artist asked" --dry-run'))
    .action(async (ids, options) =>
      (await import('./remove.ts')).removeCommand(config(), ids, options, terminal),
    );
}

/** Which images to remove. */
function addTargets(command: Command): Command {
  return command
    .argument('[id...]', 'ids of images; - reads them from standard input')
    .option('--artist <name|id>', 'all images by this artist')
    .option('--character <name|id>', 'all images of this character')
    .option('--category <name|id>', 'all images in this category');
}

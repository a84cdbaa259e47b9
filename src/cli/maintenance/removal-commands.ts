/** The commands that remove images: trash and remove. */
import type { Command } from 'commander';
import type { Config } from '../../config/config.ts';
import { examples } from '../terminal/options.ts';
import type { Terminal } from '../terminal/terminal.ts';

export function addRemovalCommands(program: Command, config: () => Config, terminal: Terminal): void {
  addTargets(program.command('trash'))
    .description('move images to the trash; list those that it has, restore some, or delete all of them')
    .option('--restore <id...>', 'put these images back into the catalogue')
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
      (await import('./trash.ts')).trashCommand(config(), ids, options, terminal),
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

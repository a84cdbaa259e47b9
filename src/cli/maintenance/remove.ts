/** `zukan remove`: removes images at once, and the files that no other image uses. */
import { availableParallelism } from 'node:os';
import type { MentionedKind } from '../../catalogue/types.ts';
import { type RemovalTarget, removeImages } from '../../changes/remove-images.ts';
import type { Config } from '../../config/config.ts';
import { openFiles, openSnapshot } from '../../server/engines.ts';
import { CommandError, listenForInterrupt, UsageError } from '../terminal/errors.ts';
import { printLine, printLines, type Terminal } from '../terminal/terminal.ts';
import { count } from '../terminal/text.ts';
import { writersFor } from '../writer.ts';
import { readIds } from './image-ids.ts';

export interface RemoveFlags {
  artist?: string;
  character?: string;
  category?: string;
  reason: string;
  block: boolean;
  allowAgain: boolean;
  dryRun: boolean;
}

const kinds: MentionedKind[] = ['artist', 'category', 'character'];

export async function removeCommand(
  config: Config,
  parameters: string[],
  flags: RemoveFlags,
  terminal: Terminal,
): Promise<void> {
  const target = await readTarget(parameters, flags, terminal);
  const { reason, block, allowAgain, dryRun } = flags;
  // After the commit the signal has no effect, so that the files are removed too.
  using interrupt = listenForInterrupt('interrupted; nothing was removed');
  const { images, allowed, blocked, removeFiles } = await removeImages(target, {
    files: openFiles(config),
    openWriter: writersFor(config, terminal),
    openSnapshot: () => openSnapshot(config),
    concurrency: 2 * availableParallelism(),
    now: new Date().toISOString(),
    reason,
    allowAgain,
    blocks: block,
    isDryRun: dryRun,
    toTrash: false,
    signal: interrupt.signal,
  });
  const removed = count(images.length, 'image');
  if (dryRun) {
    const result = `dry run, nothing was changed; ${removed} would be removed`;
    printLines(terminal, images.length > 0 ? [`${result}:`, ...images] : [result]);
    if (block) printLine(terminal, `would block ${quoteAll(blocked)}`);
    return;
  }
  const files = await removeFiles().catch((error) => {
    throw new CommandError(
      `removed ${removed}, but not the files: ${error.message}; "zukan check --repair" removes them`,
    );
  });
  if (images.length > 0 || allowed === 0)
    printLine(terminal, `removed ${removed} and ${count(files, 'file')}`);
  if (block) printLine(terminal, `blocked ${quoteAll(blocked)}; imports of folders skip their pictures`);
  if (allowed > 0) printLine(terminal, `${count(allowed, 'image')} removed before can be imported again`);
}

const quoteAll = (names: string[]) => names.map((name) => `"${name}"`).join(', ');

async function readTarget(
  parameters: string[],
  flags: RemoveFlags,
  terminal: Terminal,
): Promise<RemovalTarget> {
  const named = kinds.filter((kind) => flags[kind] !== undefined);
  const [kind] = named;
  if (flags.block && kind === 'category')
    throw new UsageError(
      '--block is for --artist and --character; "zukan entry category <name> --remove --block" blocks a category',
    );
  if (flags.block && (kind === undefined || flags.allowAgain))
    throw new UsageError('--block needs --artist or --character, and cannot be combined with --allow-again');
  // Whether several mean all of them or what they share is anyone's guess, and wrong guesses cannot be undone.
  if (named.length + (parameters.length > 0 ? 1 : 0) !== 1)
    throw new UsageError(
      'name either ids, or one of --artist, --character and --category; "zukan find … | zukan remove -" combines them',
    );
  return kind ? { kind, reference: flags[kind] as string } : { ids: await readIds(parameters, terminal) };
}

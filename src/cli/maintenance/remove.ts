/** `zukan remove`: takes images down at once and for good, with the files that no other image uses. */
import { availableParallelism } from 'node:os';
import { removeImages } from '../../changes/remove.ts';
import type { Config } from '../../config/config.ts';
import { openFiles, openSnapshot } from '../../server/engines.ts';
import { confirm } from '../terminal/ask.ts';
import { CommandError, listenForInterrupt, UsageError } from '../terminal/errors.ts';
import { printLine, printLines, type Terminal } from '../terminal/terminal.ts';
import { count } from '../terminal/text.ts';
import { writersFor } from '../writer.ts';
import { countTarget, namedKinds, readTarget, type TargetFlags } from './removal-target.ts';

export interface RemoveFlags extends TargetFlags {
  reason: string;
  block: boolean;
  allowAgain: boolean;
  dryRun: boolean;
  yes?: boolean;
}

export async function removeCommand(
  config: Config,
  parameters: string[],
  flags: RemoveFlags,
  terminal: Terminal,
): Promise<void> {
  const { reason, block, allowAgain, dryRun } = flags;
  const [kind] = namedKinds(flags);
  if (block && kind === 'category')
    throw new UsageError(
      '--block is for --artist and --character; "zukan entry category <name> --remove --block" blocks a category',
    );
  if (block && (kind === undefined || allowAgain))
    throw new UsageError('--block needs --artist or --character, and cannot be combined with --allow-again');
  const target = await readTarget(parameters, flags, terminal);
  // After the commit the signal has no effect, so that the files are removed too.
  using interrupt = listenForInterrupt('interrupted; nothing was removed');
  const found = dryRun ? 0 : await countTarget(config, target);
  if (found > 0)
    await confirm(
      `This removes ${count(found, 'image')} for good; "zukan trash" keeps them for a while.`,
      flags,
      terminal,
    );
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

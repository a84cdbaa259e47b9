/** `zukan thumbnails`: makes missing thumbnails, and removes those of sizes that are no longer configured. */
import { availableParallelism } from 'node:os';
import type { Config } from '../../config/config.ts';
import { findOutdated, updateThumbnails } from '../../import/apply/update-thumbnails.ts';
import { openFiles, openSnapshot } from '../../server/engines.ts';
import { list } from '../importing/list.ts';
import { CommandError, listenForInterrupt } from '../terminal/errors.ts';
import { noProgress, type Progress, startProgress } from '../terminal/interaction.ts';
import { printLine, type Terminal, warnOn } from '../terminal/terminal.ts';
import { count } from '../terminal/text.ts';
import { writersFor } from '../writer.ts';

export interface ThumbnailsFlags {
  dryRun: boolean;
  quiet: boolean;
}

export async function thumbnailsCommand(
  config: Config,
  { dryRun, quiet }: ThumbnailsFlags,
  terminal: Terminal,
): Promise<void> {
  const ids = await findOutdated(() => openSnapshot(config), config.thumbnails);
  if (dryRun) {
    printLine(terminal, `dry run, nothing was changed; ${count(ids.length, 'image')} would be updated`);
    return;
  }
  using interrupt = listenForInterrupt('interrupted; run "zukan thumbnails" again to continue');
  const progress = quiet ? noProgress : startProgress('Making thumbnails', ids.length, terminal);
  const problems = await makeThumbnails(config, ids, progress, interrupt.signal, terminal);
  printLine(terminal, `updated the thumbnails of ${count(ids.length - problems.length, 'image')}`);
  if (problems.length > 0)
    throw new CommandError(...list(`${count(problems.length, 'image')} could not be updated`, problems));
}

/** Makes the thumbnails of these images, whether they have them or not. Returns what went wrong, as sentences. */
export async function makeThumbnails(
  config: Config,
  ids: string[],
  progress: Progress,
  signal: AbortSignal,
  terminal: Terminal,
): Promise<string[]> {
  try {
    return await updateThumbnails(ids, {
      files: openFiles(config),
      openWriter: writersFor(config, terminal),
      openSnapshot: () => openSnapshot(config),
      thumbnailSizes: config.thumbnails,
      concurrency: 2 * availableParallelism(),
      isDryRun: false,
      signal,
      warn: warnOn(terminal),
      onImage: progress.advance,
    });
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    progress.finish();
  }
}

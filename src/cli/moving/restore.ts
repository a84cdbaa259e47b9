/** `zukan restore`: fills an empty catalogue from a backup, or verifies a backup with --check. */
import { resolve } from 'node:path';
import { findManifest, findOlder } from '../../backup/generations.ts';
import { Backup } from '../../backup/read.ts';
import { InvalidBackup, NotEmpty, restoreBackup, verifyBackup } from '../../backup/restore.ts';
import type { Config } from '../../config/config.ts';
import { addLinkKeys } from '../../config/link-keys.ts';
import { findOutdated } from '../../import/apply/update-thumbnails.ts';
import { type Problem, RecordError } from '../../import/records/problems.ts';
import { newId } from '../../lib/random.ts';
import { createCatalogue, openFiles, openSnapshot, openStore } from '../../server/engines.ts';
import { list } from '../importing/list.ts';
import { CommandError, listenForInterrupt } from '../terminal/errors.ts';
import { noProgress, type Progress, startProgress } from '../terminal/interaction.ts';
import { announceCreated, printLine, printLines, type Terminal, warnOn } from '../terminal/terminal.ts';
import { count } from '../terminal/text.ts';
import { writersFor } from '../writer.ts';

export interface RestoreFlags {
  check: boolean;
  /** The time of a generation, or how it begins. Without it, the newest. */
  generation?: string;
  quiet: boolean;
}

export async function restoreCommand(
  config: () => Config,
  path: string,
  { check, generation, quiet }: RestoreFlags,
  terminal: Terminal,
): Promise<void> {
  const folder = resolve(path);
  const message = check ? 'interrupted' : 'interrupted; nothing was restored';
  using interrupt = listenForInterrupt(message);
  const { signal } = interrupt;
  try {
    const backup = await Backup.open(folder, generation);
    const { images, tokens, trash } = backup.manifest.counts;
    const contents = `${count(images, 'image')} and ${count(tokens, 'token')} of ${backup.manifest.createdAt}`;
    const run = (title: string, work: (onImage: () => void) => Promise<void>) =>
      withProgress(quiet ? noProgress : startProgress(title, images + trash, terminal), work);
    if (check) {
      await run('Checking', async (onImage) => report(await verifyBackup(backup, { onImage, signal })));
      printLine(terminal, `the backup is complete: ${contents}`);
      printLines(terminal, list('older generations', await olderTimes(folder)));
      return;
    }
    const target = config();
    const notes: string[] = [];
    await run('Restoring', (onImage) => restore(backup, target, terminal, signal, onImage, notes));
    printLines(terminal, [`restored ${contents}`, ...notes]);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof InvalidBackup) report(error.problems);
    if (error instanceof NotEmpty || error instanceof RecordError)
      throw new CommandError(`cannot restore ${folder}: ${error.message}`);
    throw error;
  }

  function report(problems: Problem[]): void {
    if (problems.length === 0) return;
    const lines = problems.map(({ label, reason }) => `${label}: ${reason}`);
    throw new CommandError(`the backup in ${folder} is damaged`, ...lines);
  }
}

async function olderTimes(folder: string): Promise<string[]> {
  const older = await findOlder(folder, await findManifest(folder));
  return older.map(({ createdAt, folder }) => createdAt || `${folder}, whose manifest is damaged`);
}

async function withProgress(progress: Progress, work: (onImage: () => void) => Promise<void>): Promise<void> {
  try {
    await work(() => progress.advance(1));
  } finally {
    progress.finish();
  }
}

/** Adds what the operator has to do to the notes. */
async function restore(
  backup: Backup,
  config: Config,
  terminal: Terminal,
  signal: AbortSignal,
  onImage: () => void,
  notes: string[],
): Promise<void> {
  announceCreated(terminal, await createCatalogue(config, backup.manifest.catalogue));
  await restoreBackup(backup, {
    files: openFiles(config),
    openWriter: writersFor(config, terminal),
    openSnapshot: () => openSnapshot(config),
    addLinkKeys: async (keys) => void notes.push(...(await restoreKeys(config, keys))),
    defaults: { now: new Date().toISOString(), newId: () => newId() },
    onImage,
    warn: warnOn(terminal),
    signal,
  });
  // The embedded store moves the restored tokens when it opens.
  await (await openStore(config))[Symbol.asyncDispose]();
  const outdated = await findOutdated(() => openSnapshot(config), config.thumbnails);
  if (config.thumbnails.length > 0 && outdated.length > 0)
    notes.push(
      `run "zukan thumbnails" to make those of ${count(outdated.length, 'image')}, which the backup lacks`,
    );
}

/** Returns what the operator has to do. */
async function restoreKeys({ linkKeys, dataDir }: Config, keys: string[]): Promise<string[]> {
  if (linkKeys === undefined)
    return (await addLinkKeys(dataDir, keys))
      ? ['restart running servers, so that they use the restored keys']
      : [];
  return keys.every((key) => linkKeys.includes(key))
    ? []
    : ['LINK_KEYS lacks keys of the backup: links and cursors that were signed with them are not valid'];
}

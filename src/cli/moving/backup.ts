/** `zukan backup`: copies everything that is needed to restore the catalogue into a folder. */
import { resolve } from 'node:path';
import { writeBackup } from '../../backup/write.ts';
import type { Config } from '../../config/config.ts';
import { findLinkKeys } from '../../config/link-keys.ts';
import { openFiles, openSnapshot, openStore, requireOwnFiles } from '../../server/engines.ts';
import type { LastBackup } from '../../store/contract/last-backup.ts';
import { CommandError, listenForInterrupt } from '../terminal/errors.ts';
import { noProgress, startProgress } from '../terminal/interaction.ts';
import { printLine, type Terminal } from '../terminal/terminal.ts';
import { count, printable } from '../terminal/text.ts';
import { requireOutside } from './outside-storage.ts';

export async function backupCommand(
  config: Config,
  path: string,
  { quiet, keep, yes }: { quiet: boolean; keep?: number; yes: boolean },
  terminal: Terminal,
): Promise<void> {
  const folder = resolve(path);
  await requireOutside(folder, config);
  using interrupt = listenForInterrupt('interrupted; the backup before is still complete');
  const catalogue = await requireOwnFiles(config);
  const tokens = await readTokens(config);
  const progress = quiet ? noProgress : startProgress('Backing up', undefined, terminal);
  try {
    const { manifest, bytes, addedFiles, removedFiles, generations, doubt } = await writeBackup(folder, {
      catalogue,
      openSnapshot: () => openSnapshot(config),
      files: openFiles(config),
      tokens,
      linkKeys: config.linkKeys ?? findLinkKeys(config.dataDir) ?? [],
      keep,
      isConfirmed: yes,
      createdAt: new Date().toISOString(),
      onImage: () => progress.advance(1),
      signal: interrupt.signal,
    });
    progress.finish();
    const { images } = manifest.counts;
    const files = `${count(addedFiles, 'new file')}, ${removedFiles} removed`;
    printLine(
      terminal,
      `backed up ${count(images, 'image')} and ${count(tokens.length, 'token')} to ${folder} (${files})`,
    );
    if (generations > 1) printLine(terminal, `the folder has ${generations} generations`);
    if (doubt !== undefined) throw new CommandError(`removed nothing from ${folder}: ${doubt}`);
    await record(config, { at: manifest.createdAt, bytes }, terminal);
  } catch (error) {
    progress.finish();
    if (interrupt.signal.aborted) throw interrupt.signal.reason;
    if (error instanceof CommandError) throw error;
    throw new CommandError(`cannot back up to ${folder}: ${(error as Error).message}`);
  }
}

/** For the server, which warns when backups stop. A read-only catalogue can be backed up, too. */
async function record(config: Config, backup: LastBackup, { stderr }: Terminal): Promise<void> {
  try {
    await using store = await openStore(config);
    await store.recordBackup(backup);
  } catch (error) {
    stderr.write(
      `warning: the backup is complete, but the server does not know: ${printable((error as Error).message)}\n`,
    );
  }
}

async function readTokens(config: Config) {
  await using store = await openStore(config);
  return store.tokens.records();
}

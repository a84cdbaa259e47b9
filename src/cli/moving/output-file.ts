/** Writes lines to a file that appears when it is complete. */
import { open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { joinLines } from '../../catalogue/line.ts';
import { makeFolder } from '../../lib/file-system.ts';
import { listenForInterrupt } from '../terminal/interrupt.ts';

/** Writes to a temporary file first: a failed or interrupted command leaves no partial file. */
export async function writeAtomically(path: string, lines: AsyncIterable<string>): Promise<void> {
  using interrupt = listenForInterrupt('interrupted; nothing was exported');
  const { signal } = interrupt;
  const temporary = `${path}.${process.pid}.part`;
  makeFolder(dirname(path));
  await removeAbandoned(path);
  try {
    const file = await open(temporary, 'w');
    await pipeline(joinLines(lines), file.createWriteStream({ flush: true }), { signal });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw signal.aborted ? signal.reason : error;
  }
}

/** Removes the temporary files of killed processes. The name has the process id. */
async function removeAbandoned(path: string): Promise<void> {
  const start = `${basename(path)}.`;
  for (const name of await readdir(dirname(path))) {
    const [, pid] = /^(\d+)\.part$/.exec(name.startsWith(start) ? name.slice(start.length) : '') ?? [];
    if (pid && !isRunning(Number(pid))) await rm(join(dirname(path), name), { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process of another user cannot be signalled.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Temporary folders, removed after the test or when its process ends, even if it is killed. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { after } from 'node:test';

/** On disk, for benchmarks and for programs that run from there. */
export const onDisk = tmpdir();

const MEMORY_FOLDER = '/dev/shm';
const MIN_FREE_BYTES = 4e9;

/** In memory if there is room: the suite creates and removes tens of thousands of files. */
const defaultParent = hasRoom(MEMORY_FOLDER) ? MEMORY_FOLDER : onDisk;

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > MIN_FREE_BYTES;
  } catch {
    return false;
  }
}

export function temporaryFolder(parent = defaultParent): string {
  const folder = newFolder('zukan-test-', parent);
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Creates a folder. The caller removes it; if the process is killed first, the cleaner does. */
export function newFolder(prefix: string, parent = defaultParent): string {
  const folder = mkdtempSync(join(parent, prefix));
  cleaner ??= startCleaner();
  cleaner.write(`${folder}\n`);
  return folder;
}

let cleaner: Writable | undefined;

/** Starts a process that reads folder names until this process ends, and then removes them. It retries while a server still writes. */
function startCleaner(): Writable {
  const script = `while read -r folder; do set -- "$@" "$folder"; done
    for attempt in 1 2 3 4 5; do rm -rf "$@" && break; sleep 1; done`;
  // Detached: Ctrl-C must not reach it.
  const child = spawn('sh', ['-c', script], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  child.unref();
  const input = child.stdin as Writable & { unref(): void };
  input.unref();
  return input;
}

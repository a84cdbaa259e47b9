/** Temporary folders that go away with the test, or with its process, however that ends. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { after } from 'node:test';

/** On the disk, for what is measured or run from there. */
export const onDisk = tmpdir();

const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 4e9;

/** In memory where there is room: the suite makes and removes files by the ten thousand, and waits for no disk there. */
const usual = hasRoom(MEMORY) ? MEMORY : onDisk;

function hasRoom(place: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(place);
    return bavail * bsize > ENOUGH_BYTES;
  } catch {
    return false;
  }
}

export function temporaryFolder(place = usual): string {
  const folder = newFolder('zukan-test-', place);
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A folder that its maker removes; should the process be killed before, it is removed all the same. */
export function newFolder(prefix: string, place = usual): string {
  const folder = mkdtempSync(join(place, prefix));
  heir ??= startHeir();
  heir.write(`${folder}\n`);
  return folder;
}

let heir: Writable | undefined;

/** Reads names of folders until this process is no more, and removes them. A server may still be writing its last. */
function startHeir(): Writable {
  const script = `while read -r folder; do set -- "$@" "$folder"; done
    for attempt in 1 2 3 4 5; do rm -rf "$@" && break; sleep 1; done`;
  // On its own, so that Ctrl-C does not reach it.
  const child = spawn('sh', ['-c', script], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  child.unref();
  const input = child.stdin as Writable & { unref(): void };
  input.unref();
  return input;
}

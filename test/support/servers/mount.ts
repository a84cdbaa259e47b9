/** Small file systems for tests of full and read-only disks. Mounting needs root; without it these tests are skipped. */
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { newFolder, temporaryFolder } from '../workspace.ts';

const mount = (...parameters: string[]) => execFileSync('mount', parameters, { stdio: 'pipe' });
const unmount = (folder: string) => execFileSync('umount', ['--lazy', folder], { stdio: 'pipe' });

/** Mounts a file system of this size in a new folder, until the test ends. */
export function mountSmallDisk(bytes: number): string {
  const disk = mountDisk(bytes);
  after(() => disk[Symbol.dispose]());
  return disk.folder;
}

/** Mounts a file system of this size in a new folder, until it is disposed of. */
export function mountDisk(bytes: number): Disposable & { folder: string } {
  const folder = newFolder('zukan-test-disk-');
  try {
    mount('-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder);
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
  return {
    folder,
    [Symbol.dispose]() {
      unmount(folder);
      rmSync(folder, { recursive: true });
    },
  };
}

/** Leaves no space, until the file `filling` is removed. */
export function fillDisk(folder: string): void {
  const file = openSync(join(folder, 'filling'), 'a');
  try {
    for (;;) writeSync(file, Buffer.alloc(4096));
  } catch {}
  closeSync(file);
}

export function makeReadOnly(folder: string): void {
  mount('-o', 'remount,ro', folder);
}

/** The value for a test's `skip`: false if this process may mount file systems. */
export function unlessMounting(): string | false {
  const folder = temporaryFolder();
  try {
    mount('-t', 'tmpfs', '-o', 'size=4096', 'tmpfs', folder);
    unmount(folder);
    return false;
  } catch {
    const message = 'mounting file systems is not permitted: run this test as root';
    console.error(`\n!!! SKIPPED: ${message}\n`);
    return message;
  }
}

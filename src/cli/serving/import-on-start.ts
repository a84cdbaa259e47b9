/** IMPORT_ON_START: imports while the server already serves, in a process of its own so that no request waits. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { App } from '../../server/app.ts';

export interface StartedImport {
  /** Interrupts the import, which leaves the catalogue as it was, and waits until it has ended. */
  stop(): Promise<void>;
}

/** `path` is a folder or a catalogue file. If the import fails, the server serves what it has. `watch` is for folders. */
export function startImport(path: string, { watch }: { watch: boolean }, log: App['log']): StartedImport {
  let isStopping = false;
  // Its output goes to standard error, because standard output is the log.
  const flags = watch ? ['--watch'] : [];
  const child = spawn(process.execPath, [process.argv[1] as string, 'import', ...flags, path], {
    stdio: ['ignore', 2, 2],
  });
  const ended = once(child, 'exit').then(([status]) => {
    if (isStopping) return;
    if (status === 0) log.info({ path }, 'import finished');
    else log.error({ path, status }, 'import failed; the catalogue is unchanged');
  });
  return {
    async stop() {
      isStopping = true;
      child.kill('SIGTERM');
      await ended;
    },
  };
}

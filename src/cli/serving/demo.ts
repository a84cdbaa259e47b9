/** Starts the process that draws the demo while the server serves. Its own, with a low priority, so that no request waits. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { constants, setPriority } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PLANS } from '../../../demo/pictures.ts';
import type { Config } from '../../config/config.ts';
import type { App } from '../../server/app.ts';
import type { DemoProgress } from '../../server/demo-progress.ts';
import { openStore } from '../../server/engines.ts';

/** The same file is JavaScript in the package. */
const program = fileURLToPath(new URL(`./demo-process${extname(import.meta.url)}`, import.meta.url));

/** Exists as long as a part of the demo is missing. */
export const unfinishedDemo = ({ dataDir }: Config) => join(dataDir, 'demo-unfinished');

export async function needsDemo(config: Config): Promise<boolean> {
  return existsSync(unfinishedDemo(config)) || (await isEmptyCatalogue(config));
}

export async function isEmptyCatalogue(config: Config): Promise<boolean> {
  await using store = await openStore(config);
  const { images, artists, characters, categories } = await store.catalogue.statistics();
  return [images, artists, characters, categories].every(({ count }) => count === 0);
}

interface StartedDemo {
  /** Interrupts it. The next start continues. */
  stop(): Promise<void>;
}

export function startDemo(config: Config, progress: DemoProgress, log: App['log']): StartedDemo {
  let isStopping = false;
  progress.set(0, PLANS.length);
  const child = fork(program, {
    // Its output goes to standard error, because standard output is the log.
    stdio: ['ignore', 2, 2, 'ipc'],
    serialization: 'advanced',
    env: { ...process.env, NODE_COMPILE_CACHE: getCompileCacheDir() ?? '' },
  });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  child.send(config);
  child.on('message', (done: number) => progress.set(done, PLANS.length));
  const ended = once(child, 'exit').then(([status]) => {
    progress.set(0, 0);
    if (isStopping) return;
    if (status === 0) log.info({ pictures: PLANS.length }, 'the demo is complete');
    else log.error({ status }, 'the demo is incomplete; start with --demo again to continue');
  });
  return {
    async stop() {
      isStopping = true;
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

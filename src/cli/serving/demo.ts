/** `zukan serve --demo`: restores the demo into an empty catalogue. It is a backup that zukan comes with. */
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { openSnapshot } from '../../server/engines.ts';
import { silentTerminal } from '../terminal/terminal.ts';

const folder = join(import.meta.dirname, '../../../demo');

/** All of it or nothing, so the next start makes up for one that was interrupted. */
export async function fillWithDemo(config: Config): Promise<void> {
  if (!(await isEmpty(config))) return;
  // Loading it takes 0.2 s of CPU time, which later starts need not spend.
  const { restoreCommand } = await import('../moving/copies.ts');
  const terminal = { ...silentTerminal, stderr: process.stderr };
  await restoreCommand(() => config, folder, { check: false, quiet: true }, terminal).catch(async (error) => {
    // Another instance, or an import, was faster.
    if (await isEmpty(config)) throw error;
  });
}

async function isEmpty(config: Config): Promise<boolean> {
  await using snapshot = await openSnapshot(config);
  return await snapshot.isEmpty();
}

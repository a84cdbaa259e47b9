/** The catalogue that an import changes, or that a dry run only reads. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { sqliteDatabase } from '../../config/urls.ts';
import { createCatalogue, hasCatalogue } from '../../server/engines.ts';
import { announceCreated, type Terminal } from '../terminal/terminal.ts';

export interface ImportTarget extends AsyncDisposable {
  config: Config;
}

/** Creates a catalogue if there is none. A dry run leaves nothing behind, so it gets a temporary one instead. */
export async function openTarget(
  config: Config,
  isDryRun: boolean,
  terminal: Pick<Terminal, 'stderr'>,
): Promise<ImportTarget> {
  if (!isDryRun) announceCreated(terminal, await createCatalogue(config));
  else if (!(await hasCatalogue(config))) return createTemporary(config);
  return { config, async [Symbol.asyncDispose]() {} };
}

async function createTemporary(config: Config): Promise<ImportTarget> {
  const folder = await mkdtemp(join(tmpdir(), 'zukan-dry-run-'));
  const temporary: Config = { ...config, database: sqliteDatabase(join(folder, 'zukan.db')) };
  await createCatalogue(temporary);
  return {
    config: temporary,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

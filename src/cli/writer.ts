/** Opens the catalogue for a change. */

import type { Config } from '../config/config.ts';
import { removeLeftovers } from '../import/apply/change-files.ts';
import { openFiles, openWriter } from '../server/engines.ts';
import type { CatalogueWriter } from '../store/contract/writer.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Says once that it waits, if another command is changing the catalogue. */
export function writersFor(
  config: Config,
  { stderr }: Pick<Terminal, 'stderr'>,
): () => Promise<CatalogueWriter> {
  let hasWaited = false;
  const onWait = () => {
    if (!hasWaited) stderr.write('waiting for another zukan command to finish\n');
    hasWaited = true;
  };
  return () => openForChange(config, onWait);
}

/** After the commit, the writer also removes what killed commands left. */
export function openForChange(config: Config, onWait: () => void): Promise<CatalogueWriter> {
  return openWriter(config, {
    onWait,
    // Without waiting: a command that holds the lock does the same.
    afterCommit: () => removeLeftovers(openFiles(config), () => openWriter(config, { timeoutMs: 0 })),
  });
}

/** Opens the catalogue for a change. */
import type { CatalogueWriter } from '../catalogue/writer.ts';
import type { Config } from '../config/config.ts';
import { openFiles, openWriter } from '../engines.ts';
import { removeLeftovers } from '../import/cleanup.ts';
import type { Terminal } from './terminal.ts';

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
export async function openForChange(config: Config, onWait: () => void): Promise<CatalogueWriter> {
  const writer = await openWriter(config, { onWait });
  const commit = writer.commit.bind(writer);
  writer.commit = async () => {
    await commit();
    // Without waiting: a command that holds the lock does the same.
    await removeLeftovers(openFiles(config), () => openWriter(config, { timeoutMs: 0 }));
  };
  return writer;
}

import type { CatalogueWriter } from '../catalogue/writer.ts';
import type { Config } from '../config/config.ts';
import { openWriter } from '../engines.ts';
import type { Terminal } from './terminal.ts';

/** Opens writers. Says once that it waits, if another command is changing the catalogue. */
export function writersFor(
  config: Config,
  { stderr }: Pick<Terminal, 'stderr'>,
): () => Promise<CatalogueWriter> {
  let hasWaited = false;
  const onWait = () => {
    if (!hasWaited) stderr.write('waiting for another zukan command to finish\n');
    hasWaited = true;
  };
  return () => openWriter(config, { onWait });
}

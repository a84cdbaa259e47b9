/** Opens the catalogue for a change. */

import { emptyTrash } from '../changes/trash.ts';
import type { Config } from '../config/config.ts';
import { removeLeftovers } from '../import/apply/change-files.ts';
import { DAY_MS } from '../lib/clock.ts';
import type { Files } from '../media/files.ts';
import { openFiles, openWriter } from '../server/engines.ts';
import type { Change, ChangeOrigin } from '../store/contract/change-log.ts';
import type { CatalogueWriter } from '../store/contract/writer.ts';
import { type Terminal, warnOn } from './terminal/terminal.ts';

/** Who makes a change. Without a user, the one of the operating system. */
export interface Author {
  origin: ChangeOrigin;
  user?: string | undefined;
}

interface WriterListener {
  /** Called if another command is changing the catalogue. */
  onWait: () => void;
  onCommitted?: (change: Change) => void;
  warn: (problem: string) => void;
}

/** Says once that it waits, if another command is changing the catalogue. */
export function writersFor(
  config: Config,
  terminal: Pick<Terminal, 'stderr'>,
  author: Author = { origin: 'shell' },
): () => Promise<CatalogueWriter> {
  const { stderr } = terminal;
  let hasWaited = false;
  const onWait = () => {
    if (!hasWaited) stderr.write('waiting for another zukan command to finish\n');
    hasWaited = true;
  };
  const onCommitted = ({ number, state }: Change) => {
    if (state === 'forgotten')
      stderr.write(`change ${number} is too large to be remembered, and cannot be undone\n`);
  };
  const warn = warnOn(terminal);
  return () => openForChange(config, author, { onWait, onCommitted, warn });
}

/** After the commit, the writer also removes what killed commands left, and what was in the trash for too long. */
export function openForChange(
  config: Config,
  author: Author,
  { onWait, onCommitted = () => {}, warn }: WriterListener,
): Promise<CatalogueWriter> {
  // Without waiting: a command that holds the lock does the same.
  const tryOpen = () => openWriter(config, { ...author, timeoutMs: 0 });
  return openWriter(config, {
    ...author,
    onWait,
    async afterCommit(oldestTrash, change) {
      if (change) onCommitted(change);
      const files = openFiles(config);
      const expired = new Date(Date.now() - config.trashDays * DAY_MS).toISOString();
      if (oldestTrash !== null && oldestTrash < expired) await expireTrash(files, expired, tryOpen);
      await removeLeftovers(files, tryOpen, warn);
    },
  });
}

async function expireTrash(
  files: Files,
  before: string,
  openWriter: () => Promise<CatalogueWriter>,
): Promise<void> {
  try {
    await emptyTrash({ before }, { files, openWriter, signal: new AbortController().signal });
  } catch {
    // The next command tries again.
  }
}

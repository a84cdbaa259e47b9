/** `zukan adopt`: makes the files of another catalogue those of this one, so that a catalogue can move to another database. */
import type { Config } from '../../config/config.ts';
import { describeStorage } from '../../config/values.ts';
import { createCatalogue, openFiles, requireOwnFiles } from '../../server/engines.ts';
import { announceCreated, printLine, type Terminal } from '../terminal/terminal.ts';

export async function adoptCommand(config: Config, terminal: Terminal): Promise<void> {
  const files = openFiles(config);
  const owner = await files.owner();
  // A new one gets the identity of the files, so that the catalogue before can use them until it is gone.
  announceCreated(terminal, await createCatalogue(config, owner));
  const identity = await requireOwnFiles(config, owner);
  if (identity !== undefined && identity !== owner) await files.setOwner(identity);
  printLine(terminal, `the files in ${describeStorage(config.storage)} belong to this catalogue`);
}

/** `zukan blocked`: lists the names that an operator blocked. */
import type { Config } from '../../config/config.ts';
import { openSnapshot } from '../../server/engines.ts';
import { printLine, printLines, type Terminal } from '../terminal/terminal.ts';
import { formatTable } from '../terminal/text.ts';

export async function blockedCommand(
  config: Config,
  { json }: { json: boolean },
  terminal: Terminal,
): Promise<void> {
  await using snapshot = await openSnapshot(config);
  const names = await Array.fromAsync(snapshot.blockedNames());
  if (json) {
    printLine(terminal, JSON.stringify(names));
    return;
  }
  const rows = names.map(({ kind, name, blockedAt, skips }) => [
    ...[kind, name, blockedAt, skips ? 'skip the pictures' : 'leave out the name'],
  ]);
  if (rows.length === 0) printLine(terminal, 'no names are blocked');
  else printLines(terminal, formatTable(['kind', 'name', 'since', 'imports'], rows));
}

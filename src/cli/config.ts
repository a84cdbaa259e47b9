/** `zukan config`: prints the configuration in effect and where each value comes from, with secrets masked. Checks the logo. */
import { type Config, describeConfig } from '../config/config.ts';
import type { Settings } from '../config/environment.ts';
import { openLogo } from '../server/engines.ts';
import { printLine, printLines, type Terminal } from './terminal/terminal.ts';
import { formatTable } from './terminal/text.ts';

export async function configCommand(
  config: Config,
  originOf: Settings['originOf'],
  { json }: { json: boolean },
  terminal: Terminal,
): Promise<void> {
  // `serve` would refuse to start.
  await openLogo(config);
  const values = describeConfig(config);
  const rows = Object.entries(values).map(([name, value]) => [name, value, originOf(name)]);
  const origins = Object.fromEntries(rows.map(([name, , origin]) => [name, origin]));
  if (json) printLine(terminal, JSON.stringify({ ...values, origins }));
  else printLines(terminal, formatTable(['variable', 'value', 'from'], rows));
}

/** `zukan config`: prints the configuration in effect, with secrets masked. */
import { type Config, describeConfig } from '../config/config.ts';
import { printLine, printLines, type Terminal } from './terminal/terminal.ts';
import { formatTable } from './terminal/text.ts';

export function configCommand(config: Config, { json }: { json: boolean }, terminal: Terminal): void {
  const values = describeConfig(config);
  if (json) printLine(terminal, JSON.stringify(values));
  else printLines(terminal, formatTable(['variable', 'value'], Object.entries(values)));
}

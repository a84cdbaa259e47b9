/** `zukan config`: prints the configuration in effect, with secrets masked. */
import { type Config, describeConfig } from '../config/config.ts';
import { formatTable } from './table.ts';
import { printLine, type Terminal } from './terminal.ts';

export function configCommand(config: Config, { json }: { json: boolean }, terminal: Terminal): void {
  const values = describeConfig(config);
  printLine(
    terminal,
    json ? JSON.stringify(values) : formatTable(['variable', 'value'], Object.entries(values)),
  );
}

/** `zukan config`: the configuration in effect, secrets masked. */
import { type Config, describeConfig } from '../config/config.ts';
import { printTable } from './table.ts';

export function showConfig(config: Config, { json }: { json: boolean }): void {
  const values = describeConfig(config);
  if (json) console.log(JSON.stringify(values));
  else printTable(['variable', 'value'], Object.entries(values));
}

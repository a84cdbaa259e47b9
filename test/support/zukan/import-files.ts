/** Imports without printing anything. */
import { type ImportFlags, importPaths } from '../../../src/cli/importing/import.ts';
import type { ImportSummary } from '../../../src/cli/importing/report.ts';
import { silentTerminal } from '../../../src/cli/terminal/terminal.ts';
import type { Config } from '../../../src/config/config.ts';

export async function importFiles(
  config: Config,
  paths: string[],
  flags: ImportFlags = {},
): Promise<ImportSummary> {
  const all = { strict: !flags.skipBad, ...flags, quiet: true };
  const report = await importPaths(config, paths, all, silentTerminal, {
    signal: new AbortController().signal,
    confirmPrune: async ({ gone }) => gone,
  });
  return report.summary;
}

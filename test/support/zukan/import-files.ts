/** Imports without printing anything. The numbers are those of pictures and entries together. */
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
  const { summary, entries } = report;
  const sum = (outcome: keyof ImportSummary) => summary[outcome] + entries[outcome];
  return { added: sum('added'), updated: sum('updated'), unchanged: sum('unchanged') };
}

/** `zukan import`: adds or updates records from catalogue files and folders of pictures. */
import type { Change } from '../../catalogue/change-log.ts';
import type { Config } from '../../config/config.ts';
import type { GoneImage, PruneCandidates } from '../../import/apply/prune.ts';
import { isLargePart } from '../../lib/large-part.ts';
import { openStore } from '../../server/engines.ts';
import { confirm } from '../terminal/ask.ts';
import { CommandError, listenForInterrupt } from '../terminal/errors.ts';
import { isInteractive, printLine, printLines, silentTerminal, type Terminal } from '../terminal/terminal.ts';
import { count } from '../terminal/text.ts';
import { list } from './list.ts';
import { checkFlags } from './options.ts';
import type { ImportSummary } from './report.ts';
import { type ImportFlags, importPaths } from './run-import.ts';

export interface ImportCommandFlags extends ImportFlags {
  /** Confirms every removal. */
  yes?: boolean;
}

export async function importCommand(
  config: Config,
  paths: string[],
  flags: ImportCommandFlags,
  terminal: Terminal,
): Promise<void> {
  checkFlags(flags);
  using interrupt = listenForInterrupt('interrupted; nothing was imported; import again to continue');
  /** Why images were kept whose files are gone. */
  const kept: string[] = [];
  const report = await importPaths(config, paths, flags, terminal, {
    signal: interrupt.signal,
    confirmPrune: async (candidates) => {
      const { gone } = candidates;
      printLines(terminal, describeGone(gone));
      const doubt = flags.yes || flags.dryRun ? undefined : await findDoubt(config, candidates);
      if (doubt === undefined) return gone;
      // A file that cannot be read may be the reason for the doubt, and must not keep the others out.
      if (flags.strict || isInteractive(terminal)) return await confirm(doubt, {}, terminal).then(() => gone);
      kept.push(`removed nothing: ${doubt} If this is right, import with --prune --yes.`);
      return [];
    },
  });
  const condition = report.isStopped ? 'without the invalid records, ' : '';
  if (flags.dryRun)
    printLine(terminal, `dry run, nothing was changed; ${condition}this import would result in:`);
  printLines(terminal, [...(await report.lines()), ...report.records]);
  if (report.isStopped)
    throw new CommandError(
      `an import would change nothing because of the invalid records; ${flags.strict ? 'leave out --strict to import the rest' : 'use --skip-bad to skip them'}`,
    );
  const leftOut =
    report.invalid === 1 ? '1 invalid picture or record' : `${report.invalid} invalid pictures or records`;
  const [problem, ...others] = [...kept, ...(report.invalid > 0 ? [`${leftOut} left out, see above`] : [])];
  if (problem !== undefined) throw new CommandError(problem, ...others);
}

/** Imports without printing anything. `source` is what the list of imports shows instead of the paths. */
export async function importFiles(
  config: Config,
  paths: string[],
  flags: ImportFlags = {},
  source?: string,
): Promise<ImportSummary> {
  using interrupt = listenForInterrupt('interrupted; nothing was imported');
  const report = await importPaths(
    config,
    paths,
    { strict: !flags.skipBad, ...flags, quiet: true },
    silentTerminal,
    {
      signal: interrupt.signal,
      confirmPrune: async ({ gone }) => gone,
      ...(source !== undefined && { run: { source } }),
    },
  );
  return report.summary;
}

/** The same, of a picture that is added in the studio, with what the command would print. */
export async function importFolder(
  config: Config,
  folder: string,
  continues: number | undefined,
  user: string | undefined,
): Promise<ImportSummary & { notes: string[]; change: Change | undefined }> {
  const report = await importPaths(config, [folder], { quiet: true, strict: true }, process, {
    signal: new AbortController().signal,
    confirmPrune: async () => [],
    author: { origin: 'studio', user },
    run: { source: '', continues },
  });
  return { ...report.summary, notes: await report.lines(), change: report.change };
}

export function describeGone(gone: GoneImage[]): string[] {
  const lines = gone.map(({ id, path }) => `${id}  ${path}`);
  return list(`${count(gone.length, 'image')} whose files are gone`, lines);
}

/** Why the removal may be a mistake, or undefined if it looks normal. */
export async function findDoubt(
  config: Config,
  { gone, emptyFolders, unreadable }: PruneCandidates,
): Promise<string | undefined> {
  if (gone.length === 0) return undefined;
  const [empty] = emptyFolders;
  if (empty !== undefined) return `${empty} contains no pictures. Is its disk mounted?`;
  if (unreadable[0] !== undefined)
    return `${unreadable[0]} cannot be read, so some of them may still be there.`;
  await using store = await openStore(config);
  const { images } = await store.catalogue.statistics();
  if (!isLargePart(gone.length, images.count, 0)) return undefined;
  return `--prune would remove ${gone.length} of ${count(images.count, 'image')}, more than a tenth.`;
}

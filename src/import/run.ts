/**
 * Runs an import, all or nothing, in batches of bounded size and in two phases: it first prepares all records and stores
 * their pictures, and then changes the catalogue in one transaction, which is short in comparison. What it has read of the
 * pictures of folders is kept until it commits, so the next attempt continues.
 */
import type { Change } from '../catalogue/change-log.ts';
import type { CatalogueWriter } from '../catalogue/writer.ts';
import { openStaging, Staging } from '../media/staging.ts';
import { ImportApplier } from './apply/apply.ts';
import type { Prune } from './apply/versions.ts';
import { changeFiles } from './files.ts';
import { type ImportOptions, PictureCopies, prepareSource } from './prepare/prepare.ts';
import { type Problem, Problems, RecordError } from './records/lines.ts';
import { identifyFolder } from './sources/files.ts';
import type { Source } from './sources/source.ts';

const SQLITE_FULL = 13;

/** Some records are invalid; nothing was imported. */
export class InvalidRecords extends Error {
  readonly problems: Problem[];
  constructor(problems: Problem[]) {
    super('nothing was imported');
    this.problems = problems;
  }
}

/** Whether repeating the import would not help: what it reads is wrong. */
export const isRefused = (error: unknown): boolean =>
  error instanceof InvalidRecords || error instanceof RecordError;

/** The pictures of a folder stay as they are when others are corrected; nobody corrects a backup. On a full disk, the space counts. */
function canContinue(error: unknown, sources: Source[]): boolean {
  const { code = '', errcode } = error as { code?: string; errcode?: number };
  const isDiskFull = ['ENOSPC', 'EDQUOT'].includes(code) || errcode === SQLITE_FULL;
  return !isDiskFull && !(isRefused(error) && sources.some(({ pictureOf }) => pictureOf));
}

export interface ImportResult {
  listed: Problem[];
  count: number;
  /** Whether the invalid records stop an import, so that only a dry run goes on. */
  isStopped: boolean;
  /** Undefined if nothing changed. */
  change: Change | undefined;
}

/** Returns what was invalid. Throws it if it stops the import, unless it is a dry run. */
export async function runImport(
  sources: Source[],
  openWriter: () => Promise<CatalogueWriter>,
  options: ImportOptions,
  prune?: Prune,
): Promise<ImportResult> {
  const { isDryRun, report } = options;
  const problems = new Problems(sources, options);
  const throwIfInvalid = () => {
    if (problems.isStopping && !isDryRun) throw new InvalidRecords(problems.list());
  };
  const copies = new PictureCopies(report);
  let change: Change | undefined;
  let staging: Staging | undefined;
  let folders: string[] = [];
  await changeFiles(
    { ...options, openWriter, onFailure: async (error) => staging?.fail(canContinue(error, sources)) },
    async (upload) => {
      const table = isDryRun ? openStaging('', Date.now) : options.files.staging;
      staging = new Staging(upload, table, !isDryRun);
      await prune?.findMissing();
      const preparing = { upload, staging, problems, copies, options, prune };
      const now = Date.parse(options.defaults().now);
      let group = 0;
      for (const [index, source] of sources.entries()) {
        if (!source.isFolder || !sources[index - 1]?.isFolder) group = index;
        await prepareSource(source, index, { ...preparing, group, now });
      }
      if (staging.isEmpty || problems.isFull) throwIfInvalid();
      const paths = sources.flatMap(({ folder, isFolder, pictureOf }) =>
        isFolder || pictureOf ? folder : [],
      );
      folders = await Promise.all(paths.map(identifyFolder));
      await staging.release(folders);
      const isPruning = (await prune?.confirm()) ?? false;
      return !staging.isEmpty || isPruning || options.choices.length > 0;
    },
    async (writer, upload) => {
      await options.onLock?.();
      await writer.changeLog.startImport(options.run.source, options.run.continues);
      const applying = { sources, writer, upload, problems, copies, options };
      const applier = new ImportApplier(applying, new Set(folders));
      await applier.save(staging as Staging);
      await prune?.apply(writer);
      for (const { folder, choice } of options.choices) await writer.sourceFiles.choose(folder, choice);
      throwIfInvalid();
      const historyProblem = applier.historyProblem();
      if (historyProblem && !isDryRun) throw new InvalidRecords([historyProblem]);
      await options.beforeCommit?.(writer);
      change = writer.changeLog.current();
    },
  );
  staging?.finish(folders);
  return { listed: problems.list(), count: problems.count, isStopped: problems.isStopping, change };
}

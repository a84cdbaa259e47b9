/**
 * Runs an import, all or nothing, in batches of bounded size and in two phases: it first prepares all records and stores
 * their pictures, and then changes the catalogue in one transaction, which is short in comparison. What it has read of the
 * pictures of folders is kept until it commits, so the next attempt continues.
 */
import type { Change } from '../catalogue/change-log.ts';
import type { CatalogueWriter } from '../catalogue/writer.ts';
import { ImportApplier } from './apply/apply.ts';
import type { Prune } from './apply/versions.ts';
import { changeFiles } from './files.ts';
import { type ImportOptions, PictureCopies, type PreparedRecord, prepareSource } from './prepare/prepare.ts';
import { PreparedPictures, Spool } from './prepare/prepared-pictures.ts';
import { type Problem, Problems } from './records/problems.ts';
import { identifyFolder } from './sources/files.ts';
import type { Source } from './sources/source.ts';

/** Some records are invalid; nothing was imported. */
export class InvalidRecords extends Error {
  readonly problems: Problem[];
  constructor(problems: Problem[]) {
    super('nothing was imported');
    this.problems = problems;
  }
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
  let earlier: PreparedPictures | undefined;
  let folders: string[] = [];
  await using spool = new Spool<PreparedRecord>();
  await changeFiles(
    { ...options, openWriter, onFailure: async (error) => earlier?.keep(error) },
    async (upload) => {
      earlier = new PreparedPictures(options.files.prepared, upload, options);
      await prune?.findMissing();
      const onRead = prune ? prune.noteRead : () => {};
      const onSkipped = prune ? prune.noteSkipped : () => {};
      const onHidden = prune ? prune.noteHidden : () => {};
      const preparing = { upload, spool, problems, copies, earlier, options, onRead, onSkipped, onHidden };
      for (const [index, source] of sources.entries()) await prepareSource(source, index, preparing);
      if (spool.isEmpty || problems.isFull) throwIfInvalid();
      const paths = sources.filter(({ isFolder }) => isFolder).map(({ folder }) => folder);
      folders = await Promise.all(paths.map(identifyFolder));
      await earlier.release(folders);
      const isPruning = (await prune?.confirm()) ?? false;
      return !spool.isEmpty || isPruning || options.choices.length > 0;
    },
    async (writer, upload) => {
      await writer.changeLog.startImport(options.run.source, options.run.continues);
      const applier = new ImportApplier(sources, writer, upload, problems, copies, new Set(folders), options);
      await applier.save(spool);
      await prune?.apply(writer);
      for (const { folder, choice } of options.choices) await writer.sourceFiles.choose(folder, choice);
      throwIfInvalid();
      const historyProblem = applier.historyProblem();
      if (historyProblem && !isDryRun) throw new InvalidRecords([historyProblem]);
      change = writer.changeLog.current();
    },
  );
  earlier?.forget();
  return { listed: problems.list(), count: problems.count, isStopped: problems.isStopping, change };
}

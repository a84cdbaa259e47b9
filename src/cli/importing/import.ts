/** `zukan import` adds or updates records from catalogue files and folders of pictures. */
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { addAbortSignal } from 'node:stream';
import type { Change } from '../../catalogue/change-log.ts';
import { type FolderChoice, isLargePart } from '../../catalogue/writer.ts';
import type { Config } from '../../config/config.ts';
import { sqliteDatabase } from '../../config/values.ts';
import {
  type GoneImage,
  Prune,
  type PruneCandidates,
  type PruneOptions,
} from '../../import/apply/versions.ts';
import { NearDuplicates } from '../../import/plan/looks.ts';
import type { ImportSource } from '../../import/prepare/prepare.ts';
import type { StopsAt } from '../../import/records/lines.ts';
import { InvalidRecords, runImport } from '../../import/run.ts';
import { identifyFolder } from '../../import/sources/files.ts';
import {
  catalogueFile,
  countPictures,
  describeOptions,
  type FolderOptions,
  pictureFolder,
  type Source,
} from '../../import/sources/source.ts';
import { IgnoreFiles, type IgnoreReason, isPictureName } from '../../import/sources/walk.ts';
import { newId } from '../../lib/random.ts';
import {
  createCatalogue,
  hasCatalogue,
  openFiles,
  openSnapshot,
  openSourceFiles,
  openStore,
  requireNoLostCatalogue,
} from '../../server/engines.ts';
import {
  announceCreated,
  CommandError,
  confirm,
  count,
  DRY_RUN,
  isInteractive,
  listenForInterrupt,
  noProgress,
  printLines,
  startProgress,
  type Terminal,
  UsageError,
  warnOn,
} from '../terminal/terminal.ts';
import { type Author, requireOutside, storageRules, writersFor } from '../writer.ts';
import { type ChoiceFlags, checkFlags, choiceInside, choose, describeKept, isSameChoice } from './options.ts';
import { describeProblem, ImportReport, type ImportSummary, kindOf, list, MAX_LISTED } from './report.ts';

export interface ImportFlags extends ChoiceFlags {
  dryRun?: boolean;
  keepLocation?: boolean;
  quiet?: boolean;
  /** Leaves out invalid records of catalogue files, too. */
  skipBad?: boolean;
  /** Imports nothing if anything is invalid. */
  strict?: boolean;
  /** Reads pictures that did not change, too. */
  full?: boolean;
  /** Removes images whose files are gone from the folders. */
  prune?: boolean;
  /** Cuts no list of the summary. */
  verbose?: boolean;
  /** Confirms every removal. */
  yes?: boolean;
}

export async function importCommand(
  config: Config,
  paths: string[],
  flags: ImportFlags,
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
    printLines(terminal, [...report.records, `${DRY_RUN}; ${condition}this import would result in:`]);
  printLines(terminal, await report.lines());
  if (report.isStopped)
    throw new CommandError(
      `an import would change nothing because of the invalid records; ${flags.strict ? 'leave out --strict to import the rest' : 'use --skip-bad to skip them'}`,
    );
  const leftOut =
    report.invalid === 1 ? '1 invalid picture or record' : `${report.invalid} invalid pictures or records`;
  const [problem, ...others] = [...kept, ...(report.invalid > 0 ? [`${leftOut} left out, see above`] : [])];
  if (problem === undefined) return;
  // A server that started this import tells it from a failure.
  process.send?.([problem, ...others]);
  throw new CommandError(problem, ...others);
}

/** Imports a picture that is added in the studio, and returns what the command would print. */
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

// Opens the sources of an import and runs it.

interface ImportControl {
  signal: AbortSignal;
  /** With `prune`. */
  confirmPrune: PruneOptions['confirm'];
  readiness?: FolderOptions['readiness'];
  /** Called with the path of each picture that is private. */
  onHidden?: (path: string) => void;
  author?: Author;
  /** How the import is listed. Without it, by its paths. */
  run?: ImportSource;
}

/** For a folder that is imported for the first time. */
const FIRST_CHOICE: FolderChoice = { folderCategories: 'meaningful' };

interface ChosenFolder {
  choice: FolderChoice;
  isChanged: boolean;
  /** Whether an earlier import made albums of its folders. */
  hadAlbums: boolean;
  ignore: IgnoreFiles;
}

/** Imports all paths in one commit. Aborting the signal leaves the catalogue unchanged. */
export async function importPaths(
  config: Config,
  paths: string[],
  flags: ImportFlags,
  terminal: Terminal,
  control: ImportControl,
): Promise<ImportReport> {
  // First, because a mistyped path must not create a catalogue.
  const places = await Promise.all(paths.map(findPlace));
  for (const place of places) if (place.kind === 'folder') await requireOutside(place.path, config);
  if (flags.prune && !places.some(({ kind }) => kind === 'folder'))
    throw new UsageError('--prune needs a folder of pictures');
  await using temporary = new AsyncDisposableStack();
  const target =
    flags.dryRun && !(await hasCatalogue(config)) ? await createTemporary(config, temporary) : config;
  if (!flags.dryRun) announceCreated(terminal, await createCatalogue(config));
  return await importPlaces(target, places, flags, terminal, control);
}

/** A dry run leaves nothing behind, so it gets a temporary catalogue if there is none. */
async function createTemporary(config: Config, temporary: AsyncDisposableStack): Promise<Config> {
  await requireNoLostCatalogue(config, openFiles(config));
  const folder = await mkdtemp(join(tmpdir(), 'zukan-dry-run-'));
  temporary.defer(() => rm(folder, { recursive: true, force: true }));
  const target: Config = { ...config, database: sqliteDatabase(join(folder, 'zukan.db')) };
  await createCatalogue(target);
  return target;
}

async function importPlaces(
  config: Config,
  places: Place[],
  flags: ImportFlags,
  terminal: Terminal,
  {
    signal,
    confirmPrune,
    readiness,
    onHidden,
    author = { origin: 'import' },
    run = { source: describePlaces(places) },
  }: ImportControl,
): Promise<ImportReport> {
  const { dryRun: isDryRun = false, keepLocation: keepsLocation = false, full: isFull = false } = flags;
  const maxListed = flags.verbose ? Number.POSITIVE_INFINITY : MAX_LISTED;
  const looks = new NearDuplicates(() => openSnapshot(config), maxListed);
  const report = new ImportReport({ isDryRun, keepsLocation, looks, maxListed, onHidden });
  const thumbnailSizes = config.thumbnails;
  await using known = await openSourceFiles(config);
  const folders = places.filter((place) => place.kind === 'folder');
  const chosen = new Map<string, ChosenFolder>();
  for (const { path, identity } of folders) {
    const found = await known.choiceFor(identity);
    const chosenBefore = found && choiceInside(found, identity);
    const before = chosenBefore ?? {};
    const choice = choose(chosenBefore ?? FIRST_CHOICE, flags);
    // A choice that is the same as that of a folder around it stays when that changes.
    const isNew = found?.folder !== identity && !isSameChoice({}, choose({}, flags));
    const isChanged = isNew || !isSameChoice(before, choice);
    const hadAlbums = before.albumsFrom === 'folders';
    const ignore = new IgnoreFiles(path, [...(choice.exclude ?? []), ...(await storageRules(path, config))]);
    chosen.set(identity, { choice, isChanged, hadAlbums, ignore });
    const words = describeKept(before, flags);
    if (words !== '') report.note('kept', path, words);
  }
  const shared = {
    onOther: (path: string, isLink: boolean) => report.note(isLink ? 'link' : kindOf(path), path),
    onIgnored: (reason: IgnoreReason) => report.ignored(reason),
    onMeaningless: (path: string, name: string) => report.note('meaningless', path, name),
    signal,
    clock: Date.now,
    known,
    isFull,
    readiness,
  };
  const optionsOf = ({ identity }: FolderPlace): FolderOptions => {
    const { choice, ignore } = chosen.get(identity) as ChosenFolder;
    const { folderCategories = 'all', defaultRating = config.defaultRating } = choice;
    const readOptions = describeOptions(keepsLocation, thumbnailSizes, folderCategories);
    return { ...shared, ignore, folderCategories, defaultRating, readOptions };
  };
  const sources = places.map((place) => openSource(place, terminal, signal, optionsOf));
  using progress = flags.quiet
    ? noProgress
    : startProgress('Importing', await measure(places, optionsOf), terminal);
  const prune = flags.prune
    ? new Prune({
        folders,
        isIgnored: async (folder, path) => (await chosen.get(folder)?.ignore.isIgnored(path)) ?? false,
        openFiles: () => openSourceFiles(config),
        confirm: (candidates) => {
          progress[Symbol.dispose]();
          return confirmPrune(candidates);
        },
        onRemoved: (count) => report.pruned(count),
      })
    : undefined;
  if (prune) report.pruned(0);
  try {
    const options = {
      files: openFiles(config),
      defaults: () => ({ now: new Date().toISOString(), newId: () => newId() }),
      concurrency: 2 * availableParallelism(),
      run,
      thumbnailSizes,
      isDryRun,
      isFull,
      keepsLocation,
      report,
      looks,
      signal,
      warn: warnOn(terminal),
      stopsAt: stopsAt(flags),
      listsAll: flags.verbose ?? false,
      onProgress: progress.advance,
      choices: [...chosen].flatMap(([folder, { choice, isChanged }]) =>
        isChanged ? { folder, choice } : [],
      ),
      albumFolders: [...chosen].flatMap(([folder, { choice, hadAlbums }]) =>
        choice.albumsFrom === 'folders' ? { folder, isFirst: !hadAlbums } : [],
      ),
    };
    report.finish(await runImport(sources, writersFor(config, terminal, author), options, prune));
    return report;
  } catch (error) {
    if (error instanceof InvalidRecords) {
      const wayOut = describeWayOut(error.problems.length, flags, folders.length > 0);
      const advice = author.origin === 'import' ? [wayOut] : [];
      throw new CommandError(error.message, ...error.problems.map(describeProblem), ...advice);
    }
    throw signal.aborted ? signal.reason : error;
  }
}

function stopsAt({ strict, skipBad }: ImportFlags): StopsAt {
  if (strict) return 'any';
  return skipBad ? 'nothing' : 'records';
}

function describeWayOut(problems: number, { strict }: ImportFlags, hasFolder: boolean): string {
  const [them, those] = problems === 1 ? ['it', 'it'] : ['these', 'them'];
  const advice = `fix ${them}, or ${strict ? 'import the rest without --strict' : `skip ${those} with --skip-bad`}`;
  return hasFolder ? `${advice}; the pictures that were read are kept for the next attempt` : advice;
}

// The paths that an import names: catalogue files, folders of pictures, or standard input.

const STANDARD_INPUT = '-';

interface FolderPlace {
  kind: 'folder';
  path: string;
  identity: string;
}

/** `size` is that of a catalogue file. */
type Place = { kind: 'stdin' } | FolderPlace | { kind: 'file'; path: string; size: number };

async function findPlace(path: string): Promise<Place> {
  if (path === STANDARD_INPUT) return { kind: 'stdin' };
  const facts = await stat(path).catch(() => {
    const isDecoded = !path.includes('\ufffd');
    throw new CommandError(
      `${path}: ${isDecoded ? 'no such file or folder' : 'the name is not UTF-8; rename it'}`,
    );
  });
  if (facts.isDirectory()) return { kind: 'folder', path, identity: await identifyFolder(path) };
  if (!facts.isFile()) throw new CommandError(`${path}: is neither a file nor a folder`);
  if (isPictureName(path))
    throw new CommandError(`${path}: is a picture; import its folder, or a catalogue file that names it`);
  return { kind: 'file', path, size: facts.size };
}

function describePlaces(places: Place[]): string {
  return places.map((place) => (place.kind === 'stdin' ? 'standard input' : resolve(place.path))).join(', ');
}

/** The signal also ends a stream that waits for input. */
function openSource(
  place: Place,
  { stdin }: Terminal,
  signal: AbortSignal,
  optionsOf: (place: FolderPlace) => FolderOptions,
): Source {
  if (place.kind === 'stdin')
    return catalogueFile('standard input', process.cwd(), () => addAbortSignal(signal, stdin));
  if (place.kind === 'folder') return pictureFolder(place.path, optionsOf(place));
  const open = () => createReadStream(place.path, { signal });
  return catalogueFile(place.path, dirname(place.path), open);
}

/** The sum of bytes of catalogue files and of pictures in folders. Undefined if it is not known. */
async function measure(
  places: Place[],
  optionsOf: (place: FolderPlace) => FolderOptions,
): Promise<number | undefined> {
  let total = 0;
  for (const place of places) {
    if (place.kind === 'stdin') return undefined;
    total += place.kind === 'file' ? place.size : await countPictures(place.path, optionsOf(place));
  }
  return total;
}

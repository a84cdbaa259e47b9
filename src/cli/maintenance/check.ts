/** `zukan check`: verifies the catalogue against itself and the stored files; `--repair` repairs what it can. */
import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import {
  checkCatalogue,
  describeTrashed,
  type Finding,
  repairCatalogue,
} from '../../catalogue/documents/check.ts';
import { fileKeys, originalKey, readDocument } from '../../catalogue/documents/document.ts';
import { type ImageRow, isLargePart } from '../../catalogue/writer.ts';
import type { Config } from '../../config/config.ts';
import { linkKeysPath } from '../../config/environment.ts';
import {
  findOutdated,
  isOurKey,
  removeLeftovers,
  removeUnusedFiles,
  updateThumbnails,
} from '../../import/files.ts';
import { inParallel } from '../../lib/concurrency.ts';
import { hashChunks, hasPermissions } from '../../lib/file-system.ts';
import type { Files } from '../../media/files.ts';
import { openFiles, openSnapshot, openStore, requireOwnFiles } from '../../server/engines.ts';
import { passwordsPath } from '../../studio/passwords.ts';
import { list } from '../importing/report.ts';
import {
  CommandError,
  count,
  DRY_RUN,
  listenForInterrupt,
  noProgress,
  printLine,
  startProgress,
  type Terminal,
  warnOn,
} from '../terminal/terminal.ts';
import { enginesOf, writersFor } from '../writer.ts';

interface CheckFlags {
  repair: boolean;
  /** Confirms that many pictures are removed. */
  yes: boolean;
  quiet: boolean;
  json: boolean;
}

export async function checkCommand(config: Config, flags: CheckFlags, terminal: Terminal): Promise<void> {
  const { repair, json } = flags;
  await requireOwnFiles(config);
  let findings = await findCatalogueProblems(config);
  if (repair && findings.some(({ canBeRepaired }) => canBeRepaired)) {
    await repairAll(config, terminal);
    const left = await findCatalogueProblems(config);
    terminal.stderr.write(`repaired ${count(findings.length - left.length, 'problem')}\n`);
    findings = left;
  }
  const files = openFiles(config);
  if (repair) await removeLeftovers(files, writersFor(config, terminal), warnOn(terminal));
  const all = [
    ...findings,
    ...(await findFileProblems(config, files, flags, terminal)),
    ...(await findTokenProblems(config)),
    ...findReadableSecrets(config).map((problem) => ({ problem, canBeRepaired: false })),
  ];
  if (json) printLine(terminal, JSON.stringify(all));
  else for (const { problem } of all) printLine(terminal, problem);
  if (all.length > 0) throw new CommandError(`found ${count(all.length, 'problem')}${hint(all, repair)}`);
  if (!json) printLine(terminal, 'no problems found');
}

function hint(findings: Finding[], repair: boolean): string {
  const repairable = findings.filter(({ canBeRepaired }) => canBeRepaired).length;
  const isLost = findings.some(({ problem }) => /^image \S+: the file \S+ is missing$/.test(problem));
  return [
    ...(repairable > 0 && !repair ? [`; "zukan check --repair" can repair ${repairable}`] : []),
    ...(isLost ? ['; "zukan import --full <folder>" stores lost files again'] : []),
  ].join('');
}

async function findCatalogueProblems(config: Config): Promise<Finding[]> {
  await using snapshot = await openSnapshot(config);
  return await Array.fromAsync(checkCatalogue(snapshot));
}

async function findTokenProblems(config: Config): Promise<Finding[]> {
  try {
    await using store = await openStore(config);
    await store.tokens.verify();
    return [];
  } catch (error) {
    return [{ problem: (error as Error).message, canBeRepaired: false }];
  }
}

async function repairAll(config: Config, terminal: Terminal): Promise<void> {
  await using writer = await writersFor(config, terminal)();
  await using snapshot = await openSnapshot(config);
  await repairCatalogue(snapshot, writer);
  await writer.commit();
}

async function findFileProblems(
  config: Config,
  files: Files,
  flags: CheckFlags,
  terminal: Terminal,
): Promise<Finding[]> {
  const leftovers = await files.findLeftovers();
  if (leftovers.isRunning) terminal.stderr.write('a command is changing the catalogue\n');
  const progress = flags.quiet ? noProgress : startProgress('Checking', undefined, terminal);
  const report = await checkFiles(config, files, progress.advance).finally(() => progress[Symbol.dispose]());
  const { problems, lackThumbnails, unused, pictures, recent } = report;
  if (recent > 0)
    terminal.stderr.write(
      `kept ${count(recent, 'unused file')} less than a day old: an import on another machine may be storing ${recent === 1 ? 'it' : 'them'}\n`,
    );
  const ours = unused.filter(isOurKey);
  const originals = ours.filter((key) => originalKey(key) === undefined).length;
  const left = new Set(unused);
  const isDoubtful = !flags.yes && isLargePart(originals, pictures);
  if (flags.repair && isDoubtful)
    problems.push(
      `removed no file: no image uses ${originals} of ${count(pictures, 'stored picture')}, more than a tenth; use --yes if this is right`,
    );
  // A journal that cannot be read may be that of a running command.
  else if (flags.repair && ours.length > 0 && leftovers.problems.length === 0) {
    const removed = await removeUnusedFiles(files, ours, writersFor(config, terminal));
    for (const key of ours) left.delete(key);
    terminal.stderr.write(`removed ${count(removed, 'unused file')}\n`);
  }
  if (flags.repair && lackThumbnails.length > 0) {
    const ids = lackThumbnails.splice(0);
    const failures = await makeThumbnails(config, ids, true, new AbortController().signal, terminal);
    for (const failure of failures) problems.push(failure);
    terminal.stderr.write(`made the thumbnails of ${count(ids.length - failures.length, 'image')}\n`);
  }
  return [
    ...[...leftovers.problems, ...problems].map((problem) => ({ problem, canBeRepaired: false })),
    ...(leftovers.hasAbandoned
      ? [{ problem: 'an interrupted command left files in the storage', canBeRepaired: true }]
      : []),
    ...lackThumbnails.map((id) => ({
      problem: `image ${id}: the file of a thumbnail is missing`,
      canBeRepaired: true,
    })),
    ...[...left].map((key) => ({
      problem: `${key}: no image uses this file`,
      canBeRepaired: isOurKey(key),
    })),
  ];
}

// Compares the images of the catalogue with the stored files, while other commands may change both.

interface FileReport {
  /** What is wrong with the files of images, as sentences. */
  problems: string[];
  /** The ids of images whose file is fine, but not all recorded thumbnails exist. */
  lackThumbnails: string[];
  /** The keys of files that no image uses, and how many pictures are stored. */
  unused: string[];
  pictures: number;
  /** How many files no image uses yet: an import on another machine may be storing them. */
  recent: number;
}

interface Suspects {
  images: string[];
  /** The ids of images in the trash, or with a former file there. */
  trash: string[];
  keys: string[];
  pictures: number;
}

export async function checkFiles(
  config: Config,
  files: Files,
  onImage: (size: number) => void,
): Promise<FileReport> {
  const suspects = await findSuspects(config, files, onImage);
  return confirm(config, files, suspects);
}

async function findSuspects(
  config: Config,
  files: Files,
  onImage: (size: number) => void,
): Promise<Suspects> {
  const suspects: Suspects = { images: [], trash: [], keys: [], pictures: 0 };
  /** The keys that images use, until they are found in the storage, and the id of an image. */
  const used = new Map<string, string>();
  /** Images that record no thumbnails. Those in the storage are theirs nevertheless: `zukan thumbnails` records them. */
  const withoutRecord = new Set<string>();
  await using snapshot = await openSnapshot(config);
  await inParallel(snapshot.images(), availableParallelism(), async (image) => {
    if (await findProblem(files, image)) suspects.images.push(image.id);
    const keys = fileKeys(image);
    for (const key of keys) used.set(key, image.id);
    if (keys.length === 1) withoutRecord.add(image.key);
    onImage(1);
  });
  const trashed = new Set<string>();
  await inParallel(snapshot.changeLog.trash(), availableParallelism(), async ({ image }) => {
    if (await findProblem(files, image)) suspects.trash.push(image.id);
    for (const key of fileKeys(image)) trashed.add(key);
    onImage(1);
  });
  for await (const key of files.keys()) {
    if (originalKey(key) === undefined) suspects.pictures++;
    if (!used.delete(key) && !trashed.has(key) && !withoutRecord.has(originalKey(key) ?? ''))
      suspects.keys.push(key);
  }
  // There may be more of them than a call takes arguments.
  return { ...suspects, images: suspects.images.concat([...used.values()]) };
}

/** Looks suspects up again: the catalogue may have changed after the first snapshot, and the files with it. */
async function confirm(
  config: Config,
  files: Files,
  { images, trash, keys, pictures }: Suspects,
): Promise<FileReport> {
  // Journals come first. If a command finishes after that, the snapshot contains its commit.
  const journaled = new Set(await files.journaledKeys());
  await using snapshot = await openSnapshot(config);
  const report: FileReport = { problems: [], lackThumbnails: [], unused: [], pictures, recent: 0 };
  const rows = await snapshot.imagesById([...new Set(images)]);
  await inParallel(rows, availableParallelism(), async (image) => {
    const problem = await findProblem(files, image);
    if (problem) report.problems.push(`image ${image.id}: ${problem}`);
    else if (await lacksThumbnails(files, image)) report.lackThumbnails.push(image.id);
  });
  for (const { kind, image } of await snapshot.changeLog.trashed([...new Set(trash)])) {
    const problem = await findProblem(files, image);
    if (problem) report.problems.push(`${describeTrashed(kind, image.id)}: ${problem}`);
  }
  const staged = files.staging.listed(keys);
  const unused = await snapshot.unusedKeys(keys.filter((key) => !journaled.has(key) && !staged.has(key)));
  await inParallel(unused, availableParallelism(), async (key) => {
    await using file = await openDisposable(files, key);
    if (file?.isRecent) report.recent++;
    else if (file) report.unused.push(key);
  });
  return report;
}

/** What is wrong with the file of an image, or undefined. */
async function findProblem(
  files: Files,
  { key, eTag: hash, document }: ImageRow,
): Promise<string | undefined> {
  await using file = await openDisposable(files, key);
  if (!file) return `the file ${key} is missing`;
  const meta = readMeta(document);
  if (!meta) return undefined;
  const { size, eTag } = meta;
  if (file.size !== size) return `the file ${key} has ${file.size} bytes instead of ${size}`;
  // Storage with its own entity tags verifies its bytes itself.
  if (file.eTag !== undefined)
    return file.eTag === eTag
      ? undefined
      : `the file ${key} has the entity tag ${file.eTag} instead of ${eTag}`;
  // Only files that are named by their hash can be verified.
  const isHashed = key.includes(hash) && /^[0-9a-f]{64}$/.test(hash);
  if (!isHashed || size === 0) return undefined;
  const actual = await hashChunks(file.stream(0, size - 1));
  return actual === hash ? undefined : `the file ${key} is damaged: its checksum is wrong`;
}

async function lacksThumbnails(files: Files, image: ImageRow): Promise<boolean> {
  for (const key of fileKeys(image)) {
    await using file = await openDisposable(files, key);
    if (!file) return true;
  }
  return false;
}

async function openDisposable(files: Files, key: string) {
  const file = await files.open(key);
  return file && { ...file, [Symbol.asyncDispose]: () => file.close() };
}

/** Undefined for an unreadable document, which `checkCatalogue` reports. */
function readMeta(document: string): { size: number; eTag: string } | undefined {
  try {
    return readDocument(document).meta;
  } catch {
    return undefined;
  }
}

// Finds secrets that other users of the machine can read, where permissions can keep them from it.

const READABLE_BY_OTHERS = 0o004;

function findReadableSecrets({ database, dataDir, linkKeys }: Config): string[] {
  // Windows has other permissions.
  if (process.platform === 'win32') return [];
  const tokens = database.engine === 'sqlite' ? [database.tokensPath] : [];
  const keys = linkKeys === undefined ? [linkKeysPath(dataDir)] : [];
  return [...tokens, ...keys, passwordsPath(dataDir)].flatMap((path) => {
    const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
    return mode & READABLE_BY_OTHERS && hasPermissions(dirname(path))
      ? `${path}: every user of this machine can read it; run "chmod 600 ${path}"`
      : [];
  });
}

// `zukan thumbnails`: makes missing thumbnails, and removes those of sizes that are no longer configured.

interface ThumbnailsFlags {
  dryRun: boolean;
  quiet: boolean;
}

export async function thumbnailsCommand(
  config: Config,
  { dryRun, quiet }: ThumbnailsFlags,
  terminal: Terminal,
): Promise<void> {
  const ids = await findOutdated(() => openSnapshot(config), config.thumbnails);
  if (dryRun) {
    printLine(terminal, `${DRY_RUN}; ${count(ids.length, 'image')} would be updated`);
    return;
  }
  using interrupt = listenForInterrupt('interrupted; run "zukan thumbnails" again to continue');
  const problems = await makeThumbnails(config, ids, quiet, interrupt.signal, terminal);
  printLine(terminal, `updated the thumbnails of ${count(ids.length - problems.length, 'image')}`);
  if (problems.length > 0)
    throw new CommandError(...list(`${count(problems.length, 'image')} could not be updated`, problems));
}

/** Makes the thumbnails of these images, whether they have them or not. Returns what went wrong, as sentences. */
async function makeThumbnails(
  config: Config,
  ids: string[],
  isQuiet: boolean,
  signal: AbortSignal,
  terminal: Terminal,
): Promise<string[]> {
  using progress = isQuiet ? noProgress : startProgress('Making thumbnails', ids.length, terminal);
  try {
    return await updateThumbnails(ids, {
      ...enginesOf(config, terminal),
      thumbnailSizes: config.thumbnails,
      isDryRun: false,
      signal,
      warn: warnOn(terminal),
      onImage: progress.advance,
    });
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

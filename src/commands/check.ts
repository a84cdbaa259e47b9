/** `zukan check`: verifies the catalogue against itself and the stored files; `--repair` repairs what it can. */
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { checkCatalogue, type Finding, repairCatalogue } from '../catalogue/check.ts';
import { readDocument } from '../catalogue/document.ts';
import type { ImageRow } from '../catalogue/writer.ts';
import type { Config } from '../config/config.ts';
import { openFiles, openSnapshot, openWriter } from '../engines.ts';
import { removeAbandonedFiles } from '../import/cleanup.ts';
import type { Files } from '../media/files.ts';
import { inParallel } from '../parallel.ts';
import { CommandError } from './errors.ts';
import { noProgress, startProgress } from './progress.ts';
import { printLine, type Terminal } from './terminal.ts';
import { count } from './text.ts';

export interface CheckFlags {
  repair: boolean;
  quiet: boolean;
  json: boolean;
}

export async function checkCommand(config: Config, flags: CheckFlags, terminal: Terminal): Promise<void> {
  const { repair, json } = flags;
  let findings = await findCatalogueProblems(config);
  if (repair && findings.some(({ canBeRepaired }) => canBeRepaired)) {
    await repairAll(config);
    const left = await findCatalogueProblems(config);
    terminal.stderr.write(`repaired ${count(findings.length - left.length, 'problem')}\n`);
    findings = left;
  }
  if (repair) {
    await using writer = await openWriter(config);
    await removeAbandonedFiles(openFiles(config), writer);
  }
  const all = [...findings, ...(await findFileProblems(config, flags, terminal))];
  if (json) printLine(terminal, JSON.stringify(all));
  else for (const { problem } of all) printLine(terminal, problem);
  if (all.length > 0)
    throw new CommandError(`found ${count(all.length, 'problem')}${hint(findings, repair)}`);
  if (!json) printLine(terminal, 'no problems found');
}

function hint(findings: Finding[], repair: boolean): string {
  const repairable = findings.filter(({ canBeRepaired }) => canBeRepaired).length;
  return repairable > 0 && !repair ? `; "zukan check --repair" can repair ${repairable}` : '';
}

async function findCatalogueProblems(config: Config): Promise<Finding[]> {
  await using snapshot = await openSnapshot(config);
  return await Array.fromAsync(checkCatalogue(snapshot));
}

async function repairAll(config: Config): Promise<void> {
  await using writer = await openWriter(config);
  await using snapshot = await openSnapshot(config);
  await repairCatalogue(snapshot, writer);
  await writer.commit();
}

async function findFileProblems(
  config: Config,
  { quiet }: CheckFlags,
  terminal: Terminal,
): Promise<Finding[]> {
  const progress = quiet ? noProgress : startProgress('Checking', undefined, terminal);
  const files = openFiles(config);
  await using snapshot = await openSnapshot(config);
  const findings: Finding[] = [];
  const add = (problem: string) => findings.push({ problem, canBeRepaired: false });
  const used = new Set<string>();
  await inParallel(snapshot.images(), availableParallelism(), async (image) => {
    const problem = await checkFile(files, image);
    if (problem) add(`image ${image.id}: ${problem}`);
    used.add(image.key);
    progress.advance(1);
  });
  const abandoned = new Set(await files.abandonedKeys());
  for await (const key of files.keys())
    if (!used.has(key) && !abandoned.has(key)) add(`${key}: no image uses this file`);
  progress.finish();
  if (abandoned.size > 0)
    terminal.stderr.write(
      'an import is running or was interrupted; the next import, or "zukan check --repair", removes its leftover files\n',
    );
  return findings;
}

/** What is wrong with the file of an image, or undefined. */
async function checkFile(files: Files, { key, eTag: hash, document }: ImageRow): Promise<string | undefined> {
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
  const actual = createHash('sha256');
  for await (const chunk of file.stream(0, size - 1)) actual.update(chunk as Buffer);
  return actual.digest('hex') === hash ? undefined : `the file ${key} is damaged: its checksum is wrong`;
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

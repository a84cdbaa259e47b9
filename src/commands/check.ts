/** `zukan check`: whether the catalogue agrees with itself and with the stored bytes; `--repair` mends what it can. */
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { checkCatalogue, type Finding, repairCatalogue } from '../catalogue/check.ts';
import { readDocument } from '../catalogue/document.ts';
import type { ImageRow } from '../catalogue/writer.ts';
import type { Config } from '../config/config.ts';
import { openFiles, openSnapshot, openWriter } from '../engines.ts';
import { removeLeftovers } from '../import/leftovers.ts';
import type { Files } from '../media/files.ts';
import { inParallel } from '../parallel.ts';
import { CommandError } from './errors.ts';
import { noProgress, type Progress, startProgress } from './progress.ts';

export interface CheckFlags {
  repair: boolean;
  quiet: boolean;
  json: boolean;
}

export async function checkCommand(config: Config, { repair, quiet, json }: CheckFlags): Promise<void> {
  let findings = await findingsIn(config);
  if (repair && findings.some(({ canBeRepaired }) => canBeRepaired)) {
    await repairAll(config);
    const left = await findingsIn(config);
    console.error(`${findings.length - left.length} repaired`);
    findings = left;
  }
  if (repair) {
    await using writer = await openWriter(config);
    await removeLeftovers(openFiles(config), writer);
  }
  const progress = quiet ? noProgress : startProgress('Checking', undefined);
  const bytes = await checkBytes(config, progress);
  progress.finish();
  const all = [...findings, ...bytes];
  if (json) console.log(JSON.stringify(all));
  else for (const { problem } of all) console.log(problem);
  if (all.length > 0) throw new CommandError(`${all.length} wrong${hint(findings, repair)}`);
  if (!json) console.log('all is well');
}

function hint(findings: Finding[], repair: boolean): string {
  const count = findings.filter(({ canBeRepaired }) => canBeRepaired).length;
  return count > 0 && !repair ? `; --repair mends ${count} of them` : '';
}

async function findingsIn(config: Config): Promise<Finding[]> {
  await using snapshot = await openSnapshot(config);
  return await Array.fromAsync(checkCatalogue(snapshot));
}

async function repairAll(config: Config): Promise<void> {
  await using writer = await openWriter(config);
  await using snapshot = await openSnapshot(config);
  await repairCatalogue(snapshot, writer);
  await writer.commit();
}

async function checkBytes(config: Config, progress: Progress): Promise<Finding[]> {
  const files = openFiles(config);
  await using snapshot = await openSnapshot(config);
  const findings: Finding[] = [];
  const note = (problem: string) => findings.push({ problem, canBeRepaired: false });
  const used = new Set<string>();
  await inParallel(snapshot.images(), availableParallelism(), async (image) => {
    const problem = await problemOf(files, image);
    if (problem) note(`image ${image.id}: ${problem}`);
    used.add(image.key);
    progress.advance(1);
  });
  const leftovers = new Set(await files.abandonedKeys());
  for await (const key of files.keys())
    if (!used.has(key) && !leftovers.has(key)) note(`${key}: no image uses these bytes`);
  if (leftovers.size > 0)
    console.error(
      'an import is running or was interrupted; the next import, or --repair, removes what it left behind',
    );
  return findings;
}

async function problemOf(files: Files, { key, eTag: hash, document }: ImageRow): Promise<string | undefined> {
  await using file = await openToCheck(files, key);
  if (!file) return `its bytes (${key}) are missing`;
  const meta = metaIn(document);
  if (!meta) return undefined;
  const { size, eTag } = meta;
  if (file.size !== size) return `its bytes (${key}) are ${file.size} and should be ${size}`;
  // Storage that gives entity tags of its own knows whether its bytes are those that were put there.
  if (file.eTag !== undefined)
    return file.eTag === eTag
      ? undefined
      : `its bytes (${key}) have the entity tag ${file.eTag} and should have ${eTag}`;
  // Bytes that are kept under their hash can be held against it.
  const isHashed = key.includes(hash) && /^[0-9a-f]{64}$/.test(hash);
  if (!isHashed || size === 0) return undefined;
  const found = createHash('sha256');
  for await (const chunk of file.stream(0, size - 1)) found.update(chunk as Buffer);
  return found.digest('hex') === hash ? undefined : `its bytes (${key}) have changed`;
}

async function openToCheck(files: Files, key: string) {
  const file = await files.open(key);
  return file && { ...file, [Symbol.asyncDispose]: () => file.close() };
}

/** Undefined where the document cannot be read, which is told of already. */
function metaIn(document: string): { size: number; eTag: string } | undefined {
  try {
    return readDocument(document).meta;
  } catch {
    return undefined;
  }
}

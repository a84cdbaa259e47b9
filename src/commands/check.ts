/** `zukan check`: whether the catalogue agrees with itself and with the stored bytes; `--repair` mends what it can. */
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { checkCatalogue, type Finding, repairCatalogue } from '../catalogue/check.ts';
import { readDocument } from '../catalogue/document.ts';
import type { Config } from '../config.ts';
import { dumpOf, filesOf, writerOf } from '../engines.ts';
import { removeLeftovers } from '../import/run.ts';
import type { Files, ImageRow } from '../model.ts';
import { inParallel } from '../parallel.ts';
import { CommandError } from './failure.ts';
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
    const writer = await writerOf(config);
    await removeLeftovers(filesOf(config), writer);
    await writer.rollback();
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
  await using dump = await dumpOf(config);
  return await Array.fromAsync(checkCatalogue(dump));
}

async function repairAll(config: Config): Promise<void> {
  const writer = await writerOf(config);
  try {
    await using dump = await dumpOf(config);
    await repairCatalogue(dump, writer);
  } catch (error) {
    await writer.rollback();
    throw error;
  }
  await writer.commit();
}

async function checkBytes(config: Config, progress: Progress): Promise<Finding[]> {
  const files = filesOf(config);
  await using dump = await dumpOf(config);
  const findings: Finding[] = [];
  const note = (problem: string) => findings.push({ problem, canBeRepaired: false });
  const used = new Set<string>();
  await inParallel(dump.images(), availableParallelism(), async (image) => {
    const problem = await problemOf(files, image);
    if (problem) note(`image ${image.id}: ${problem}`);
    used.add(image.key);
    progress.advance(1);
  });
  const leftovers = new Set(await files.abandoned());
  for await (const key of files.keys())
    if (!used.has(key) && !leftovers.has(key)) note(`${key}: no image uses these bytes`);
  if (leftovers.size > 0)
    console.error(
      'an import is running or was interrupted; the next import, or --repair, removes what it left behind',
    );
  return findings;
}

async function problemOf(files: Files, { key, eTag, document }: ImageRow): Promise<string | undefined> {
  const file = await files.open(key);
  if (!file) return `its bytes (${key}) are missing`;
  const size = sizeIn(document);
  // Storage that gives entity tags of its own knows whether its bytes are those that were put there.
  if (file.eTag !== undefined && file.eTag !== eTag)
    return `its bytes (${key}) have the entity tag ${file.eTag} and should have ${eTag}`;
  // Bytes that are kept under their hash can be held against it.
  const isHashed = file.eTag === undefined && key.includes(eTag) && /^[0-9a-f]{64}$/.test(eTag);
  if (file.size !== size || size === 0 || !isHashed) {
    await file.close();
    return size === undefined || file.size === size
      ? undefined
      : `its bytes (${key}) are ${file.size} and should be ${size}`;
  }
  const hash = createHash('sha256');
  for await (const chunk of file.stream(0, size - 1)) hash.update(chunk as Buffer);
  return hash.digest('hex') === eTag ? undefined : `its bytes (${key}) have changed`;
}

/** Undefined where the document cannot be read, which is told of already. */
function sizeIn(document: string): number | undefined {
  try {
    return readDocument(document).meta.size;
  } catch {
    return undefined;
  }
}

/** `zukan check`: verifies the catalogue against itself and the stored files; `--repair` repairs what it can. */

import { checkCatalogue, repairCatalogue } from '../../catalogue/documents/check.ts';
import type { Finding } from '../../catalogue/documents/check-log.ts';
import { originalKey } from '../../catalogue/documents/thumbnails.ts';
import type { Config } from '../../config/config.ts';
import { removeLeftovers, removeUnusedFiles } from '../../import/apply/change-files.ts';
import { isOurKey } from '../../import/files.ts';
import { isLargePart } from '../../lib/large-part.ts';
import type { Files } from '../../media/files.ts';
import { openFiles, openSnapshot, openStore, requireOwnFiles } from '../../server/engines.ts';
import { CommandError } from '../terminal/errors.ts';
import { noProgress, startProgress } from '../terminal/interaction.ts';
import { printLine, type Terminal, warnOn } from '../terminal/terminal.ts';
import { count } from '../terminal/text.ts';
import { writersFor } from '../writer.ts';
import { checkFiles } from './check-files.ts';
import { findReadableSecrets } from './check-secrets.ts';
import { makeThumbnails } from './thumbnails.ts';

export interface CheckFlags {
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
  return repairable > 0 && !repair ? `; "zukan check --repair" can repair ${repairable}` : '';
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
  const report = await checkFiles(config, files, progress.advance);
  const { problems, lackThumbnails, unused, pictures, recent } = report;
  progress.finish();
  if (recent > 0)
    terminal.stderr.write(
      `${count(recent, 'file')} less than a day old ${recent === 1 ? 'is' : 'are'} left alone: an import on another machine may be storing them\n`,
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
    const failures = await makeThumbnails(config, ids, noProgress, new AbortController().signal, terminal);
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

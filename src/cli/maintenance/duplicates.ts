/** `zukan duplicates`: lists groups of images that look alike, or keeps one of each. */
import { readDocument } from '../../catalogue/documents/document.ts';
import { chooseBest, groupLookAlikes, type HashIndex } from '../../catalogue/sets/look-alikes.ts';
import type { CatalogueSnapshot, SavedImage } from '../../catalogue/writer.ts';
import { type Choice, keepBest } from '../../changes/copies.ts';
import type { Config } from '../../config/config.ts';
import { addMissingHashes } from '../../import/files.ts';
import { loadHashes } from '../../import/plan/looks.ts';
import { openSnapshot } from '../../server/engines.ts';
import {
  count,
  formatDifference,
  formatTable,
  type JsonFlag,
  listenForInterrupt,
  printLine,
  printLines,
  printResult,
  shortenCell,
  startProgress,
  type Terminal,
  UsageError,
} from '../terminal/terminal.ts';
import { enginesOf } from '../writer.ts';

interface DuplicatesFlags extends JsonFlag {
  keep?: 'largest' | 'oldest';
  dryRun: boolean;
}

export async function duplicatesCommand(
  config: Config,
  flags: DuplicatesFlags,
  terminal: Terminal,
): Promise<void> {
  const { json, keep, dryRun } = flags;
  if (dryRun && !keep) throw new UsageError('--dry-run needs --keep; without it, nothing is changed');
  const unreadable = await readMissing(config, terminal);
  if (unreadable > 0)
    terminal.stderr.write(`${count(unreadable, 'image')} left out: the file is missing or unreadable\n`);
  await using snapshot = await openSnapshot(config);
  const { index, groups: positions } = await findGroups(snapshot, terminal);
  if (keep) {
    const choices = await choose(snapshot, index, positions, keep);
    return keepChosen(config, choices, flags, terminal);
  }
  const groups = positions.map((group) => group.map((position) => index.imageAt(position)));
  if (json) {
    const members: Member[][] = [];
    for (const group of groups) members.push(await readMembers(snapshot, group));
    printLine(terminal, JSON.stringify(members.map((images) => ({ images }))));
    return;
  }
  for (const group of groups) {
    const rows = (await readMembers(snapshot, group)).map(toRow);
    printLines(terminal, [...formatTable(['id', 'pixels', 'bytes', 'type', 'title', 'file'], rows), '']);
  }
  printLine(terminal, summarise(groups));
}

function summarise(groups: number[][]): string {
  if (groups.length === 0) return 'no images look alike';
  const images = groups.reduce((sum, { length }) => sum + length, 0);
  return `${count(groups.length, 'group')}, ${count(images, 'image')}; "zukan duplicates --keep largest" keeps one of each group`;
}

/** Returns the images of each group to keep, and those that look like them. */
async function choose(
  snapshot: CatalogueSnapshot,
  index: HashIndex,
  groups: number[][],
  keep: 'largest' | 'oldest',
): Promise<Choice[]> {
  const choices: Choice[] = [];
  for (const group of groups) {
    const numbers = group.map((position) => index.imageAt(position));
    const rows = new Map((await snapshot.imagesByNumber(numbers)).map((row) => [row.number, row]));
    const rowAt = (position: number) => rows.get(index.imageAt(position)) as SavedImage;
    const members = new Map(group.map((position) => [position, toMember(rowAt(position))]));
    // Numbers count up, so a smaller position was added before.
    const compare = (one: number, other: number) =>
      (keep === 'largest' ? bySize(members.get(one) as Member, members.get(other) as Member) : 0) ||
      one - other;
    for (const { best, others } of chooseBest(index, group, compare))
      choices.push({ kept: rowAt(best), others: others.map(rowAt) });
  }
  return choices;
}

async function keepChosen(
  config: Config,
  choices: Choice[],
  { json, dryRun }: DuplicatesFlags,
  terminal: Terminal,
): Promise<void> {
  using interrupt = listenForInterrupt('interrupted; nothing was changed');
  const { kept, change } = await keepBest(choices, {
    ...enginesOf(config, terminal),
    now: new Date().toISOString(),
    isDryRun: dryRun,
    signal: interrupt.signal,
  });
  if (json) {
    printLine(terminal, JSON.stringify(kept));
    return;
  }
  for (const { id, differences, removed } of kept)
    printLines(terminal, [
      `kept ${id}`,
      ...differences.map((difference) => `  ${formatDifference(difference)}`),
      ...removed.map((other) => `  removed ${other}`),
    ]);
  const removed = kept.reduce((sum, { removed }) => sum + removed.length, 0);
  const done = `kept ${count(kept.length, 'image')}, moved ${removed} to the trash`;
  if (removed === 0) printLine(terminal, 'no images look alike');
  else printResult(terminal, dryRun, dryRun ? done : `${done}; "zukan undo ${change}" undoes it`);
}

async function readMissing(config: Config, terminal: Terminal): Promise<number> {
  using interrupt = listenForInterrupt('interrupted; run the command again to continue');
  using progress = startProgress('Reading pictures', undefined, terminal);
  return await addMissingHashes({
    ...enginesOf(config, terminal),
    onProgress: () => progress.advance(1),
    signal: interrupt.signal,
  });
}

/** Groups of positions in the index. */
async function findGroups(
  snapshot: CatalogueSnapshot,
  terminal: Terminal,
): Promise<{ index: HashIndex; groups: number[][] }> {
  const index = await loadHashes(snapshot);
  using progress = startProgress('Comparing', 1, terminal);
  return { index, groups: groupLookAlikes(index, (share) => progress.advance(share)) };
}

/** The largest picture first: it is usually the one to keep. */
async function readMembers(snapshot: CatalogueSnapshot, group: number[]): Promise<Member[]> {
  return (await snapshot.imagesByNumber(group)).map(toMember).sort(bySize);
}

const bySize = (a: Member, b: Member): number => b.width * b.height - a.width * a.height || b.size - a.size;

type Member = ReturnType<typeof toMember>;

function toMember({ id, mimetype, document }: SavedImage) {
  const { meta, title, fileName } = readDocument(document);
  const { width, height } = meta.dimens;
  return { id, width, height, size: meta.size, mimetype, title, fileName };
}

function toRow({ id, width, height, size, mimetype, title, fileName }: Member): string[] {
  return [id, `${width} x ${height}`, String(size), mimetype, shortenCell(title), shortenCell(fileName)];
}

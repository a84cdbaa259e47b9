/** `zukan duplicates`: lists groups of images that look alike. */
import { availableParallelism } from 'node:os';
import { readDocument } from '../../catalogue/documents/document.ts';
import { HashIndex } from '../../catalogue/sets/hash-index.ts';
import { groupLookAlikes } from '../../catalogue/sets/look-alikes.ts';
import type { Config } from '../../config/config.ts';
import { addMissingHashes } from '../../import/apply/missing-hashes.ts';
import { openFiles, openSnapshot } from '../../server/engines.ts';
import type { CatalogueSnapshot, SavedImage } from '../../store/contract/writer.ts';
import { listenForInterrupt } from '../terminal/errors.ts';
import { startProgress } from '../terminal/progress.ts';
import { printLine, printLines, type Terminal } from '../terminal/terminal.ts';
import { count, formatTable, shorten } from '../terminal/text.ts';
import { writersFor } from '../writer.ts';

interface Member {
  id: string;
  width: number;
  height: number;
  size: number;
  mimetype: string;
  title: string;
  fileName: string;
}

export async function duplicatesCommand(
  config: Config,
  { json }: { json: boolean },
  terminal: Terminal,
): Promise<void> {
  const unreadable = await readMissing(config, terminal);
  if (unreadable > 0)
    terminal.stderr.write(`${count(unreadable, 'image')} left out: the file is missing or unreadable\n`);
  await using snapshot = await openSnapshot(config);
  const groups = await findGroups(snapshot, terminal);
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
  return `${count(groups.length, 'group')}, ${count(images, 'image')}; "zukan remove <id>" removes an image`;
}

async function readMissing(config: Config, terminal: Terminal): Promise<number> {
  using interrupt = listenForInterrupt('interrupted; run the command again to continue');
  const progress = startProgress('Reading pictures', undefined, terminal);
  try {
    return await addMissingHashes({
      files: openFiles(config),
      openSnapshot: () => openSnapshot(config),
      openWriter: writersFor(config, terminal),
      concurrency: 2 * availableParallelism(),
      onProgress: () => progress.advance(1),
      signal: interrupt.signal,
    });
  } finally {
    progress.finish();
  }
}

/** Groups of image numbers. */
async function findGroups(snapshot: CatalogueSnapshot, terminal: Terminal): Promise<number[][]> {
  const index = new HashIndex();
  for await (const { image, hash } of snapshot.perceptualHashes()) index.add(image, hash);
  const progress = startProgress('Comparing', 1, terminal);
  try {
    const groups = groupLookAlikes(index, (share) => progress.advance(share));
    return groups.map((positions) => positions.map((position) => index.imageAt(position)));
  } finally {
    progress.finish();
  }
}

/** The largest picture first: it is usually the one to keep. */
async function readMembers(snapshot: CatalogueSnapshot, group: number[]): Promise<Member[]> {
  const pixels = ({ width, height }: Member) => width * height;
  return (await snapshot.imagesByNumber(group))
    .map(toMember)
    .sort((a, b) => pixels(b) - pixels(a) || b.size - a.size);
}

function toMember({ id, mimetype, document }: SavedImage): Member {
  const { meta, title, fileName } = readDocument(document);
  const { width, height } = meta.dimens;
  return { id, width, height, size: meta.size, mimetype, title, fileName };
}

function toRow({ id, width, height, size, mimetype, title, fileName }: Member): string[] {
  return [id, `${width} x ${height}`, String(size), mimetype, shorten(title), shorten(fileName)];
}

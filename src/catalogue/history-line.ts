/** Writes the change log and the trash as lines, which a restore or an import reads. */
import type { Change, StoredItem, TrashedImage } from './change-log.ts';
import { imageLine } from './lines.ts';
import type { CatalogueSnapshot } from './writer.ts';

/**
 * Images are numbered without gaps when they are read again, in the same order, but for those in the trash. The log names the
 * images of an import by their numbers, so it has to have the new ones.
 */
export class NewNumbers {
  readonly #numbers: Float64Array;

  /** The numbers of all images, in the catalogue and in the trash. */
  constructor(numbers: Iterable<number>) {
    this.#numbers = Float64Array.from(new Set(numbers)).sort();
  }

  /** The new number of an image, or else that of the one before it. */
  of(number: number): number {
    let [low, high] = [0, this.#numbers.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#numbers[middle] as number) <= number) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export function changeLine(change: Change, numbers: NewNumbers): string {
  const firstImage = numbers.of(change.firstImage - 1) + 1;
  const lastImage = Math.max(numbers.of(change.lastImage), firstImage - 1);
  return JSON.stringify({ type: 'change', ...change, firstImage, lastImage });
}

export function itemLine(item: StoredItem): string {
  try {
    const [before, after] = [parse(item.before), parse(item.after)];
    return JSON.stringify({ type: 'change-item', ...item, before, after });
  } catch {
    throw new Error(`the log of change ${item.change} is damaged; "zukan check --repair" repairs it`);
  }
}

const parse = (text: string | null): unknown => (text === null ? null : JSON.parse(text));

/** A summary of an older version without the title of a picture, which ended it but for the number of images. */
export function withoutTitle(summary: string): string {
  return summary.replace(/(^|, |: )title .*?(: \d+ images?)?$/s, '$1change the title$2');
}

/** All of it for a catalogue file, which has to begin with these lines. */
export async function* historyLines(snapshot: CatalogueSnapshot): AsyncGenerator<string, void> {
  const { changeLog } = snapshot;
  const images = await snapshot.imageNumbers();
  const trashed: number[] = [];
  let trash = 0;
  for await (const { kind, image } of changeLog.trash()) {
    trash++;
    if (kind === 'image') trashed.push(image.number);
  }
  const numbers = new NewNumbers([...images, ...trashed]);
  yield JSON.stringify({ type: 'history', images: images.length, trash });
  for await (const change of changeLog.changes()) yield changeLine(change, numbers);
  for await (const item of changeLog.storedItems()) yield itemLine(item);
  for await (const row of changeLog.trash()) yield trashLine(row, imageLine(row.image), numbers);
}

/** `line` is that of the image. */
export function trashLine(
  { image, isByUndo, ...removed }: TrashedImage,
  line: string,
  numbers: NewNumbers,
): string {
  const number = numbers.of(image.number);
  return JSON.stringify({ type: 'trash', ...removed, number, image: JSON.parse(line) });
}

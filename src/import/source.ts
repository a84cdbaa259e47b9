/** Where records come from: a catalogue file, or (folder.ts) a folder of pictures. */
import { lineText, readLines } from './lines.ts';
import { parseRecord, type RecordLine } from './record.ts';

/** A record that is still to be read, which may find it to be wrong. */
export interface Offer {
  /** Its place among the records of its source. */
  number: number;
  /** As it is told to people. */
  where: string;
  /** How much of the source it is, for showing progress. */
  weight: number;
  read(): RecordLine | undefined;
}

export interface Source {
  /** The folder that `file` is relative to and must stay in. */
  folder: string;
  /** Whether the same picture, when it comes again, is left out: people have copies. */
  leavesOutCopies: boolean;
  /** Opened when its turn comes. */
  offers(): AsyncIterable<Offer>;
}

export function catalogueFile(name: string, folder: string, open: () => AsyncIterable<Buffer>): Source {
  return {
    folder,
    leavesOutCopies: false,
    async *offers() {
      for await (const { number, bytes } of readLines(open())) {
        const read = () => parseRecord(lineText(bytes));
        yield { number, where: `${name}:${number}`, weight: bytes.length + 1, read };
      }
    },
  };
}

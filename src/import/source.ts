/** Where records come from: a catalogue file, or a folder of pictures (folder.ts). */
import { lineText, readLines } from './lines.ts';
import { parseRecord, type RecordLine } from './record.ts';

/** A record that is not parsed yet. */
export interface PendingRecord {
  position: number;
  label: string;
  /** Its share of the source's total, for the progress bar: bytes of a file, or pictures of a folder. */
  size: number;
  /** Undefined for a blank line; throws a `RecordError` if the record is invalid. */
  parse(): RecordLine | undefined;
}

export interface Source {
  /** A record's `file` is relative to this folder and must be inside it. */
  folder: string;
  /** Whether a picture with the same bytes as an earlier one is skipped: folders often contain copies. */
  skipsDuplicates: boolean;
  /** The source is opened when the iteration starts. */
  records(): AsyncIterable<PendingRecord>;
}

export function catalogueFile(name: string, folder: string, open: () => AsyncIterable<Buffer>): Source {
  return {
    folder,
    skipsDuplicates: false,
    async *records() {
      for await (const { number, bytes } of readLines(open())) {
        const parse = () => parseRecord(lineText(bytes));
        yield { position: number, label: `${name}:${number}`, size: bytes.length + 1, parse };
      }
    },
  };
}

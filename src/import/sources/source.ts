/** Where records come from: a catalogue file, or a folder of pictures (folder.ts). */

import type { KnownFile, SourceFile } from '../../catalogue/records.ts';
import type { RemovedFile } from '../../store/contract/decisions.ts';
import { checkHistory } from '../plan/history.ts';
import { lineText, readLines } from '../records/lines.ts';
import { parseJson, parseRecord, type RecordLine } from '../records/record.ts';
import type { HistoryLine } from './history-lines.ts';

/** A record that is not parsed yet. */
export interface PendingRecord {
  position: number;
  label: string;
  /** Its share of the source's total, for the progress bar: bytes of a file, or pictures of a folder. */
  size: number;
  /** For a picture of a folder. */
  file?: FoundFile | undefined;
  /** Undefined for a blank line; throws a `RecordError` if the record is invalid. */
  parse(): RecordLine | HistoryLine | undefined | Promise<RecordLine>;
}

/** Whether to read a file now: another program may still be writing it, or it did not change since it turned out invalid. */
export type Readiness = 'ready' | 'settling' | 'failed';

/** A file of a folder as it is now. */
export interface FoundFile extends Omit<SourceFile, 'image' | 'state'> {
  /** How it was imported before. */
  known: KnownFile | undefined;
  /** The images of which it may be another version: those at its path, or else those of files with its name and another type. */
  former: KnownFile[];
  /** If its picture was removed, and it did not change since. */
  removed?: RemovedFile | undefined;
  /** Whether it has the fingerprint that it had then. */
  isUnchanged: boolean;
  readiness: Readiness;
  /** Whether it stands for all pictures of a folder that cannot be read. */
  isFolder: boolean;
}

export interface Source {
  /** A record's `file` is relative to this folder and must be inside it. */
  folder: string;
  /**
   * Whether the source is a folder of pictures. Copies of a picture are skipped, entries that the pictures mention are
   * created, and metadata of the pictures completes their records.
   */
  isFolder: boolean;
  /** In order, some at a time. The source is opened when the iteration starts. */
  records(): AsyncIterable<PendingRecord[]>;
}

export function catalogueFile(name: string, folder: string, open: () => AsyncIterable<Buffer>): Source {
  return {
    folder,
    isFolder: false,
    async *records() {
      for await (const lines of readLines(open()))
        yield lines.map(({ number, bytes }) => ({
          position: number,
          label: `${name}:${number}`,
          size: bytes.length + 1,
          parse: () => parseLine(lineText(bytes)),
        }));
    },
  };
}

/** An export writes the type first. */
const historyPattern = /^\{"type":"(?:history|change|change-item|trash)"/;

function parseLine(text: string): RecordLine | HistoryLine | undefined {
  return historyPattern.test(text) ? checkHistory(parseJson(text)) : parseRecord(text);
}

/** What the environment says about imports. */
import { resolve } from 'node:path';
import { type Read, splitWords } from './parsers.ts';

export interface ImportConfig {
  /** What `zukan serve` imports when it starts. */
  readonly importOnStart: string | undefined;
  /** The options of that import, as words of a command line. */
  readonly importOptions: readonly string[];
}

/** Throws what is wrong with the words of IMPORT_OPTIONS: only the command line knows its options. */
export type CheckImportOptions = (words: string[]) => void;

export function readImporting(read: Read, check: CheckImportOptions): ImportConfig {
  return {
    importOnStart: read<string | undefined>('IMPORT_ON_START', undefined, (text) => resolve(text)),
    importOptions: read<string[]>('IMPORT_OPTIONS', [], (text) => {
      const words = splitWords(text);
      check(words);
      return words;
    }),
  };
}

export function describeImporting({ importOnStart, importOptions }: ImportConfig): Record<string, string> {
  return {
    IMPORT_ON_START: importOnStart ?? '(nothing)',
    IMPORT_OPTIONS: importOptions.join(' ') || '(none)',
  };
}

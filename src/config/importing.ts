/** What the environment says about imports. */
import { resolve } from 'node:path';
import { fail, type Read, splitWords } from './parsers.ts';
import { ratings } from './site.ts';

export interface ImportConfig {
  /** What `zukan serve` imports when it starts. */
  readonly importOnStart: string | undefined;
  /** The options of that import, as words of a command line. */
  readonly importOptions: readonly string[];
  /** Of imported pictures that nothing marks as explicit or safe. */
  readonly defaultRating: (typeof ratings)[number];
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
    defaultRating: read<ImportConfig['defaultRating']>('DEFAULT_RATING', 'sfw', parseRating),
  };
}

export function describeImporting(config: ImportConfig): Record<string, string> {
  const { importOnStart, importOptions, defaultRating } = config;
  return {
    IMPORT_ON_START: importOnStart ?? '(nothing)',
    IMPORT_OPTIONS: importOptions.join(' ') || '(none)',
    DEFAULT_RATING: defaultRating,
  };
}

function parseRating(text: string): ImportConfig['defaultRating'] {
  return ratings.find((rating) => rating === text) ?? fail(`must be one of ${ratings.join(', ')}`);
}

/** What the server does only to be fast. Tests switch all of it off, because no response may depend on it. */
export interface Tuning {
  /** Whether what was read from the catalogue is kept until the catalogue changes. */
  isCaching: boolean;
  /** Tokens that are kept until one changes. */
  maxTokens: number;
  /** Bounds what one statement reads: blocks of a shelf, names and perceptual hashes. */
  maxItemsPerSlice: number;
  /** Images that are tested one by one before sets are combined. */
  maxTestedImages: number;
  /** How long the reference shows the same examples. */
  maxExampleAgeMs: number;
}

export const defaultTuning: Tuning = {
  isCaching: true,
  maxTokens: 1000,
  maxItemsPerSlice: Number.POSITIVE_INFINITY,
  maxTestedImages: 400,
  maxExampleAgeMs: 60_000,
};

/** What the server does only to be fast. Tests switch all of it off, because no response may depend on it. */
export interface Tuning {
  /** Whether what was read from the catalogue is kept until the catalogue changes. */
  isCaching: boolean;
  /** Tokens that are kept until one changes. */
  maxTokens: number;
  /** Bounds what one statement reads of a shelf, of the names and of the perceptual hashes. */
  maxItemsPerSlice: number;
  /** Images that are tested one by one, at most about 4 ms, before sets are loaded and combined. */
  maxTestedImages: number;
  /** How long the reference shows the same examples. */
  maxExampleAgeMs: number;
  /** How long pages are made from the same facts about the catalogue. */
  maxFactsAgeMs: number;
  /** How long the sitemap stays the same. */
  maxSitemapAgeMs: number;
}

export const defaultTuning: Tuning = {
  isCaching: true,
  maxTokens: 1000,
  maxItemsPerSlice: Number.POSITIVE_INFINITY,
  maxTestedImages: 400,
  maxExampleAgeMs: 60_000,
  maxFactsAgeMs: 1000,
  maxSitemapAgeMs: 600_000,
};

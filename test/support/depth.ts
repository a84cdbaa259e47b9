/**
 * `npm test` covers everything once; `npm run test:all` goes deeper: more seeds, kill points and sizes. A file that has
 * nothing but depth starts with the line `// depth: all`.
 */
import { test } from 'node:test';

/** The first value in `npm test`, the second one in `npm run test:all`. */
export function atDepth<T>(quick: T, all: T): T {
  return process.env.ZUKAN_TEST_DEPTH === 'all' ? all : quick;
}

/** Declares a test that only runs in `npm run test:all`. */
export const testDeep = atDepth((() => {}) as unknown as typeof test, test);

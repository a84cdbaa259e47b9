/**
 * `npm test` covers everything once; `npm run test:all` goes deeper: more seeds, kill points and sizes. A file that has
 * nothing but depth starts with the line `// depth: all`.
 */
import { type TestContext, test } from 'node:test';

/** The first value in `npm test`, the second one in `npm run test:all`. */
export function atDepth<T>(quick: T, all: T): T {
  return process.env.ZUKAN_TEST_DEPTH === 'all' ? all : quick;
}

/** A test that only `npm run test:all` runs, in a file whose quick tests need the same servers. */
export const testDeep: (name: string, run: (t: TestContext) => Promise<void>) => void = atDepth(
  () => {},
  test,
);

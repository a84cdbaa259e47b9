/**
 * `npm test` covers everything once; `npm run test:all` goes deeper: more seeds, kill points and sizes. A file that has
 * nothing but depth starts with the line `// depth: all`.
 */

/** The first value in `npm test`, the second one in `npm run test:all`. */
export function atDepth<T>(quick: T, all: T): T {
  return process.env.ZUKAN_TEST_DEPTH === 'all' ? all : quick;
}

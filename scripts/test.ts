/**
 * Runs the tests: `npm test [-- pattern…]`, or only the quick ones: `npm run test:unit`. Unit tests are those that start
 * no server, browser or command, which their imports show.
 */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { readAllImports, root } from './imports.ts';

const FILES_AT_A_TIME = 4;
/** What a test needs to start a server, a browser or a command. */
const services = /'node:(child_process|http|net)'|'playwright-core'|\/src\/app\.ts'/;

const [first, ...rest] = process.argv.slice(2);
const isUnit = first === '--unit';
const patterns = first === undefined || isUnit ? rest : [first, ...rest];
const files = globSync(patterns.length > 0 ? patterns : 'test/**/*.test.ts', { cwd: root })
  .map((file) => file.split(sep).join('/'))
  .filter((file) => !isUnit || isUnitTest(file))
  .sort();

const { status } = spawnSync(
  process.execPath,
  ['--test', `--test-concurrency=${FILES_AT_A_TIME}`, ...files],
  {
    cwd: root,
    stdio: 'inherit',
    // Compiled code is cached, which saves each test process a third of its start.
    env: { ...process.env, NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled') },
  },
);
process.exitCode = status ?? 1;

function isUnitTest(file: string): boolean {
  const parts = [file, ...readAllImports(file)].filter((part) => part.startsWith('test/'));
  return !parts.some((part) => services.test(readFileSync(join(root, part), 'utf8')));
}

/** `npm test` fails if a test file has no result. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from './support/workspace.ts';

const root = join(import.meta.dirname, '..');
const contents = {
  passes: `test('a test', () => {});`,
  nested: `describe('a suite', () => test('a test', () => {}));`,
  skipped: `test('a test', { skip: true }, () => {});`,
  'skipped-suite': `describe('a suite', { skip: 'no browser' }, () => {});`,
  'without-test': `describe('a suite', () => {});`,
  exits: `test('a test', () => process.exit(0));`,
  killed: `test('a test', () => {});\ntest('another', () => process.kill(process.pid, 'SIGKILL'));`,
};

test('test files without a result fail the run and are named', async () => {
  const folder = temporaryFolder();
  const paths = Object.entries(contents).map(([name, code]) => {
    const path = join(folder, `${name}.test.ts`);
    writeFileSync(path, `import { describe, test } from 'node:test';\n${code}\n`);
    return relative(root, path);
  });
  const { NODE_TEST_CONTEXT, ...env } = process.env;
  const run = (files: string[]) =>
    new Promise<{ code: unknown; stderr: string }>((resolve) => {
      execFile(process.execPath, ['scripts/test.ts', ...files], { cwd: root, env }, (error, _, stderr) =>
        resolve({ code: error?.code ?? 0, stderr }),
      );
    });
  const [good, all] = [await run(paths.slice(0, 4)), await run(paths)];
  assert.deepEqual(good, { code: 0, stderr: '' });
  assert.equal(all.code, 1);
  const [, lost = ''] = /^No test has run to the end: (.*)$/m.exec(all.stderr) ?? [];
  assert.deepEqual(lost.split(', '), paths.slice(4).sort());
});

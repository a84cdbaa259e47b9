/** Joining modules to scripts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createContext, runInContext } from 'node:vm';
import { transformSync } from 'esbuild';
import { bundle } from '../../src/assets/bundle.ts';

/** Runs the scripts of a page one after the other, and returns what they logged. */
function run(scripts: string[]): unknown[] {
  const logged: unknown[] = [];
  const context = createContext({ log: (value: unknown) => logged.push(value) });
  for (const script of scripts) runInContext(script, context);
  // Values of another context have other prototypes.
  return JSON.parse(JSON.stringify(logged));
}

test('modules run once, dependencies first, and share nothing but their exports', () => {
  const modules = new Map([
    [
      'web/main',
      `import { two, one as first } from './parts.ts';\nimport * as all from '../client/index.ts';\nconst name = 'main';\nlog([name, first(), two, new all.Thing().name, all.renamed]);\n`,
    ],
    [
      'web/parts',
      `/**\n * Says so.\n */\nimport {\n  name,\n} from './names.js';\nexport function one() {\n  return name;\n}\nexport const two = 2;\nlog('parts');\n`,
    ],
    [
      'web/names',
      `export const name = '$& and "quotes"';\nlog('names');\nexport async function* other() {}\n`,
    ],
    ['client/index', `export { Thing, value as renamed } from './thing.ts';\nexport {};\n`],
    [
      'client/thing',
      `import { name } from '../web/names.ts';\nexport class Thing {\n  name = name;\n}\nexport const value = 3;\n`,
    ],
    ['web/unused', `log('unused');\n`],
  ]);
  const expected = ['names', 'parts', ['main', '$& and "quotes"', 2, '$& and "quotes"', 3]];
  assert.deepEqual(run(bundle(modules, ['web/main'])), expected);
  const [first = '', second = ''] = bundle(modules, ['web/parts', 'web/main']);
  assert.deepEqual(run([first]), ['names', 'parts']);
  assert.deepEqual(run([first, second]), expected);
  assert.ok(!first.includes('Says'));
  // As in the package.
  const minified = [first, second].map((script) => transformSync(script, { minify: true }).code);
  assert.deepEqual(run(minified), expected);
});

test('scripts are strict', () => {
  const modules = new Map([['web/main', 'undeclared = 1;\n']]);
  assert.throws(() => run(bundle(modules, ['web/main'])), /undeclared is not defined/);
});

test('what cannot be bundled is an error', () => {
  for (const text of [
    `import thing from './thing.ts';`,
    `import 'package';`,
    `export default 1;`,
    `export let changing = 1;`,
    `export const { a, b } = {};`,
    `export { a };`,
  ])
    assert.throws(
      () => bundle(new Map([['web/main', `const a = 1;\n${text}\n`]]), ['web/main']),
      /Cannot bundle web\/main: (import|export) /,
      text,
    );
  const missing = new Map([['web/main', `import { a } from './gone.ts';\n`]]);
  assert.throws(() => bundle(missing, ['web/main']), /no module web\/gone/);
});

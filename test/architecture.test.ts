/** Imports run downwards only: reads those of every source folder and fails on a forbidden edge or a cycle. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readAllImports, readImports, root } from '../scripts/imports.ts';

const domain = ['src/lib', 'src/catalogue', 'src/store/contract', 'src/access'];

/** For each part of the program, the parts that it may import besides itself. From the top down. */
const allowed: Record<string, string[]> = {
  'src/main.ts': ['src/cli', 'src/config', 'src/lib'],
  'src/cli': [
    ...['src/server', 'src/studio', 'src/backup', 'src/changes', 'src/import', 'src/media', 'src/config'],
    ...domain,
  ],
  'src/server': [
    ...['src/api', 'src/http', 'src/assets', 'src/access/limits', 'src/store', 'src/media', 'src/config'],
    'web/reference/code.ts',
    ...domain,
  ],
  'src/studio': [
    ...['src/studio/contract.ts', 'src/changes', 'src/import', 'src/media', 'src/assets'],
    ...domain,
  ],
  'src/studio/contract.ts': ['src/studio', 'src/changes', ...domain],
  'src/backup': ['src/import', 'src/media', ...domain],
  'src/changes': ['src/import', 'src/media', ...domain],
  'src/import': ['src/media', ...domain],
  'src/api': ['src/http', 'src/media/files.ts', ...domain],
  'src/http': domain,
  'src/assets': ['src/lib'],
  'src/media': ['src/media/files.ts', 'src/config/credentials.ts', ...domain],
  'src/media/files.ts': ['src/catalogue'],
  'src/store/drivers/sqlite': ['src/store', ...domain],
  'src/store/drivers/postgres': ['src/store', ...domain],
  'src/store': domain,
  'src/access/limits': domain,
  'src/access': ['src/lib', 'src/catalogue', 'src/store/contract'],
  'src/store/contract': ['src/lib', 'src/catalogue'],
  'src/catalogue': ['src/lib', 'src/store/contract'],
  'src/config': ['src/config/credentials.ts', 'src/lib'],
  'src/config/credentials.ts': ['src/config'],
  'src/lib': [],
  client: [],
  'web/studio': ['web', 'src/studio/contract.ts'],
  web: ['client', 'web/reference/code.ts'],
  'web/reference/code.ts': [],
};
/** Longest first, so that a file belongs to the innermost part. */
const parts = Object.keys(allowed).sort((a, b) => b.length - a.length);

const files = globSync(['src/**/*.ts', 'client/*.ts', 'web/**/*.ts'], { cwd: root });
const imports = new Map(files.map((file) => [file, readImports(file)]));

function partOf(file: string): string {
  const part = parts.find((part) => file === part || file.startsWith(`${part}/`));
  assert.ok(part, `${file} belongs to no part: add it to the table above`);
  return part;
}

function mayImport(from: string, to: string): boolean {
  return from === to || (allowed[from] ?? []).some((part) => to === part || to.startsWith(`${part}/`));
}

test('every import goes to a part that the importing part may know', () => {
  assert.ok(files.length > 150);
  const forbidden = [...imports].flatMap(([file, targets]) =>
    targets
      .filter((target) => !mayImport(partOf(file), partOf(target)))
      .map((target) => `${file} imports ${target}`),
  );
  assert.deepEqual(forbidden, []);
});

test('there is no import cycle', () => {
  const reaches = (from: string, goal: string, seen = new Set<string>()): boolean =>
    (imports.get(from) ?? []).some((next) => {
      if (next === goal) return true;
      if (seen.has(next)) return false;
      seen.add(next);
      return reaches(next, goal, seen);
    });
  assert.deepEqual(
    files.filter((file) => reaches(file, file)),
    [],
  );
});

test('every import names a file', () => {
  const targets = [...imports.values()].flat();
  assert.ok(targets.length > 500);
  assert.deepEqual(
    targets.filter((target) => !existsSync(join(root, target))),
    [],
  );
});

test('the client imports nothing from outside its folder, not even types: it has no dependencies', () => {
  const modules = files.filter((file) => partOf(file) === 'client');
  assert.ok(modules.length > 3);
  for (const file of modules) {
    const text = readFileSync(join(root, file), 'utf8');
    const outside = text.matchAll(/^(?:import|export) [^;]*from '(?!\.\/)[^']+'/gm);
    assert.deepEqual(
      Array.from(outside, ([found]) => found),
      [],
      file,
    );
  }
});

test('the pages import types only from the server, and nothing that needs the types of Node', () => {
  const contract = 'src/studio/contract.ts';
  const pages = files.filter((file) => imports.get(file)?.includes(contract) && file.startsWith('web/'));
  assert.ok(pages.length > 10);
  for (const file of pages) {
    const text = readFileSync(join(root, file), 'utf8');
    const statements = text.matchAll(/^(?:import|export)\b[^;]*from '[./]*\/src\/[^;]*;/gm);
    const values = Array.from(statements, ([found]) => found).filter((found) => !/^\w+ type /.test(found));
    assert.deepEqual(values, [], file);
  }
  const needNode = [...readAllImports(contract)].filter((file) =>
    readFileSync(join(root, file), 'utf8').includes("from 'node:"),
  );
  assert.deepEqual(needNode, []);
});

test('no source file has more than 400 lines', () => {
  const long = files.filter((file) => readFileSync(join(root, file), 'utf8').split('\n').length > 401);
  assert.deepEqual(long, []);
});

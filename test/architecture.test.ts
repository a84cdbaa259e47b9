/** Imports run downwards only: reads them all and fails on a forbidden edge or a circle. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';

const source = join(import.meta.dirname, '../src');

/** For each part (a folder, or a file at the top) the parts that it may import besides itself. */
const allowed: Record<string, string[]> = {
  'main.ts': ['commands', 'config.ts', 'version.ts'],
  commands: [
    'app.ts',
    'engines.ts',
    'import',
    'catalogue',
    'media',
    'parallel.ts',
    'access',
    'model.ts',
    'config.ts',
    'version.ts',
  ],
  'app.ts': ['engines.ts', 'http', 'access', 'model.ts', 'config.ts'],
  'engines.ts': ['store', 'media', 'limits', 'model.ts', 'config.ts'],
  limits: ['access', 'model.ts'],
  http: ['turns.ts', 'catalogue', 'access', 'model.ts', 'schemas.ts', 'version.ts'],
  import: ['catalogue', 'media', 'parallel.ts', 'model.ts', 'schemas.ts'],
  store: ['turns.ts', 'catalogue', 'model.ts'],
  catalogue: ['model.ts'],
  access: ['model.ts'],
  media: ['parallel.ts', 'model.ts'],
  client: ['schemas.ts'],
  'parallel.ts': [],
  'turns.ts': [],
  'model.ts': ['schemas.ts'],
  'config.ts': ['places.ts'],
  'places.ts': [],
  'schemas.ts': [],
  'version.ts': [],
};

const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);
const imports = new Map(files.map((file) => [file, importsOf(file)]));

function importsOf(file: string): string[] {
  const text = readFileSync(join(source, file), 'utf8');
  const targets = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+\.ts)'/g)].map(
    (match) => match[1] as string,
  );
  return targets.map((target) => relative(source, join(source, dirname(file), target)));
}

const partOf = (file: string) => file.split('/')[0] as string;

test('every import goes to a part that the importing part may know', () => {
  assert.ok(files.length > 20);
  const forbidden = [...imports].flatMap(([file, targets]) =>
    targets
      .filter((target) => partOf(target) !== partOf(file) && !allowed[partOf(file)]?.includes(partOf(target)))
      .map((target) => `${file} imports ${target}`),
  );
  assert.deepEqual(forbidden, []);
});

test('no file imports itself by any way round', () => {
  const reaches = (from: string, wanted: string, seen = new Set<string>()): boolean =>
    (imports.get(from) ?? []).some((next) => {
      if (next === wanted) return true;
      if (seen.has(next)) return false;
      seen.add(next);
      return reaches(next, wanted, seen);
    });
  assert.deepEqual(
    files.filter((file) => reaches(file, file)),
    [],
  );
});

test('every import of the project is found and names a file', () => {
  const missing = [...imports.values()].flat().filter((target) => !files.includes(target));
  assert.deepEqual(missing, []);
  assert.ok([...imports.values()].flat().length > 50);
});

test('the client takes nothing but types from outside of its folder, so that browsers can run it', () => {
  const parts = files.filter((file) => partOf(file) === 'client');
  assert.ok(parts.length > 3);
  for (const file of parts) {
    const text = readFileSync(join(source, file), 'utf8');
    const outside = [...text.matchAll(/^(?:import|export) (?!type )[^;]*from '(?!\.\/)[^']+'/gm)];
    assert.deepEqual(
      outside.map(([found]) => found),
      [],
      file,
    );
  }
});

/** Imports run downwards only: reads those of every source folder and fails on a forbidden edge or a cycle. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readImports, root } from '../scripts/imports.ts';

const schemas = ['src/json-schema.ts', 'src/schemas.ts'];
const basics = [
  'src/clock.ts',
  'src/errors.ts',
  'src/metrics.ts',
  'src/random.ts',
  'src/tuning.ts',
  ...schemas,
];
const folders = 'src/make-folder.ts';
const domain = ['src/access', 'src/catalogue', ...basics];
const http = ['src/event-loop.ts', 'src/http/services.ts', 'src/limits/limiter.ts', 'src/media/files.ts'];
const bundling = [
  'src/http/pages/bundle.ts',
  'src/http/pages/browser-files.ts',
  'src/http/pages/drawn-mark.ts',
];
const store = ['src/store/shared', 'src/store/store.ts', 'src/event-loop.ts', ...domain];

/** For each part of the program, the parts that it may import besides itself. */
const allowed: Record<string, string[]> = {
  'src/main.ts': ['src/commands', 'src/config', 'src/version.ts'],
  'src/commands': [
    ...[
      'src/app.ts',
      'src/engines.ts',
      'src/backup',
      'src/edit',
      'src/studio',
      'src/import',
      'src/media',
      'src/config',
      folders,
      'src/parallel.ts',
    ],
    ...['src/version.ts', 'src/workers', 'demo', ...domain],
  ],
  'src/workers': [
    ...['src/app.ts', 'src/engines.ts', 'src/http/metrics', 'src/http/server', 'src/limits', 'src/config'],
    'src/shared-turn.ts',
    ...domain,
  ],
  'src/app.ts': ['src/engines.ts', 'src/http', 'src/config', ...domain],
  'src/engines.ts': ['src/store', 'src/media', 'src/limits', 'src/config', 'src/shared-turn.ts', ...domain],
  'src/http/web-server.ts': ['src/http', 'src/metrics.ts'],
  'src/http/pages/bundle.ts': [],
  'src/http/pages/drawn-mark.ts': [],
  'src/http/pages/browser-files.ts': ['src/http/pages/bundle.ts'],
  'src/http/pages': [
    ...bundling,
    'src/http/api',
    'src/http/metrics',
    'src/http/server',
    'src/version.ts',
    ...http,
    ...domain,
  ],
  'src/http/api': ['src/http/server', 'src/version.ts', ...http, ...domain],
  'src/http/server': ['src/http/metrics', ...http, ...domain],
  'src/http/services.ts': ['src/http/metrics', ...http, ...domain],
  'src/http/metrics': ['src/version.ts', ...domain],
  'src/import': ['src/budget.ts', 'src/in-batches.ts', 'src/media', 'src/parallel.ts', ...domain],
  'src/backup': [
    folders,
    'src/budget.ts',
    'src/import',
    'src/in-batches.ts',
    'src/media',
    'src/parallel.ts',
    'src/version.ts',
    ...domain,
  ],
  'src/edit': ['src/import', 'src/in-batches.ts', 'src/media', 'src/parallel.ts', ...domain],
  'src/studio': ['src/edit', 'src/import', 'src/media/files.ts', 'src/parallel.ts', ...bundling, ...domain],
  'src/shared-turn.ts': [],
  'src/limits': ['src/limits/limiter.ts', ...domain],
  'src/limits/limiter.ts': ['src/access'],
  'src/store/sqlite': [folders, ...store],
  'src/store/postgres': store,
  'src/store/shared': ['src/event-loop.ts', ...domain],
  'src/store/store.ts': domain,
  'src/media': [
    folders,
    'src/budget.ts',
    'src/media/files.ts',
    'src/config/credentials.ts',
    'src/parallel.ts',
    'src/shared-turn.ts',
    ...domain,
  ],
  'src/media/files.ts': ['src/catalogue'],
  'src/access': ['src/catalogue', ...basics],
  'src/catalogue': basics,
  'src/config': ['src/config/credentials.ts', folders],
  'src/config/credentials.ts': ['src/config'],
  'src/clock.ts': [],
  'src/errors.ts': [],
  'src/event-loop.ts': [],
  'src/json-schema.ts': [],
  'src/metrics.ts': [],
  'src/budget.ts': [],
  'src/in-batches.ts': [],
  'src/make-folder.ts': [],
  'src/parallel.ts': [],
  'src/random.ts': [],
  'src/schemas.ts': ['src/json-schema.ts'],
  'src/tuning.ts': [],
  'src/version.ts': [],
  client: [],
  demo: ['src/commands', 'src/engines.ts', 'src/config', 'src/parallel.ts'],
  web: ['client'],
};
/** Longest first, so that a file belongs to the innermost part. */
const parts = Object.keys(allowed).sort((a, b) => b.length - a.length);

const files = globSync(['src/**/*.ts', 'client/*.ts', 'demo/*.ts', 'web/**/*.ts'], { cwd: root });
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

test('no source file has more than 250 lines', () => {
  const long = files.filter((file) => readFileSync(join(root, file), 'utf8').split('\n').length > 251);
  assert.deepEqual(long, []);
});

/** Imports run downwards only: reads those of every source folder and fails on a forbidden edge or a cycle. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readAllImports, readImports, root } from '../scripts/imports.ts';

const domain = ['src/lib', 'src/catalogue', 'src/access'];

/** For each part of the program, the parts that it may import besides itself. From the top down. */
const allowed: Record<string, string[]> = {
  'src/main.ts': ['src/cli', 'src/config', 'src/lib'],
  'src/cli': [
    ...['src/server', 'src/studio', 'src/backup', 'src/changes', 'src/import', 'src/media', 'src/config'],
    ...domain,
  ],
  'src/server': [
    ...['src/pages', 'src/api', 'src/http', 'src/assets', 'src/access/limits', 'src/store', 'src/media'],
    ...['src/config', 'web/reference/code.ts'],
    ...domain,
  ],
  'src/pages': ['src/api', 'src/http', 'src/assets', 'src/media', ...domain],
  'src/studio': [
    ...['src/studio/contract.ts', 'src/changes', 'src/import', 'src/media', 'src/assets'],
    ...domain,
  ],
  'src/studio/contract.ts': domain,
  'src/backup': ['src/import', 'src/media', ...domain],
  'src/changes': ['src/import', 'src/media', ...domain],
  'src/import': ['src/media', ...domain],
  'src/api': ['src/http', 'src/media/files.ts', ...domain],
  'src/http': domain,
  'src/assets': ['src/lib'],
  'src/media': ['src/media/files.ts', 'src/config/values.ts', ...domain],
  'src/media/files.ts': ['src/catalogue'],
  'src/store/drivers/sqlite': ['src/store', ...domain],
  'src/store/drivers/postgres': ['src/store', ...domain],
  'src/store': domain,
  'src/access/limits': domain,
  'src/access': ['src/lib', 'src/catalogue'],
  'src/catalogue': ['src/lib'],
  'src/config': ['src/config/values.ts', 'src/lib'],
  'src/config/values.ts': ['src/lib'],
  'src/lib': [],
  client: [],
  'web/studio': ['web', 'src/studio/contract.ts'],
  web: ['client', 'web/reference/code.ts'],
  'web/reference/code.ts': [],
};
/** The rooms of a part, from the top down: each imports only itself and those below it. */
const rooms = [
  [
    ...[
      'src/cli/program.ts',
      'src/cli/serving',
      'src/cli/moving',
      'src/cli/maintenance',
      'src/cli/importing',
    ],
    ...['src/cli/migrating.ts', 'src/cli/writer.ts', 'src/cli/terminal'],
  ],
  [
    ...['src/server/workers', 'src/server/app.ts', 'src/server/engines.ts', 'src/server/pages/reference'],
    'src/server/pages',
  ],
  [
    ...['src/pages/routes.ts', 'src/pages/site-files.ts', 'src/pages/templates.ts'],
    ...['src/pages/layout.ts', 'src/pages/filters.ts', 'src/pages/tile.ts', 'src/pages/head.ts'],
    ...['src/pages/model.ts', 'src/pages/html.ts', 'src/pages/texts.ts', 'src/pages/address.ts'],
  ],
  [
    ...['src/studio/studio.ts', 'src/studio/changes.ts', 'src/studio/history.ts'],
    ...['src/studio/review.ts', 'src/studio/pictures.ts', 'src/studio/server.ts'],
    ...['src/studio/remote-access.ts', 'src/studio/passwords.ts', 'src/studio/access.ts'],
    ...['src/studio/requests.ts', 'src/studio/contract.ts'],
  ],
  [
    ...['src/import/run.ts', 'src/import/apply', 'src/import/prepare', 'src/import/files.ts'],
    ...['src/import/sources', 'src/import/plan', 'src/import/sidecar', 'src/import/records'],
  ],
  ['src/media/s3', 'src/media', 'src/media/metadata'],
  [
    ...['web/studio/main.ts', 'web/studio/pictures.ts', 'web/studio/filters.ts', 'web/studio/views'],
    ...['web/studio/panel', 'web/studio/loupe', 'web/studio/grid', 'web/studio/changes'],
    ...['web/studio/saving', 'web/studio/shared'],
  ],
  [
    ...['src/store/drivers', 'src/store/write', 'src/store/read', 'src/store/document-cache'],
    ...['src/store/change-log', 'src/store/migrations', 'src/store/view.ts', 'src/store/session.ts'],
  ],
  [
    ...['src/catalogue/lines.ts', 'src/catalogue/catalogue.ts', 'src/catalogue/documents'],
    ...['src/catalogue/writer.ts', 'src/catalogue/change-log.ts'],
    ...['src/catalogue/search', 'src/catalogue/names.ts'],
    ...['src/catalogue/sets', 'src/catalogue/rights.ts', 'src/catalogue/schemas.ts'],
  ],
];
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

test('inside a part, every import goes to the same room or to one below it', () => {
  for (const part of rooms) {
    const innermost = [...part].sort((a, b) => b.length - a.length);
    const roomOf = (file: string) =>
      part.indexOf(innermost.find((room) => file === room || file.startsWith(`${room}/`)) ?? '');
    const folder = part[0]?.split('/').slice(0, 2).join('/');
    const inside = files.filter((file) => file.startsWith(`${folder}/`));
    assert.deepEqual(
      inside.filter((file) => roomOf(file) < 0),
      [],
      'belongs to no room: add it to the lists above',
    );
    const upwards = inside.flatMap((file) =>
      (imports.get(file) ?? [])
        .filter((target) => inside.includes(target) && roomOf(target) < roomOf(file))
        .map((target) => `${file} imports ${target}`),
    );
    assert.deepEqual(upwards, []);
  }
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

test('no source file has more than 420 lines', () => {
  const long = files.filter((file) => readFileSync(join(root, file), 'utf8').split('\n').length > 421);
  assert.deepEqual(long, []);
});

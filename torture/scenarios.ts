/** The commands that are killed, each with the catalogue that it starts from. */
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { uuid } from '../test/support/catalogues/catalogue.ts';
import { writeTiny } from '../test/support/pictures/tiny.ts';
import { tamper } from '../test/support/servers/engines.ts';
import { launch } from '../test/support/zukan/program.ts';
import { configFor, filesFolder } from '../test/support/zukan/service.ts';
import type { Place } from './kill-stores.ts';
import { randomFor } from './random.ts';
import { type Environment, runOrThrow } from './servers.ts';
import { WatchedPlace, watchFolder } from './watch-kills.ts';

const PICTURES = 6;
/** Makes a command count its operations, and end before the one that KILL_AT names. */
export const traceFlags = [`--import=${join(import.meta.dirname, '../test/support/zukan/kill-at.ts')}`];

/** What is killed, in turn. */
export const subjects = [
  ...(['server', 'import', 'removal', 'repair', 'import'] as const),
  ...(['watch', 'restore', 'edit', 'watch and prune', 'rename', 'revert'] as const),
  ...(['undo', 'restore from the trash', 'empty the trash'] as const),
];
export type Subject = (typeof subjects)[number];

/** A command, the catalogue before it, and what it does to it when nobody kills it. */
export interface Scenario {
  store: string;
  place: Place;
  command: string[];
  before: string;
  after: string;
  operations: number;
  ms: number;
}

export type Command = Exclude<Subject, 'server'>;

export async function prepareScenarios(
  folder: string,
  store: string,
  place: Place,
  empty: Place,
  commands: ReadonlySet<Command>,
): Promise<Map<Command, Scenario>> {
  const [old, next] = [
    writeGeneration(folder, 'old', PICTURES),
    writeGeneration(folder, 'new', PICTURES + 2),
  ];
  await runOrThrow(['import', '--quiet', old], place.environment);
  await runOrThrow(
    ['token', 'create', '--owner', 'o', '--purpose', 'p', '--scope', 'image:list'],
    place.environment,
  );
  const prepare: Record<Command, () => Promise<Scenario>> = {
    import: () => trace(store, place, ['import', '--quiet', next]),
    removal: () => trace(store, place, ['remove', '--yes', uuid(4, 1), uuid(4, 3)]),
    async repair() {
      const damaged = await place.copy();
      damage(damaged.environment);
      return trace(store, damaged, ['check', '--quiet', '--repair']);
    },
    async restore() {
      const backup = join(folder, `backup of ${store}`);
      await runOrThrow(['backup', '--quiet', backup], place.environment);
      await runOrThrow(['import', '-'], empty.environment);
      return trace(store, empty, ['restore', '--quiet', backup]);
    },
    edit: () => trace(store, place, ['edit', uuid(4, 1), uuid(4, 2), '--rating', 'nsfw']),
    rename: () => trace(store, place, ['entry', 'category', 'all', '--name', 'every']),
    revert: () => trace(store, place, ['undo', '1']),
    async undo() {
      const edited = await place.copy();
      await runOrThrow(['edit', uuid(4, 1), uuid(4, 2), '--rating', 'nsfw'], edited.environment);
      return trace(store, edited, ['undo', '2']);
    },
    async 'restore from the trash'() {
      const copy = await copyWithTrash(folder, place);
      return trace(store, copy, ['trash', '--restore', uuid(4, 100), uuid(4, 101)]);
    },
    async 'empty the trash'() {
      return trace(store, await copyWithTrash(folder, place), ['trash', '--empty', '--yes']);
    },
    watch: () => traceWatch(store, place, false),
    'watch and prune': () => traceWatch(store, place, true),
  };
  const scenarios = new Map<Command, Scenario>();
  for (const command of commands) scenarios.set(command, await prepare[command]());
  return scenarios;
}

/** A copy with two images in the trash. */
async function copyWithTrash(folder: string, place: Place): Promise<Place> {
  const copy = await place.copy();
  const lines = [100, 101].map((index) => {
    writeTiny(folder, `trash/${index}.png`, index);
    return JSON.stringify({ type: 'image', id: uuid(4, index), file: `trash/${index}.png`, nsfw: 'sfw' });
  });
  const path = join(folder, 'trash.ndjson');
  writeFileSync(path, lines.join('\n'));
  await runOrThrow(['import', '--quiet', path], copy.environment);
  await runOrThrow(['undo', '2'], copy.environment);
  return copy;
}

/** Every image of the new generation has another picture than that of the same id in the old one. */
function writeGeneration(folder: string, name: string, count: number): string {
  const createdAt = '2026-01-01T00:00:00.000Z';
  const lines: object[] = [{ type: 'category', id: uuid(1, 1), name: 'all', description: name, createdAt }];
  for (let index = 0; index < count; index++) {
    const file = `${name}/${index}.png`;
    writeTiny(folder, file, (name === 'old' ? 1000 : 2000) + index);
    const rest = {
      nsfw: 'sfw',
      source: { name, url: 'https://example.org/' },
      categories: ['all'],
      createdAt,
    };
    lines.push({ type: 'image', id: uuid(4, index), file, ...rest });
  }
  const path = join(folder, `${name}.ndjson`);
  writeFileSync(path, lines.map((line) => JSON.stringify(line)).join('\n'));
  return path;
}

/** Wrong counts, missing placements and a file that no image uses. */
function damage(environment: Environment): void {
  const config = configFor('', environment);
  tamper(config, "update shelf set size = size + 1 where kind = 'rating'");
  tamper(config, 'delete from placement where position = 0');
  const unused = `00/${'00'.repeat(32)}.png`;
  mkdirSync(join(filesFolder(config), '00'), { recursive: true });
  writeFileSync(join(filesFolder(config), unused), 'bytes');
}

/** Runs the command to its end in a copy. */
async function trace(store: string, place: Place, command: string[]): Promise<Scenario> {
  const copy = await place.copy();
  const startedAt = performance.now();
  const child = launch(command, copy.environment, traceFlags);
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  child.stdout?.resume();
  const [status] = await once(child, 'close');
  const ms = performance.now() - startedAt;
  if (status !== 0) throw new Error(`zukan ${command.join(' ')} failed: ${errors}`);
  const { operations } = JSON.parse(errors.trim().split('\n').at(-1) ?? '') as { operations: number };
  const [before, after] = [await place.contents(), await copy.contents()];
  await copy.settle();
  await copy.remove();
  return { store, place, command, before, after, operations, ms };
}

/** How a folder changes is different in each kill, so the number of operations is an example. */
async function traceWatch(store: string, place: Place, isPruned: boolean): Promise<Scenario> {
  const random = randomFor(0, 'watch');
  const copy = await place.copy();
  const watched = new WatchedPlace(copy, isPruned);
  await watched.prepare(random);
  const startedAt = performance.now();
  const operations = await watchFolder(watched, random, traceFlags);
  const ms = performance.now() - startedAt;
  const contents = await place.contents();
  await copy.settle();
  await copy.remove();
  const command = ['import', '--watch', ...(isPruned ? ['--prune'] : [])];
  return { store, place, command, before: contents, after: contents, operations, ms };
}

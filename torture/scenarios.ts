/** The commands that are killed, each with the catalogue that it starts from. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { uuid } from '../test/support/catalogues/catalogue.ts';
import { writeLines } from '../test/support/catalogues/lines.ts';
import { writeTiny } from '../test/support/pictures/tiny.ts';
import { tamper } from '../test/support/servers/engines.ts';
import { traceCommand } from '../test/support/zukan/run-until.ts';
import { configFor, filesFolder } from '../test/support/zukan/service.ts';
import type { Place } from './kill-stores.ts';
import { losses } from './losses.ts';
import { randomFor } from './random.ts';
import { type Environment, runOrThrow } from './servers.ts';
import { WatchedPlace, watchFolder } from './watch-kills.ts';

const PICTURES = 6;
/** What is killed, in turn. */
export const subjects = [
  ...(['server', 'import', 'removal', 'repair', 'import'] as const),
  ...(['watch', 'restore', 'edit', 'watch and prune', 'rename', 'revert'] as const),
  ...(['undo', 'restore from the trash', 'empty the trash'] as const),
  ...losses,
  ...(['full disk', 'clock', 'studio'] as const),
];
export type Subject = (typeof subjects)[number];

/** A command, the catalogue that it starts from, and what it does to it when nobody kills it. `other` has other images. */
export interface Scenario {
  place: Place;
  command: string[];
  before: string;
  after: string;
  operations: number;
  /** The position of its first commit. */
  commit: number;
  ms: number;
}

/** What is killed or broken in other ways than a command, while an import of a new generation may run. */
const whileImporting = ['server', ...losses, 'full disk', 'clock', 'studio'] as const;
export type Command = Exclude<Subject, (typeof whileImporting)[number]>;

export const commandOf = (subject: Subject): Command =>
  (whileImporting as readonly string[]).includes(subject) ? 'import' : (subject as Command);

export async function prepareScenarios(
  folder: string,
  place: Place,
  { empty, other }: { empty: Place; other: Place },
  commands: ReadonlySet<Command>,
): Promise<Map<Command, Scenario>> {
  const [old, next] = [
    writeGeneration(folder, 'old', PICTURES),
    writeGeneration(folder, 'new', PICTURES + 2),
  ];
  await runOrThrow(['import', '--quiet', old], place.environment);
  await runOrThrow(['import', '--quiet', next], other.environment);
  await runOrThrow(
    ['token', 'create', '--owner', 'o', '--purpose', 'p', '--scope', 'image:list'],
    place.environment,
  );
  const prepare: Record<Command, () => Promise<Scenario>> = {
    import: () => trace(place, ['import', '--quiet', next]),
    removal: () => trace(place, ['remove', '--yes', uuid(4, 1), uuid(4, 3)]),
    async repair() {
      const damaged = await place.copy();
      damage(damaged.environment);
      return trace(damaged, ['check', '--quiet', '--repair']);
    },
    async restore() {
      const backup = `${place.dataDir} backup`;
      await runOrThrow(['backup', '--quiet', backup], place.environment);
      await runOrThrow(['import', '-'], empty.environment);
      return trace(empty, ['restore', '--quiet', backup]);
    },
    edit: () => trace(place, ['edit', uuid(4, 1), uuid(4, 2), '--rating', 'nsfw']),
    rename: () => trace(place, ['entry', 'category', 'all', '--name', 'every']),
    revert: () => trace(place, ['undo', '1']),
    async undo() {
      const edited = await place.copy();
      await runOrThrow(['edit', uuid(4, 1), uuid(4, 2), '--rating', 'nsfw'], edited.environment);
      return trace(edited, ['undo', '2']);
    },
    async 'restore from the trash'() {
      const copy = await copyWithTrash(folder, place);
      return trace(copy, ['trash', '--restore', uuid(4, 100), uuid(4, 101)]);
    },
    async 'empty the trash'() {
      return trace(await copyWithTrash(folder, place), ['trash', '--empty', '--yes']);
    },
    watch: () => traceWatch(place, false),
    'watch and prune': () => traceWatch(place, true),
  };
  const scenarios = new Map<Command, Scenario>();
  for (const command of commands) scenarios.set(command, await prepare[command]());
  return scenarios;
}

/** A copy with two images in the trash. */
async function copyWithTrash(folder: string, place: Place): Promise<Place> {
  const copy = await place.copy();
  const records = [100, 101].map((index) => {
    writeTiny(folder, `trash/${index}.png`, index);
    return { type: 'image', id: uuid(4, index), file: `trash/${index}.png`, nsfw: 'sfw' };
  });
  const path = writeLines(folder, 'trash.ndjson', records);
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
  return writeLines(folder, `${name}.ndjson`, lines);
}

/** Wrong counts, missing images and a file that no image uses. */
function damage(environment: Environment): void {
  const config = configFor('', environment);
  tamper(config, "update shelf set size = size + 1 where kind = 'rating'");
  tamper(config, 'delete from shelf_block where block = 0 and shelf % 2 = 0');
  const unused = `00/${'00'.repeat(32)}.png`;
  mkdirSync(join(filesFolder(config), '00'), { recursive: true });
  writeFileSync(join(filesFolder(config), unused), 'bytes');
}

/** Runs the command to its end in a copy. */
export async function trace(place: Place, command: string[]): Promise<Scenario> {
  // Before it is copied: reading creates the file of the tokens, which a copy that is killed then has too.
  const before = await place.contents();
  const copy = await place.copy();
  const { operations, commit, ms } = await traceCommand(command, copy.environment);
  const after = await copy.contents();
  await copy.settle();
  await copy.remove();
  return { place, command, before, after, operations, commit, ms };
}

/** How a folder changes is different in each kill, so the number of operations is an example. */
async function traceWatch(place: Place, isPruned: boolean): Promise<Scenario> {
  const random = randomFor(0, 'watch');
  const copy = await place.copy();
  const watched = new WatchedPlace(copy, isPruned);
  await watched.prepare(random);
  const startedAt = performance.now();
  const operations = await watchFolder(watched, random);
  const ms = performance.now() - startedAt;
  const contents = await place.contents();
  await copy.settle();
  await copy.remove();
  const command = ['import', '--watch', ...(isPruned ? ['--prune'] : [])];
  return { place, command, before: contents, after: contents, operations, commit: 0, ms };
}

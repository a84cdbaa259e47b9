/** What can happen in a year, with random details. A step that makes no sense at that moment has no effect. */
import fc from 'fast-check';
import { DAMAGED } from './folder.ts';
import { type Entry, fields, type Kind, kinds, type ModelImage } from './model.ts';
import { sidecars } from './sidecars.ts';
import { pictures } from './state.ts';
import { watchFolder } from './watching.ts';
import type { Year } from './year.ts';

export interface Step {
  apply(year: Year): Promise<void> | void;
}

const names: Record<Kind, string[]> = {
  artist: ['Ann', 'Bob', 'Cid', 'Ann Ink'],
  category: ['cats', 'Dogs', 'blue', 'red', 'CATS', 'nsfw', 'night sky'],
  character: ['Koharu', 'Mika', 'Miko'],
};

const directory = fc.constantFrom('', 'cats/', 'cats/night sky/', 'dogs/', 'nsfw/');
const path = fc
  .tuple(directory, fc.constantFrom('a', 'b', 'c'))
  .map(([folder, name]) => `${folder}${name}.png`);
const picture = fc.constantFrom(...pictures);
const rating = fc.constantFrom('sfw' as const, 'questionable' as const, 'nsfw' as const);
const artist = fc.constantFrom(...names.artist);
const category = fc.constantFrom(...names.category);
/** A step with random details. */
function step<T>(
  title: string,
  details: fc.Arbitrary<T>,
  apply: (year: Year, details: T) => Promise<void> | void,
): fc.Arbitrary<Step> {
  return details.map((chosen) => ({
    apply: (year) => apply(year, chosen),
    [fc.toStringMethod]: () => `\n${title} ${JSON.stringify(chosen)}`,
  }));
}

const sidecar = fc.constantFrom(...sidecars);

const write = step('write', fc.tuple(picture, path, sidecar), ({ folder }, [number, to, sidecar]) => {
  // Copies are a step of their own.
  const from = folder.pathOf(number);
  if (from) folder.removePicture(from);
  folder.writePicture(to, number);
  folder.writeSidecar(to, sidecar);
});

const move = step('move', fc.tuple(path, path, fc.boolean()), ({ folder }, [from, to, withSidecars]) => {
  if (folder.pictures.has(from) && from !== to) folder.move(from, to, withSidecars);
});

const folderSteps = [
  step('copy', fc.tuple(path, path, sidecar), ({ folder }, [from, to, sidecar]) => {
    if (!folder.pictures.has(from) || from === to) return;
    folder.writePicture(to, folder.pictureAt(from));
    folder.writeSidecar(to, sidecar);
  }),
  step('write a sidecar', fc.tuple(path, sidecar), ({ folder }, [to, sidecar]) => {
    folder.writeSidecar(to, sidecar);
  }),
  move,
  step('move a folder', fc.tuple(directory, directory), ({ folder }, [from, to]) => {
    if (from === '' || from === to) return;
    for (const path of folder.paths)
      if (path.startsWith(from)) folder.move(path, to + path.slice(from.length).replaceAll('/', ' '), true);
  }),
  step('remove sidecars', path, ({ folder }, from) => folder.removeSidecars(from)),
  step('damage', path, ({ folder }, at) => {
    if (folder.pictures.has(at)) folder.writePicture(at, DAMAGED);
  }),
  step('delete', path, ({ folder }, from) => {
    if (folder.pictures.has(from)) folder.removePicture(from);
  }),
];

const anyFolderStep = fc.oneof(write, ...folderSteps);

const beginWriting = step('begin to write', fc.tuple(picture, path), ({ folder }, [number, to]) => {
  folder.beginPicture(to, number);
});

/** Renames, and everything else that happens to files while a folder is watched. */
const watch = step(
  'watch',
  fc.record({
    prune: fc.constantFrom(true, true, false),
    defaultRating: rating,
    moments: fc.array(
      fc.record({
        minutes: fc.constantFrom(0, 1, 6, 11),
        changes: fc.array(fc.oneof(move, move, beginWriting, anyFolderStep), { maxLength: 2 }),
      }),
      { minLength: 3, maxLength: 7 },
    ),
  }),
  (year, { moments, ...flags }) =>
    watchFolder(year, {
      ...flags,
      moments: moments.map(({ minutes, changes }) => ({
        minutes,
        change: (year) => {
          for (const change of changes) change.apply(year);
        },
      })),
    }),
);

const importFlags = fc.record({
  full: fc.boolean(),
  strict: fc.constantFrom(false, false, true),
  prune: fc.boolean(),
  defaultRating: rating,
  dryRunFirst: fc.boolean(),
});

const importFolder = step('import', importFlags, (year, flags) => year.import(flags));

const interrupt = step(
  'interrupt an import',
  fc.record({
    opening: fc.integer({ min: 1, max: 8 }),
    full: fc.boolean(),
    defaultRating: rating,
    // Another option than that of the next import, which may not continue then.
    options: fc.constantFrom<string[]>([], ['--keep-location']),
  }),
  (year, { opening, options, ...flags }) => year.interruptImport(opening, flags, options),
);

const record = fc.record(
  { nsfw: rating, artist, categories: fc.uniqueArray(category, { selector: (name) => name.toLowerCase() }) },
  { requiredKeys: ['nsfw'] },
);

const importRecord = step('import a record of', fc.tuple(path, record), async (year, [from, record]) => {
  const { model, folder } = year;
  // Names have to exist.
  const { nsfw, artist = '', categories } = record;
  const known = {
    nsfw,
    ...(model.find('artist', artist) && { artist }),
    ...(categories && { categories: categories.filter((name) => model.find('category', name)) }),
  };
  if (folder.pictures.has(from) && folder.pictureAt(from) !== DAMAGED) await year.importRecord(from, known);
});

/** A step about an image of the catalogue. */
function imageStep<T>(
  title: string,
  details: fc.Arbitrary<T>,
  apply: (year: Year, image: ModelImage, details: T, picture: number) => Promise<void>,
): fc.Arbitrary<Step> {
  return step(title, fc.tuple(fc.nat(), details), async (year, [index, chosen]) => {
    const images = [...year.model.images];
    const [number, image] = images[index % images.length] ?? [];
    if (image && number !== undefined) await apply(year, image, chosen, number);
  });
}

const imageSteps = [
  imageStep('rate', rating, (year, image, rating) => year.edit(image, { rating })),
  imageStep('set the artist', artist, (year, image, artist) => year.edit(image, { artist })),
  imageStep('add to', category, (year, image, addCategory) => year.edit(image, { addCategory })),
  imageStep('remove from', category, async (year, image, removeCategory) => {
    if (year.model.find('category', removeCategory)) await year.edit(image, { removeCategory });
  }),
  imageStep('name the source', fc.constantFrom('here', 'there'), (year, image, sourceName) =>
    year.edit(image, { sourceName }),
  ),
  imageStep('name', fc.constantFrom('mine', 'A fox', ''), (year, image, title) =>
    year.edit(image, { title }),
  ),
  imageStep('reset', fc.constantFrom(...fields, 'all' as const), (year, image, field) =>
    year.reset(image, field),
  ),
  imageStep('take down', fc.constantFrom(true, true, false), (year, image, isRemembered, number) =>
    year.takeDown(number, image, isRemembered),
  ),
  step('allow again', fc.nat(), async (year, index) => {
    const ids = [...year.model.removed.values()];
    const id = ids[index % ids.length];
    if (id !== undefined) await year.allowAgain(id);
  }),
];

/** A step about an entry of the catalogue, called by its name or an alias, and another name of its kind. */
const entryStep = (
  title: string,
  apply: (year: Year, entry: Entry, command: string[], other: string) => Promise<void>,
): fc.Arbitrary<Step> =>
  step(title, fc.tuple(fc.nat(), fc.nat(), fc.nat()), async (year, [index, alias, other]) => {
    const entries = year.model.entries.filter(({ name }) => name !== 'Unknown');
    const entry = entries[index % entries.length];
    if (!entry) return;
    const { kind, name, aliases } = entry;
    const called = [name, ...aliases].filter((name) => year.model.find(kind, name) === entry);
    const command = ['entry', kind, called[alias % called.length] as string];
    await apply(year, entry, command, names[kind][other % names[kind].length] as string);
  });

const entrySteps = [
  entryStep('rename', async (year, entry, command, other) => {
    const { model } = year;
    const holder = model.entries.find(({ kind, name }) => kind === entry.kind && model.is(kind, name, other));
    if (holder && holder !== entry) return year.fail([...command, '--name', other], /use --merge-into/);
    if (model.isBlocked(entry.kind, other))
      return year.fail([...command, '--name', other], /is blocked; unblock/);
    await year.run([...command, '--name', other]);
    model.rename(entry, other);
    year.count('rename');
  }),
  entryStep('merge', async (year, entry, command, other) => {
    const into = year.model.find(entry.kind, other);
    if (!into || into === entry) return;
    await year.run([...command, '--merge-into', other]);
    year.model.merge(entry, into);
    year.count('merge');
  }),
  entryStep('add an alias', async (year, entry, command, other) => {
    const { model } = year;
    const { kind } = entry;
    const isTaken = model.hasName(kind, other) && !model.is(kind, entry.name, other);
    if (isTaken || model.isBlocked(kind, other))
      return year.fail(
        [...command, '--add-alias', other],
        isTaken ? /use --merge-into/ : /is blocked; unblock/,
      );
    await year.run([...command, '--add-alias', other]);
    model.addAliases(entry, [other]);
    year.count('add alias');
  }),
  step('create', fc.tuple(fc.constantFrom(...kinds), fc.nat()), async (year, [kind, index]) => {
    const { model } = year;
    const name = names[kind][index % names[kind].length] as string;
    const command = ['entry', kind, name, '--create'];
    if (model.find(kind, name))
      return year.fail(command, model.hasName(kind, name) ? /already exists/ : /is an alias of/);
    if (model.isBlocked(kind, name)) return year.fail(command, /is blocked/);
    await year.run(command);
    model.create(kind, name);
    year.count('create');
  }),
  entryStep('remove', async (year, entry, command) => {
    await year.run([...command, '--remove']);
    year.model.removeEntry(entry);
    year.count('remove entry');
  }),
  entryStep('remove and block', async (year, entry, command) => {
    await year.run([...command, '--remove', '--block']);
    year.model.removeEntry(entry);
    year.model.block(entry.kind, [entry.name, ...entry.aliases]);
    year.count('block');
  }),
  step('unblock', fc.nat(), async (year, index) => {
    const { blocked } = year.model;
    const { kind, name } = blocked[index % blocked.length] ?? {};
    if (!kind || !name) return;
    await year.run(['entry', kind, name, '--unblock']);
    year.model.unblock(kind, name);
    year.count('unblock');
  }),
];

/** Imports come often, so that what happens between two of them is short. */
export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: write },
  { weight: 5, arbitrary: fc.oneof(...folderSteps) },
  { weight: 5, arbitrary: importFolder },
  { weight: 1, arbitrary: watch },
  { weight: 2, arbitrary: interrupt },
  {
    weight: 1,
    arbitrary: fc.oneof(
      step('empty the trash', fc.constant(0), (year) => year.emptyTrash()),
      step('repair', fc.constant(0), async (year) => void (await year.run(['check', '--quiet', '--repair']))),
    ),
  },
  { weight: 1, arbitrary: importRecord },
  { weight: 4, arbitrary: fc.oneof(...imageSteps) },
  { weight: 4, arbitrary: fc.oneof(...entrySteps) },
);

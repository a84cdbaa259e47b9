/** Images by the words of their texts, on every store and in every way, against the slow way, while texts change in every way. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkCatalogue } from '../../src/catalogue/documents/check.ts';
import { readDocument, readTexts } from '../../src/catalogue/documents/document.ts';
import { SearchTooLong } from '../../src/catalogue/search/scan.ts';
import { hasText, type Phrase, type Text, toPhrase } from '../../src/catalogue/search/words.ts';
import type { SavedImage } from '../../src/catalogue/writer.ts';
import type { Config } from '../../src/config/config.ts';
import { defaultTuning } from '../../src/lib/tuning.ts';
import { openSnapshot } from '../../src/server/engines.ts';
import { Servers } from '../../src/store/drivers/postgres/servers.ts';
import { PostgresDriver } from '../../src/store/drivers/postgres/store.ts';
import { openDriver } from '../../src/store/drivers/sqlite/store.ts';
import { ImageNumbers } from '../../src/store/read/image-numbers.ts';
import { ImageSets } from '../../src/store/read/image-sets.ts';
import { type Choice, choose, type Selection } from '../../src/store/read/selection.ts';
import { createSliceReader, readTerms } from '../../src/store/read/slices.ts';
import type { Driver, ShelfSnapshot } from '../../src/store/view.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { keyed, sandbox } from '../support/catalogues/import.ts';
import { atDepth } from '../support/depth.ts';
import { forEachEngine, isEveryCase } from '../support/servers/engines.ts';
import { caller } from '../support/zukan/caller.ts';
import { runCommand } from '../support/zukan/program.ts';
import { seededRandomInt } from '../support/zukan/service.ts';
import { sliceReader } from './slices.ts';

const IMAGES = 60;
const SEARCHES = atDepth(15, 100);
const VOCABULARY = [
  ...[
    'fox',
    'Foxes',
    'foxglove',
    'red',
    'Élan',
    "the fox's",
    'x',
    'f',
    'straße',
    'Müller',
    '2nd',
    '\u{10400}\u{10401}',
  ],
  ...['赤い', '赤い月', '月', 'スキー', 'か\u3099', '한국', 'हिन्दी', 'moon—light', '…', 'a'.repeat(70)],
];
const random = seededRandomInt(17);
const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
const pickText = (most: number) => Array.from({ length: random(most + 1) }, () => pick(VOCABULARY)).join(' ');
const pickTexts = () => ({ title: pickText(3), description: pickText(6), alt: pickText(3) });
function image(index: number): object {
  const { meta, ...record } = keyed(index) as { meta: object };
  const dimens = { width: 30 + 10 * (index % 2), height: 20 };
  const nsfw = pick(['sfw', 'questionable', 'nsfw']);
  return { ...record, id: uuid(4, index), nsfw, ...pickTexts(), meta: { ...meta, dimens } };
}

const isWide = (width: number) => width > 30;

const tunings = {
  'as it is': defaultTuning,
  'combining sets, a few rows at a time': { ...defaultTuning, maxTestedImages: 0, maxItemsPerSlice: 3 },
  'testing one by one, nothing cached': { ...defaultTuning, isCaching: false },
};

function open({ database }: Config, tuning = defaultTuning): Driver & AsyncDisposable {
  if (database.engine === 'sqlite') {
    const driver = openDriver(database.path, tuning);
    return Object.assign(driver, { [Symbol.asyncDispose]: async () => driver[Symbol.dispose]() });
  }
  const servers = new Servers({ ...database, readUrls: [], connections: 2, onChange() {} });
  return Object.assign(new PostgresDriver(servers, tuning), { [Symbol.asyncDispose]: () => servers.close() });
}

/** Words and phrases as people type them, some of which no image has. */
function pickPhrase(): Phrase {
  const words = Array.from({ length: pick([1, 1, 1, 2, 3]) }, () => pick(VOCABULARY)).join(' ');
  const characters = [...words].slice(0, random(3) === 0 ? 1 + random(5) : undefined);
  return toPhrase(characters.join(''), random(2) === 0) ?? pickPhrase();
}

const pickChoice = ({ ratings }: ShelfSnapshot): Choice => {
  const fields = pick([['title'], ['other'], ['title', 'other']] as const);
  const phrase = pickPhrase();
  const texts = fields.map((field): Text => ({ field, ...phrase }));
  return choose(random(4) === 0 ? [...ratings.values()].slice(random(3)) : [], texts);
};

function pickSelection(catalogue: ShelfSnapshot, depth = 1): Selection {
  const choices = Array.from({ length: pick([0, 0, 1, 2]) }, () => pickChoice(catalogue));
  const except = depth > 0 && random(3) === 0 ? { except: pickSelection(catalogue, 0) } : {};
  return {
    ...{ catalogue, ...except },
    choices: [random(3) === 0 ? choose([catalogue.all]) : pickChoice(catalogue), ...choices],
    excluded: random(3) === 0 ? [pickChoice(catalogue)] : [],
    sizes: new Map(random(3) === 0 ? [['wide', isWide]] : []),
  };
}

/** The slow way. */
function isSelected(row: SavedImage, { catalogue, choices, excluded, except, sizes }: Selection): boolean {
  const { all, ratings } = catalogue as ShelfSnapshot;
  const shelves = [all, ratings.get(readDocument(row.document).nsfw)];
  const texts = readTexts(row.document);
  const isIn = (choice: Choice) =>
    choice.shelves.some(({ number }) => shelves.some((shelf) => shelf?.number === number)) ||
    choice.texts.some((text) => hasText(texts, text));
  const { width } = readDocument(row.document).meta.dimens;
  const isOfSize = sizes.size === 0 || isWide(width);
  return isOfSize && choices.every(isIn) && !excluded.some(isIn) && !(except && isSelected(row, except));
}

await forEachEngine((engine) => {
  const box = sandbox(engine);
  const run = async (...parameters: string[]) => {
    const { status, errors, output } = await runCommand(parameters, box.environment);
    assert.equal(status, 0, errors);
    return output;
  };

  async function compare(tuning = defaultTuning): Promise<void> {
    await using snapshot = await openSnapshot(box.config);
    const rows = await Array.fromAsync(snapshot.images());
    const findings = await Array.fromAsync(checkCatalogue(snapshot));
    assert.deepEqual(findings, []);
    await using driver = open(box.config, tuning);
    const reader = createSliceReader(driver, tuning);
    const numbers = new ImageNumbers(new ImageSets(reader, tuning), tuning);
    let found = 0;
    for (let search = 0; search < SEARCHES; search++) {
      const [selection, all, drawn] = await driver.run(function* (view) {
        const selection = pickSelection(view.snapshot);
        const drawn = yield* numbers.random(view, selection, 5, random, caller);
        const all = yield* numbers.all(selection, caller);
        return [selection, [...Array(all.size).keys()].map((at) => all.at(at)), drawn] as const;
      });
      const expected = rows.filter((row) => isSelected(row, selection)).map(({ number }) => number);
      const { catalogue, ...shown } = selection;
      assert.deepEqual(all, expected, JSON.stringify(shown));
      assert.ok(drawn.every((one) => expected.includes(one)) && new Set(drawn).size === drawn.length);
      assert.equal(drawn.length, Math.min(5, expected.length));
      found += expected.length > 0 && expected.length < rows.length ? 1 : 0;
    }
    assert.ok(found > SEARCHES / 5, 'searches find some images');
  }

  const anyId = async () => {
    await using snapshot = await openSnapshot(box.config);
    return pick(await Array.fromAsync(snapshot.images())).id;
  };
  const steps: Record<string, () => Promise<unknown>> = {
    'import again': () => box.import(Array.from({ length: 10 }, () => image(random(IMAGES + 5)))),
    async edit() {
      const { title, description, alt } = pickTexts();
      await run('edit', await anyId(), '--title', title, '--description', description, '--alt', alt);
    },
    async 'edit and undo'() {
      await run('edit', await anyId(), await anyId(), '--title', `${pickText(2)} undone`);
      await run('undo', String(JSON.parse(await run('history', '--json'))[0].number));
    },
    trash: async () => run('trash', await anyId()),
    async 'trash and restore'() {
      await run('trash', await anyId());
      await run('undo', String(JSON.parse(await run('history', '--json'))[0].number));
    },
    'take down': async () => run('remove', '--yes', await anyId()),
  };

  test('finds what the slow way finds, after every way to change texts', async () => {
    await box.import(Array.from({ length: IMAGES }, (_, index) => image(index)));
    for (const tuning of Object.values(tunings)) await compare(tuning);
    const names = Object.keys(steps);
    for (let round = 0; round < atDepth(isEveryCase(engine) ? names.length : 2, 20); round++) {
      await steps[round < names.length ? (names[round] as string) : pick(names)]?.();
      await compare(pick(Object.values(tunings)));
    }
  });
});

test('a word that too many begin with is refused, after a bounded number of reads', async () => {
  let reads = 0;
  const reader = sliceReader({
    async termBlocks(term, block) {
      reads++;
      return { version: 1, items: Array.from({ length: 100 }, (_, at) => [term, block + 1 + at, 'AAA=']) };
    },
  });
  const range = { from: '0a', to: '0b' };
  await assert.rejects(
    readTerms(reader, range, 1, () => {}),
    SearchTooLong,
  );
  assert.equal(reads, 500);
});

test('a phrase whose words too many images have is refused before any is compared', async () => {
  const everywhere = Buffer.alloc(512, 255).toString('base64');
  const reader = sliceReader({
    async termBlocks(term, _block, to) {
      return { version: 1, items: Array.from({ length: 5 }, (_, block) => [to || term, block, everywhere]) };
    },
  });
  const text: Text = { field: 'title', words: ['red', 'moon'], isBegun: false };
  const catalogue = { version: 1, lastImage: 5 * 4096 - 1, documentRevision: 1 };
  const selection: Selection = { catalogue, choices: [choose([], [text])], excluded: [], sizes: new Map() };
  const loading = new ImageSets(reader).load(selection, caller);
  await assert.rejects(loading, SearchTooLong);
});

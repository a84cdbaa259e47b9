/** What happens to the two servers: requests, many of them repeated, and changes of their catalogue. */
import { join } from 'node:path';
import * as fc from 'fast-check';
import { LIST_IMAGES } from '../../src/access/tokens.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { keyed } from '../support/catalogues/import.ts';
import { paint } from '../support/pictures/painting.ts';

export const NAMES = ['alpha', 'Beta', 'gamma ray', 'delta'];
/** Renaming makes names that filters find, and those of before go on as aliases. */
export const KNOWN_NAMES = [...NAMES, 'renamed'];
export const IMAGES = 40;
/** Those that are there from the start. */
const FIRST_IMAGES = 32;
export const ENTRIES = 4;
export const TOKENS = [uuid(9, 1), uuid(9, 2)];
export const SCOPES = [LIST_IMAGES, 'image:custom-expiry:7200'];
/** Pictures with files, thumbnails and perceptual hashes; the other images have none of these. */
const PICTURES = 6;

export async function drawPictures(folder: string): Promise<void> {
  for (let index = 1; index <= PICTURES; index++)
    // Pairs that look alike.
    await paint(index >> 1, 60 + index, 40)()
      .png()
      .toFile(join(folder, `${index}.png`));
}

const numbers = (length: number) => Array.from({ length }, (_, index) => index + 1);
const entryKinds = { category: 1, artist: 2, character: 3 } as const;
type EntryKind = keyof typeof entryKinds;
const entryPaths = ['', ...Object.keys(entryKinds)];

const entries = (Object.keys(entryKinds) as EntryKind[]).flatMap((type) =>
  numbers(ENTRIES).map((number) => ({
    type,
    id: uuid(entryKinds[type], number),
    name: type === 'category' ? NAMES[number - 1] : `${type} ${number % 2 ? 'Ä' : 'a'}${number}`,
    ...(type === 'category' && { nsfw: number === 4 }),
  })),
);

/** The fields of an image follow from two numbers. */
function image(number: number, variant: number): object {
  const pick = (from: readonly unknown[], by: number) =>
    from[Math.floor(variant / by + number) % from.length];
  const fields = {
    title: pick(['', 'red alpha', 'alpha ray', 'Beta red 2'], 1),
    nsfw: pick(['sfw', 'sfw', 'questionable', 'nsfw'], 1),
    artist: pick([null, uuid(2, 1), uuid(2, 2)], 2),
    categories: NAMES.filter((_, at) => (number * 7 + variant) % (at + 2) === 0),
    characters: numbers(3)
      .filter((at) => (number + variant) % (at + 2) === 0)
      .map((at) => uuid(3, at)),
  };
  if (number <= PICTURES) return { type: 'image', id: uuid(4, number), file: `${number}.png`, ...fields };
  const dimens = pick(
    [
      { width: 40, height: 30 },
      { width: 30, height: 40 },
      { width: 30, height: 30 },
    ],
    3,
  );
  const meta = {
    eTag: `tag-${number}`,
    size: 1000 + variant,
    mimetype: 'image/png',
    color: '#00ff00',
    dimens,
  };
  const thumbnails = { sizes: [], thumbHash: 'ABCD', isAnimated: (number + variant) % 3 === 0 };
  return keyed(number, { id: uuid(4, number), meta, thumbnails, ...fields });
}

export const initialRecords = [...entries, ...numbers(FIRST_IMAGES).map((number) => image(number, 0))];

/** Every cache has something for these, so they are repeated after each change. */
export const usualTargets = [
  '/stats',
  ...[
    'limit=25',
    'nsfw=sfw,questionable&exclude=Beta',
    'categories=alpha,Beta&match=any',
    'categories=alpha,Beta',
    'minWidth=35&animated=false',
    `aspectRatio=4:3&excludeArtist=${uuid(2, 1)}`,
    `artist=${uuid(2, 1)},${uuid(2, 2)}&character=${uuid(3, 1)},${uuid(3, 2)}&minHeight=31`,
  ].flatMap((query) => [`/image/random?seed=x&${query}`, `/image/latest?${query}&include=thumbnails`]),
  ...[`artist=${uuid(2, 1)}`, `character=${uuid(3, 1)}`].map((query) => `/image/latest?${query}`),
  ...['artist', 'character', 'category'].flatMap((kind) => [
    ...[`/${kind}?limit=25`, `/${kind}?limit=25&include=count,cover`],
    ...[`/${kind}?sort=images&limit=3&include=count`, `/${kind}?sort=images&search=%25a%25`],
    ...[`/${kind}?search=%25a%25`, `/${kind}?search=%25r%25&limit=1`],
  ]),
  ...[1, 2, 3].flatMap((kind) => [
    `/${entryPaths[kind]}/${uuid(kind, 1)}`,
    `/${entryPaths[kind]}/${uuid(kind, 2)}`,
  ]),
  ...[1, 2, 3, 20].flatMap((number) => [`/image/${uuid(4, number)}`, `/image/${uuid(4, number)}/similar`]),
  `/artist/${uuid(2, 2)}/images`,
  ...['alpha', 'red a', 'artist', 'renamed -Beta', 'character:a rating:sfw'].map(
    (q) => `/search?q=${encodeURIComponent(q)}`,
  ),
].map((target) => `/api${target}`);
/** They need a token. */
export const privateTargets = [
  '/token',
  '/image?limit=25',
  '/image?limit=5&offset=3&nsfw=sfw&expiry=3600',
].map((target) => `/api${target}`);

/** A command, which may fail because what it names is gone, and then requests. */
export interface Step {
  parameters: string[];
  /** What an import reads. */
  records: object[];
  /** Whether the requests start only when the document cache has followed the change. */
  isAwaited: boolean;
  /** Of the random requests. */
  seed: number;
  count: number;
}

const imageNumber = fc.integer({ min: 1, max: IMAGES });
const imageIds = fc
  .uniqueArray(imageNumber, { minLength: 1, maxLength: 3 })
  .map((all) => all.map((number) => uuid(4, number)));
const name = fc.constantFrom(...KNOWN_NAMES);
const entry = fc
  .constantFrom(...(Object.keys(entryKinds) as EntryKind[]))
  .chain((kind) =>
    fc.integer({ min: 1, max: ENTRIES }).map((number) => [kind, uuid(entryKinds[kind], number)]),
  );
const flag = (option: string, value: fc.Arbitrary<string>) => value.map((text) => [option, text]);

const command = fc.oneof(
  fc.tuple(
    fc.constant(['edit']),
    imageIds,
    fc.oneof(
      flag('--rating', fc.constantFrom('sfw', 'questionable', 'nsfw')),
      flag('--add-category', name),
      flag('--remove-category', name),
      flag('--add-character', fc.constant(uuid(3, 1))),
      flag('--artist', fc.constantFrom('Unknown', uuid(2, 3))),
      flag('--title', fc.constantFrom('', 'alpha', 'red')),
    ),
  ),
  fc.tuple(
    fc.constant(['entry']),
    entry,
    fc.oneof(
      flag('--name', fc.constantFrom('renamed', 'Ärmel', 'zeta')),
      flag('--merge-into', fc.integer({ min: 1, max: ENTRIES }).map(String)),
      flag('--add-alias', fc.constant('renamed')),
      fc.constant(['--remove']),
    ),
  ),
  fc.tuple(fc.constant(['remove', '--yes']), imageIds),
  fc.tuple(
    fc.constant(['token', 'revoke']),
    fc.constantFrom(...TOKENS).map((id) => [id]),
  ),
  fc.tuple(
    fc.constant(['undo']),
    fc.integer({ min: 2, max: 4 }).map((run) => [String(run)]),
  ),
);

const change = fc.oneof(
  {
    weight: 2,
    arbitrary: command.map((parts) => ({ parameters: mergeTarget(parts.flat()), records: [] as object[] })),
  },
  {
    weight: 1,
    arbitrary: fc.array(fc.tuple(imageNumber, fc.nat(11)), { minLength: 1, maxLength: 6 }).map((images) => ({
      parameters: ['import'],
      records: [...new Map(images).entries()].map(([number, variant]) => image(number, variant)),
    })),
  },
);

/** Entries merge into others of their kind. */
function mergeTarget(parameters: string[]): string[] {
  const at = parameters.indexOf('--merge-into') + 1;
  if (at === 0) return parameters;
  const kind = entryKinds[parameters[1] as EntryKind];
  return parameters.with(at, uuid(kind, Number(parameters[at])));
}

export const step: fc.Arbitrary<Step> = fc
  .tuple(
    change,
    fc.record({ isAwaited: fc.boolean(), seed: fc.nat(), count: fc.integer({ min: 1, max: 30 }) }),
  )
  .map(([made, requests]) => ({ ...made, ...requests }));

const requests = { isAwaited: true, seed: 1, count: 5 };
/** In every run: the number of the newest image is used again, and every kind of entry changes. */
export const firstSteps: Step[] = [
  { parameters: ['remove', '--yes', uuid(4, FIRST_IMAGES)], records: [], ...requests },
  { parameters: ['import'], records: [image(FIRST_IMAGES + 1, 3)], ...requests },
  ...Object.values(entryKinds).map((kind) => ({
    parameters: ['entry', entryPaths[kind] as string, uuid(kind, 1), '--name', 'an earlier name'],
    records: [],
    ...requests,
    isAwaited: false,
  })),
];

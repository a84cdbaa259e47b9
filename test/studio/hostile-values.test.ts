// depth: all
/** No value that a request could have is an internal error, on either store. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address, endpoints, type RequestTo } from '../../src/studio/contract.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { keyed, sandbox } from '../support/catalogues/import.ts';
import { forEachEngine } from '../support/servers/engines.ts';
import { openStudio } from '../support/zukan/studio.ts';

const id = uuid(4, 1);
const hash = '0123456789abcdef'.repeat(2);
/** Every field of every address. A new address does not compile without its line here. */
const requests: { [A in Address]: Required<RequestTo<A>> } = {
  '/data/session': {},
  '/data/images': {
    ...{ q: 'fox', rating: 'sfw', artist: [id], category: [id], character: [id], album: [id] },
    ...{
      without: ['artist'],
      lacks: ['alt'],
      unrated: '',
      fileChanged: '',
      edited: '',
      alike: '',
      outdated: '',
      run: '1',
      like: hash,
    },
  },
  '/data/matches': {
    ids: [id],
    filter: { path: 'a', since: '2026-01-01T00:00:00.000Z', minSide: 0, maxSide: 9 },
  },
  '/data/looks': { name: 'a.png' },
  '/data/entries': { kind: 'album' },
  '/data/suggestions': { kind: 'album', text: 'a' },
  '/data/steps': {},
  '/data/history': { image: id, origin: 'studio', since: '2026-01-01T00:00:00.000Z' },
  '/data/change': { number: '1', image: id },
  '/data/removed': {},
  '/data/imports': {},
  '/data/alike': {},
  '/data/problems': {},
  '/data/health': {},
  '/data/site': {},
  '/data/tiles': { ids: [id] },
  '/data/summary': { ids: [id] },
  '/data/neighbours': { ids: [id] },
  '/data/names': { kind: 'category', names: ['a'] },
  '/check/files': {},
  '/change/images': {
    ...{ catalogue: 'a', user: '' },
    edits: [
      {
        id: `${id}-1`,
        base: 1,
        ids: [id],
        edit: {
          ...{
            rating: 'sfw',
            artist: 'a',
            sourceName: 'a',
            sourceUrl: 'a',
            title: 'a',
            description: 'a',
            takenAt: '',
            ...{ licence: 'a', credit: 'a', alt: 'a' },
          },
          ...{ addCategories: ['a'], removeCategories: ['a'], addCharacters: ['a'], removeCharacters: ['a'] },
          ...{ addAlbums: ['a'], removeAlbums: ['a'], reset: ['rating'], create: true },
        },
      },
      { id: `${id}-2`, undoes: `${id}-1` },
    ],
  },
  '/change/remove': { ids: [id], version: 'a', reason: 'a', isTakeDown: false },
  '/change/allow': { ids: [id] },
  '/change/restore': { ids: [id] },
  '/change/site': { field: 'name', text: 'a' },
  '/change/trash/empty': {},
  '/change/undo': { change: 1, isPreview: true },
  '/change/entry': {
    ...{ kind: 'character', id: uuid(3, 1), version: 'a', addAliases: ['a'], removeAliases: ['a'] },
    fields: {
      ...{ name: 'a', url: 'a', description: 'a', nsfw: true, source: 'a', gender: 'a', ages: [1] },
      ...{ birth_date: 'a', nationality: 'a', occupations: ['a'] },
    },
  },
  '/change/entry/create': { kind: 'category', name: 'a' },
  '/change/entry/merge': { kind: 'category', from: id, into: id, version: 'a' },
  '/change/entry/remove': { kind: 'category', id, version: 'a', block: true },
  '/change/album/order': { id: uuid(5, 1), ids: [id], before: uuid(4, 2) },
  '/add/picture': {
    ...{ name: 'a.png', rating: 'sfw', artist: 'a', category: ['a'], character: ['a'], folder: ['a'] },
    ...{ folderCategories: 'all', run: '1', alike: 'ask' },
  },
  '/add/replacement': { name: 'a.png', id, version: 'a' },
};
const hostile: unknown[] = [
  ...[null, true, -1, 1.5, 2 ** 31, 2 ** 53, '', '0', '9'.repeat(30), 'a\0b', '\ud800', "'", '../../x'],
  ...['x'.repeat(10_000), 'x'.repeat(10_001), '9999-99-99T99:99:99.999Z', uuid(9, 9)],
  ...[[], [''], ['a\0b'], Array(101).fill('a'), { length: 1e9 }],
];

/** All requests that have one hostile value, at any depth. */
function* mutations(fields: unknown): Generator<unknown> {
  yield* hostile;
  if (typeof fields !== 'object' || fields === null) return;
  for (const [name, value] of Object.entries(fields))
    for (const changed of mutations(value))
      yield Array.isArray(fields) ? [changed] : { ...fields, [name]: changed };
}

await forEachEngine(async (engine) => {
  const box = sandbox(engine);
  const records = [
    { type: 'character', id: uuid(3, 1), name: 'Umi' },
    ...[1, 2].map((number) => keyed(number, { id: uuid(4, number) })),
    { type: 'album', id: uuid(5, 1), name: 'Summer', images: [uuid(4, 1), uuid(4, 2)] },
  ];
  await box.import(records);
  const studio = await openStudio(box.config);
  const session = await studio.signIn();
  const { version } = await studio.summary([id]);
  const current = async (address: Address) => {
    if (!address.startsWith('/change/entry')) return version;
    const { json } = await studio.get('/data/entries?kind=character');
    return json[0].version;
  };

  for (const address of Object.keys(requests) as Address[])
    test(address, async () => {
      const { form } = endpoints[address];
      const failed: unknown[] = [];
      for (const body of mutations(requests[address])) {
        // A change that is based on the current state gets further.
        const isBased =
          typeof body === 'object' && body !== null && 'version' in body && body.version === 'a';
        const fields = isBased ? { ...body, version: await current(address) } : body;
        const { status, text } =
          form === 'query' || form === 'upload'
            ? await studio.send(
                `${address}?${toQuery(fields)}`,
                { ...session, 'Content-Type': 'application/octet-stream' },
                form === 'upload' ? Buffer.from('no picture') : '',
              )
            : await studio.post(address, fields);
        if (status >= 500 || /"status":5/.test(text)) failed.push([JSON.stringify(body).slice(0, 300), text]);
      }
      assert.deepEqual(failed.slice(0, 3), []);
    });
});

function toQuery(fields: unknown): string {
  const given = typeof fields === 'object' ? (fields ?? {}) : { field: fields };
  const pairs = Object.entries(given).flatMap(([name, value]) =>
    [value].flat().map((item): [string, string] => [name, String(item).slice(0, 200)]),
  );
  return new URLSearchParams(pairs).toString();
}

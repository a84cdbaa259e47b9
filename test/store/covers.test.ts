/** The cover of an entry is its newest image rated sfw, compared with a simple model while the catalogue changes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EntryDetails } from '../../src/catalogue/catalogue.ts';
import { checkCatalogue } from '../../src/catalogue/documents/check.ts';
import type { MentionedKind as Kind } from '../../src/catalogue/schemas.ts';
import { parseJsonBytes } from '../../src/lib/byte-string.ts';
import { openSnapshot, openStore, openWriter } from '../../src/server/engines.ts';
import {
  artists,
  categoryNames,
  characters,
  type Picture,
  randomPictures,
  ratings,
  toRecords,
} from '../support/catalogues/filters.ts';
import { sandbox } from '../support/catalogues/import.ts';
import { atDepth } from '../support/depth.ts';
import { forEachEngine } from '../support/servers/engines.ts';
import { caller } from '../support/zukan/caller.ts';
import { seededRandomInt } from '../support/zukan/service.ts';

/** Every kind of change at least. */
const STEPS = atDepth(8, 100);
const window = { offset: 0, limit: 25 };
const kinds: Kind[] = ['artist', 'character', 'category'];

/** By the name of the entry: the number of its images, and the id of its cover. */
type Covers = Record<string, [images: number, cover: string | undefined]>;

/** `pictures` are in the order of adding. */
function expectedCovers(pictures: Picture[]): Record<Kind, Covers> {
  const describe = (names: string[], isOn: (picture: Picture, index: number) => boolean): Covers => {
    const rows = names.map((name, index) => {
      const all = pictures.filter((picture) => isOn(picture, index));
      return [name, [all.length, all.findLast(({ nsfw }) => nsfw === 'sfw')?.id]];
    });
    return Object.fromEntries(rows);
  };
  const numbered = (kind: string, ids: string[]) => ids.map((_, index) => `${kind} ${index}`);
  return {
    artist: {
      ...describe(numbered('artist', artists), ({ artist }, index) => artist === artists[index]),
      ...describe(['Unknown'], ({ artist }) => artist === null),
    },
    character: describe(numbered('character', characters), (picture, index) =>
      picture.characters.includes(characters[index] as string),
    ),
    category: describe(categoryNames, (picture, index) =>
      picture.categories.includes(categoryNames[index] as string),
    ),
  };
}

const link = { url: 'https://example.org/x', expires: '2026-01-01T00:00:00.000Z' };

function toCovers(entries: EntryDetails[]): Covers {
  const rows = entries.map(({ json, images, cover }) => {
    const id = cover && JSON.parse(cover.toCover(() => link)).id;
    return [parseJsonBytes(json).name, [images, id]];
  });
  return Object.fromEntries(rows);
}

await forEachEngine((engine) => {
  test('every entry has the right cover after every change', async () => {
    const randomInt = seededRandomInt(29);
    const box = sandbox(engine);
    const fresh = randomPictures(0, 200, randomInt);
    let pictures: Picture[] = [];
    const add = async (count: number) => {
      const added = fresh.splice(0, count);
      pictures.push(...added);
      await box.import(toRecords(added));
    };
    const change = async (changes: (picture: Picture) => Partial<Picture>, oneIn: number) => {
      const changed: Picture[] = [];
      pictures = pictures.map((picture) => {
        if (randomInt(oneIn) > 0) return picture;
        changed.push({ ...picture, ...changes(picture) });
        return changed.at(-1) as Picture;
      });
      await box.import(toRecords(changed));
    };
    const remove = async (isGone: (index: number) => boolean) => {
      const gone = pictures.filter((_, index) => isGone(index));
      pictures = pictures.filter((_, index) => !isGone(index));
      await using writer = await openWriter(box.config);
      await writer.takeDownImages(gone.map(({ id }) => id));
      await writer.commit();
    };
    const steps: (() => Promise<void>)[] = [
      () => add(1 + randomInt(5)),
      () => change(() => ({ nsfw: ratings[randomInt(3)] as string }), 6),
      // Nearly all covers go at once, or come back.
      () => change(() => ({ nsfw: 'nsfw' }), 1 + randomInt(2)),
      () => change(() => ({ nsfw: 'sfw' }), 10),
      () => change(() => ({ artist: artists[randomInt(artists.length)] as string, categories: ['rare'] }), 8),
      () => change(({ characters: [first] }) => ({ characters: first ? [] : characters.slice(0, 2) }), 8),
      () => remove((index) => index >= pictures.length - 2),
      () => {
        const last = pictures.length;
        const gone = new Set([randomInt(last), randomInt(last)]);
        return remove((index) => gone.has(index));
      },
    ];
    await add(20);
    await using store = await openStore(box.config);
    const { catalogue } = store;
    for (let step = 0; step < STEPS; step++) {
      const choice = step < steps.length ? step : randomInt(steps.length);
      await steps[choice]?.();
      const expected = expectedCovers(pictures);
      for (const kind of kinds) {
        const { items } = await catalogue.list(kind, window, true);
        assert.deepEqual(toCovers(items), expected[kind], `step ${step}, change ${choice}`);
        const found = await catalogue.search(kind, '%', window, caller, true);
        assert.deepEqual(toCovers(found.items), expected[kind]);
        const plain = await catalogue.list(kind, window);
        assert.ok(plain.items.every(({ cover }) => cover === undefined));
      }
      const first = await catalogue.one('artist', artists[0] as string, true);
      assert.deepEqual(toCovers(first ? [first] : []), { 'artist 0': expected.artist['artist 0'] });
    }
    await using snapshot = await openSnapshot(box.config);
    assert.deepEqual(await Array.fromAsync(checkCatalogue(snapshot)), []);
  });
});

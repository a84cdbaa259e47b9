/**
 * Chooses records of this catalogue for the examples. They belong to its oldest images, because these change the least. What
 * the catalogue lacks is taken from the demo.
 */

import { demoRecords, type ExampleRecords, type Named } from '../../../api/examples.ts';
import type { Category, Image, Kind } from '../../../catalogue/types.ts';
import { UNKNOWN_ARTIST } from '../../../catalogue/unknown-artist.ts';
import type { Caller, Catalogue } from '../../../store/contract/catalogue.ts';

/** How many images to choose from. */
const MAX_IMAGES = 25;
const MAX_CATEGORIES = 2;
const MAX_NAME_LENGTH = 30;

export async function findRecords(catalogue: Catalogue, caller: Caller): Promise<ExampleRecords> {
  const images = await oldestImages(catalogue, caller);
  const [image] = images.toSorted((one, other) => quality(other) - quality(one));
  if (!image) return demoRecords;
  const categories = image.categories.filter(isPresentable);
  return {
    image: { id: image.id },
    artist: image.artistDetails ?? demoRecords.artist,
    category: categories[0] ?? (await firstEntry(catalogue, 'category')) ?? demoRecords.category,
    character: image.characters[0] ?? (await firstEntry(catalogue, 'character')) ?? demoRecords.character,
    categories: categories.slice(0, MAX_CATEGORIES).map(({ name }) => name),
  };
}

async function oldestImages(catalogue: Catalogue, caller: Caller): Promise<Image[]> {
  const found = await catalogue.images({ nsfw: ['sfw'] }, { limit: MAX_IMAGES, offset: 0 }, caller);
  if ('problem' in found) return [];
  const withoutLinks = () => ({ url: '', expires: '' });
  return found.items.map((item) => item.toImage(withoutLinks, ['artist']));
}

/** An image is the better example, the more is known about it. */
function quality({ artist, categories, characters }: Image): number {
  const names = Math.min(categories.filter(isPresentable).length, MAX_CATEGORIES);
  return 2 * names + Math.min(characters.length, 1) + Number(artist !== UNKNOWN_ARTIST.id);
}

function isPresentable({ name, nsfw }: Category): boolean {
  return !nsfw && name.length <= MAX_NAME_LENGTH;
}

async function firstEntry(catalogue: Catalogue, kind: Kind): Promise<Named | undefined> {
  const [entry] = (await catalogue.list(kind, { limit: 1, offset: 0 })).items;
  return entry && JSON.parse(entry.document);
}

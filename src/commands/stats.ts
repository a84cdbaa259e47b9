/** `zukan stats`: what is in the catalogue, as a table. */
import type { Config } from '../config/config.ts';
import { openStore } from '../engines.ts';
import { printTable } from './table.ts';

export async function statsCommand(config: Config, { json }: { json: boolean }): Promise<void> {
  await using store = await openStore(config);
  const statistics = await store.catalogue.statistics();
  if (json) {
    console.log(JSON.stringify(statistics));
    return;
  }
  const { images, artists, characters, categories } = statistics;
  const counts: [string, number][] = [
    ['images', images.count],
    ...Object.entries(images.nsfw).map(([rating, count]): [string, number] => [`  rated ${rating}`, count]),
    ...Object.entries(images.orientation).map(([shape, count]): [string, number] => [`  ${shape}`, count]),
    ['artists', artists.count],
    ['characters', characters.count],
    ['categories', categories.count],
  ];
  printTable(
    ['what', 'how many'],
    counts.map(([what, count]) => [what, String(count)]),
  );
}

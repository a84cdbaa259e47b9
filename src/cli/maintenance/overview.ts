/** `zukan stats`: prints how many images, artists, characters and categories the catalogue has. */
import type { Config } from '../../config/config.ts';
import { openStore } from '../../server/engines.ts';
import { printLine, printLines, type Terminal } from '../terminal/terminal.ts';
import { formatTable } from '../terminal/text.ts';

export async function statsCommand(
  config: Config,
  { json }: { json: boolean },
  terminal: Terminal,
): Promise<void> {
  await using store = await openStore(config);
  const statistics = await store.catalogue.statistics();
  if (json) {
    printLine(terminal, JSON.stringify(statistics));
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
  const rows = counts.map(([item, count]) => [item, String(count)]);
  printLines(terminal, formatTable(['item', 'count'], rows));
}

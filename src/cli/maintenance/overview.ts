/** What the catalogue has: `zukan stats` and `zukan blocked`; and how it is configured: `zukan config`. */
import type { Config } from '../../config/config.ts';
import type { Settings } from '../../config/environment.ts';
import { openLogo, openSnapshot, openStore } from '../../server/engines.ts';
import { formatTable, printLine, printLines, type Terminal } from '../terminal/terminal.ts';

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

export async function blockedCommand(
  config: Config,
  { json }: { json: boolean },
  terminal: Terminal,
): Promise<void> {
  await using snapshot = await openSnapshot(config);
  const names = await Array.fromAsync(snapshot.blockedNames());
  if (json) {
    printLine(terminal, JSON.stringify(names));
    return;
  }
  const rows = names.map(({ kind, name, blockedAt, skips }) => [
    ...[kind, name, blockedAt, skips ? 'skip the pictures' : 'leave out the name'],
  ]);
  if (rows.length === 0) printLine(terminal, 'no names are blocked');
  else printLines(terminal, formatTable(['kind', 'name', 'since', 'imports'], rows));
}

// `zukan config`: prints the configuration in effect and where each value comes from, with secrets masked. Checks the logo.

export async function configCommand(
  config: Config,
  originOf: Settings['originOf'],
  { json }: { json: boolean },
  terminal: Terminal,
): Promise<void> {
  // `serve` would refuse to start.
  await openLogo(config);
  const values = config.described;
  const rows = Object.entries(values).map(([name, value]) => [name, value, originOf(name)]);
  const origins = Object.fromEntries(rows.map(([name, , origin]) => [name, origin]));
  if (json) printLine(terminal, JSON.stringify({ ...values, origins }));
  else printLines(terminal, formatTable(['variable', 'value', 'from'], rows));
}

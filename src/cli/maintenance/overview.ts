/** What the catalogue has: `zukan stats` and `zukan blocked`; and how it is configured: `zukan config`. */
import type { Config } from '../../config/config.ts';
import type { Settings } from '../../config/environment.ts';
import { openLogo, openSnapshot, openStore } from '../../server/engines.ts';
import { type JsonFlag, printRecords, type Terminal } from '../terminal/terminal.ts';

export async function statsCommand(config: Config, flags: JsonFlag, terminal: Terminal): Promise<void> {
  await using store = await openStore(config);
  const statistics = await store.catalogue.statistics();
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
  printRecords(terminal, flags, statistics, { header: ['item', 'count'], rows });
}

export async function blockedCommand(config: Config, flags: JsonFlag, terminal: Terminal): Promise<void> {
  await using snapshot = await openSnapshot(config);
  const names = await Array.fromAsync(snapshot.blockedNames());
  const rows = names.map(({ kind, name, blockedAt, skips }) => [
    ...[kind, name, blockedAt, skips ? 'skip the pictures' : 'leave out the name'],
  ]);
  const header = ['kind', 'name', 'since', 'imports'];
  printRecords(terminal, flags, names, { header, rows, none: 'no names are blocked' });
}

// `zukan config`: prints the configuration in effect and where each value comes from, with secrets masked. Checks the logo.

export async function configCommand(
  config: Config,
  originOf: Settings['originOf'],
  flags: JsonFlag,
  terminal: Terminal,
): Promise<void> {
  // `serve` would refuse to start.
  await openLogo(config);
  const values = config.described;
  const rows = Object.entries(values).map(([name, value]) => [name, value, originOf(name)]);
  const origins = Object.fromEntries(rows.map(([name, , origin]) => [name, origin]));
  printRecords(terminal, flags, { ...values, origins }, { header: ['variable', 'value', 'from'], rows });
}

/** `zukan entries`: lists the artists, categories, characters or albums with their number of images. */
import { formerNames } from '../../catalogue/names.ts';
import { findEntries } from '../../changes/entries.ts';
import type { Config } from '../../config/config.ts';
import { openSnapshot } from '../../server/engines.ts';
import { printStream, type Terminal } from '../terminal/terminal.ts';
import { formatTable, printable } from '../terminal/text.ts';
import { readKind } from './entry.ts';

export async function entriesCommand(
  config: Config,
  kindName: string,
  { empty, json }: { empty: boolean; json: boolean },
  terminal: Terminal,
): Promise<void> {
  const kind = readKind(kindName);
  await using snapshot = await openSnapshot(config);
  const found = await findEntries(snapshot, kind);
  const entries = found.filter(({ images }) => !empty || images === 0);
  const lines = json
    ? [
        JSON.stringify(
          entries.map(({ entry: { id, name, aliases }, images }) => ({
            id,
            name,
            aliases: formerNames(aliases),
            images,
          })),
        ),
      ]
    : terminal.stdout.isTTY
      ? formatTable(
          ['id', 'images', 'name'],
          entries.map(({ entry, images }) => [entry.id, String(images), entry.name]),
        )
      : entries.map(({ entry }) => entry.id);
  await printStream(terminal, toStream(lines));
}

async function* toStream(lines: string[]): AsyncGenerator<string, void> {
  for (const line of lines) yield printable(line);
}

/** Which images `zukan trash` and `zukan remove` are about. */
import type { MentionedKind } from '../../catalogue/types.ts';
import { findEntry } from '../../changes/references.ts';
import type { RemovalTarget } from '../../changes/remove.ts';
import type { Config } from '../../config/config.ts';
import { openSnapshot } from '../../server/engines.ts';
import { UsageError } from '../terminal/errors.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { readIds } from './image-ids.ts';

export type TargetFlags = Partial<Record<MentionedKind, string>>;

const kinds: MentionedKind[] = ['artist', 'category', 'character'];

export const namedKinds = (flags: TargetFlags): MentionedKind[] =>
  kinds.filter((kind) => flags[kind] !== undefined);

export async function readTarget(
  parameters: string[],
  flags: TargetFlags,
  terminal: Terminal,
): Promise<RemovalTarget> {
  const [kind, ...others] = namedKinds(flags);
  // Whether several mean all of them or what they share is anyone's guess.
  if (others.length > 0 || (kind === undefined) === (parameters.length === 0))
    throw new UsageError(
      'name either ids, or one of --artist, --character and --category; "zukan find … | zukan trash -" combines them',
    );
  return kind ? { kind, reference: flags[kind] as string } : { ids: await readIds(parameters, terminal) };
}

/** How many images there are, in the catalogue and, if they are named by ids, in the trash. */
export async function countTarget(config: Config, target: RemovalTarget): Promise<number> {
  await using snapshot = await openSnapshot(config);
  if ('ids' in target) {
    const { images, trashed } = await snapshot.findImageIds(target.ids);
    return images.union(trashed).size;
  }
  const { id } = await findEntry(snapshot, target.kind, target.reference);
  return (await snapshot.imageCounts(target.kind)).get(id) ?? 0;
}

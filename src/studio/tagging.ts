/** What helps to tag quickly: the categories of pictures nearby, and which names of a list exist. */
import { readDocument } from '../catalogue/documents/document.ts';
import type { CatalogueSnapshot } from '../catalogue/writer.ts';
import { matchEntries } from '../changes/references.ts';
import type { RequestTo, ResponseOf } from './contract.ts';
import type { Counted } from './responses.ts';

/** On either side. Pictures of one folder are imported one after the other, so their numbers are near each other. */
const NEIGHBOURS = 10;
const MAX_LISTED = 8;

type OpenSnapshot = () => Promise<CatalogueSnapshot>;

/** The categories that pictures near the given ones have and at least one of these lacks; the most frequent first. */
export async function findNeighbourCategories(
  { ids }: RequestTo<'/data/neighbours'>,
  openSnapshot: OpenSnapshot,
): Promise<Counted[]> {
  await using snapshot = await openSnapshot();
  const chosen = await snapshot.imagesById(ids);
  const numbers = new Set(chosen.map(({ number }) => number));
  const near = new Set(
    [...numbers].flatMap((number) =>
      Array.from({ length: 2 * NEIGHBOURS + 1 }, (_, offset) => number - NEIGHBOURS + offset),
    ),
  );
  const others = await snapshot.imagesByNumber([...near.difference(numbers)].filter((number) => number > 0));
  const categoriesOf = ({ document }: { document: string }) => readDocument(document).categories;
  const counts = new Map<string, Counted>();
  for (const { id, name } of others.flatMap(categoriesOf))
    counts.set(id, { id, name, images: (counts.get(id)?.images ?? 0) + 1 });
  const known = chosen.map((row) => new Set(categoriesOf(row).map(({ id }) => id)));
  return [...counts.values()]
    .filter(({ id }) => known.some((categories) => !categories.has(id)))
    .sort((a, b) => b.images - a.images)
    .slice(0, MAX_LISTED);
}

/** The entries that these names mean, in the same order; only the name of one that does not exist. */
export async function lookUpNames(
  { kind, names }: RequestTo<'/data/names'>,
  openSnapshot: OpenSnapshot,
): Promise<ResponseOf<'/data/names'>> {
  await using snapshot = await openSnapshot();
  const found: ResponseOf<'/data/names'> = [];
  for (const name of names) {
    const [entry] = await matchEntries(snapshot, kind, name);
    found.push(entry ? { id: entry.id, name: entry.name } : { name });
  }
  return found;
}

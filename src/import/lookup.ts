/** Looks up the stored entries and images that records may refer to. */
import type { Decisions } from '../catalogue/decisions.ts';
import type { Kind } from '../catalogue/types.ts';
import { UNKNOWN_ARTIST, unknownArtistEntry } from '../catalogue/unknown-artist.ts';
import type { CatalogueWriter, Lookup } from '../catalogue/writer.ts';
import { type ExistingEntries, ExistingImages } from './plan/existing.ts';
import { type ImageLine, isId } from './record.ts';

/** Adds the entries that the references, ids or names, may mean. */
export async function loadEntries(
  existing: ExistingEntries,
  lookup: Lookup & { decisions?: Decisions },
  kind: Kind,
  references: Iterable<string>,
): Promise<void> {
  const { ids = [], names = [] } = Object.groupBy(references, (text) => (isId(text) ? 'ids' : 'names'));
  existing.add(
    await lookup.entriesById(
      kind,
      ids.map((id) => id.toLowerCase()),
    ),
  );
  existing.add(await lookup.entriesByName(kind, names));
  // A name wins over an alias and a block.
  const others = names.filter((name) => existing.withName(kind, name).length === 0);
  existing.add(await lookup.entriesByAlias(kind, others));
  if (lookup.decisions) existing.addBlocked(await lookup.decisions.blockedNames(kind, others));
}

interface Line {
  record: ImageLine;
  picture: { hashes: string[] };
}

export async function loadImages(writer: CatalogueWriter, lines: Line[]): Promise<ExistingImages> {
  const ids = lines.flatMap(({ record }) => record.id ?? []);
  const eTags = lines.flatMap(({ record, picture }) => (record.id ? [] : picture.hashes));
  return new ExistingImages(await writer.imagesById(ids), await writer.imagesByETag(eTags));
}

/** Adds the artist of images without one, if it is missing. */
export async function ensureUnknownArtist(writer: CatalogueWriter, now: string): Promise<void> {
  const [found] = await writer.entriesById('artist', [UNKNOWN_ARTIST.id]);
  if (!found) await writer.saveEntries([unknownArtistEntry(now)]);
}

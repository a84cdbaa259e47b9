/** Looks up the stored entries and images that records may refer to. */
import { isId } from '../../catalogue/names.ts';
import type { Kind, MentionedKind } from '../../catalogue/types.ts';
import { UNKNOWN_ARTIST, unknownArtistEntry } from '../../catalogue/unknown-artist.ts';
import type { CatalogueWriter, Lookup } from '../../catalogue/writer.ts';
import { inBatches } from '../../lib/parallel.ts';
import type { Decisions } from '../../store/contract/decisions.ts';
import { ExistingEntries, ExistingImages, referencesOf } from '../plan/existing.ts';
import { type AlbumLine, artistOf, type ImageLine } from '../records/record.ts';

/** Adds the entries that the references, ids or names, may mean. */
export async function loadEntries(
  existing: ExistingEntries,
  lookup: Lookup & { decisions?: Decisions },
  kind: Kind,
  references: Iterable<string>,
): Promise<void> {
  const { ids: given = [], names = [] } = Object.groupBy(references, (text) =>
    isId(text) ? 'ids' : 'names',
  );
  const ids = given.map((id) => id.toLowerCase());
  existing.add(await lookup.entriesById(kind, ids));
  existing.add(await lookup.entriesByName(kind, names));
  // An id wins over an alias, and a name over an alias and a block.
  const otherIds = ids.filter((id) => !existing.withId(kind, id));
  const others = names.filter((name) => existing.withName(kind, name).length === 0);
  existing.add(await lookup.entriesByAlias(kind, [...otherIds, ...others]));
  if (lookup.decisions) existing.addBlocked(await lookup.decisions.blockedNames(kind, others));
}

/** Adds the images that albums name, and those that they have. The albums must be loaded. */
export async function loadAlbumImages(
  existing: ExistingEntries,
  lookup: Lookup,
  albums: Pick<AlbumLine, 'id' | 'name' | 'images'>[],
): Promise<void> {
  const ids = albums.flatMap((record) => [
    ...(record.images ?? []),
    ...referencesOf(record).flatMap((reference) => existing.matching('album', reference)[0]?.images ?? []),
  ]);
  for (const batch of inBatches([...new Set(ids)], MAX_IDS))
    existing.addImages(await lookup.findImageIds(batch));
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

/** Looked up at a time. */
const MAX_IDS = 10_000;
const MAX_REFERENCES = 50_000;
/** Characters of their documents. */
const MAX_LENGTH = 16 * 1024 * 1024;

/** The entries that images mention, loaded once for many images. */
export class MentionedEntries {
  readonly entries = new ExistingEntries();
  readonly #references: Record<MentionedKind, Set<string>> = {
    artist: new Set(),
    category: new Set(),
    character: new Set(),
  };

  /** Whether there are so many that it should be replaced with an empty one. */
  get isFull(): boolean {
    const { artist, category, character } = this.#references;
    const references = artist.size + category.size + character.size;
    return references > MAX_REFERENCES || this.entries.length > MAX_LENGTH;
  }

  /** Returns the references, ids or names, that nobody mentioned before. Their entries have to be loaded. */
  add(records: ImageLine[]): Map<Kind, string[]> {
    const missing = new Map<Kind, string[]>();
    const mention = (kind: MentionedKind, reference: string) => {
      const known = this.#references[kind];
      if (known.has(reference)) return;
      known.add(reference);
      const others = missing.get(kind);
      if (others) others.push(reference);
      else missing.set(kind, [reference]);
    };
    for (const record of records) {
      mention('artist', artistOf(record));
      for (const name of record.categories ?? []) mention('category', name);
      for (const name of record.characters ?? []) mention('character', name);
    }
    return missing;
  }
}

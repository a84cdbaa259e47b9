/** What of the catalogue needs attention, as far as that is cheap to say. */
import type { Kind, MentionedKind } from '../catalogue/types.ts';
import { UNKNOWN_ARTIST } from '../catalogue/unknown-artist.ts';
import type { CatalogueSnapshot } from '../catalogue/writer.ts';
import { DAY_MS } from '../lib/clock.ts';
import type { LastBackup } from '../store/contract/last-backup.ts';
import type { Health } from './responses.ts';

/** In a larger catalogue, counting takes too long to do it for every visit. */
const MAX_COUNTED = 20_000;
const MAX_IMPORTS = 3;
/** As in docs/alerts.yaml. */
const MAX_BACKUP_AGE_MS = 2 * DAY_MS;

export async function readHealth(
  images: number,
  openSnapshot: () => Promise<CatalogueSnapshot>,
  backup: LastBackup | undefined,
  now: number,
): Promise<Health> {
  await using snapshot = await openSnapshot();
  const any = { without: [], isEdited: false, isUnrated: false, isFileChanged: false };
  const all = { shelves: [snapshot.fixedShelves.catalogue], ...any };
  const count = async (filter: { without?: MentionedKind[]; isUnrated?: boolean }) =>
    images > MAX_COUNTED ? undefined : await snapshot.countImages({ ...all, ...filter });
  const counts = async (kind: Kind) => {
    const found = await snapshot.imageCounts(kind);
    const unused = [...found.values()].filter((size) => size === 0).length;
    return { found, unused };
  };
  const artists = await counts('artist');
  // It is made when needed, so it may be empty.
  const isUnknownUnused = artists.found.get(UNKNOWN_ARTIST.id) === 0;
  return {
    images,
    unrated: await count({ isUnrated: true }),
    withoutCategory: await count({ without: ['category'] }),
    withoutArtist: artists.found.get(UNKNOWN_ARTIST.id) ?? 0,
    unused: {
      artist: artists.unused - (isUnknownUnused ? 1 : 0),
      category: (await counts('category')).unused,
      character: (await counts('character')).unused,
      album: (await counts('album')).unused,
    },
    imports: await snapshot.changeLog.list({ limit: MAX_IMPORTS, isImport: true }),
    backup: backup && { ...backup, isOld: now - Date.parse(backup.at) > MAX_BACKUP_AGE_MS },
  };
}

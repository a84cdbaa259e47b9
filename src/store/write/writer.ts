/** Writes the catalogue: one transaction under the write lock. Readers see the old catalogue until the commit. */
import type { Change } from '../../catalogue/change-log.ts';
import type { Kind } from '../../catalogue/schemas.ts';
import type {
  CatalogueWriter,
  Entry,
  ImageRow,
  Lookup,
  PlacedImage,
  SavedEntry,
  SavedImage,
} from '../../catalogue/writer.ts';
import { nameKey } from '../../catalogue/writer.ts';
import type { NotedTime } from '../../lib/clock.ts';
import { CHANGE_COLUMNS } from '../change-log/log.ts';
import { type ChangeContext, ChangeRecorder } from '../change-log/recorder.ts';
import { createChangeLog, createExpiry } from '../change-log/writer.ts';
import { createLookup } from '../read/snapshot.ts';
import { DANGLING, readFixedShelves, type WriteSession } from '../session.ts';
import { createDecisions, EntryWriter } from './entries.ts';
import { createSourceFileWriter, ImageWriter } from './images.ts';
import { Placements } from './placements.ts';

/** What may have expired. */
export interface Oldest {
  /** The times of the oldest image in the trash and of the oldest change before this one. */
  trash: string | null;
  change: string | null;
  clock: NotedTime;
}

/** Called once the changes are saved, with what the log has of them. */
export type AfterCommit = (oldest: Oldest, change: Change | undefined) => Promise<void>;

interface Start {
  lastImage: number;
  /** Numbers of images in the trash are not used again. */
  lastTrashed: number;
  oldestTrash: string | null;
  oldestChange: string | null;
  notedAt: string;
  since: string;
}

export async function openWriter(
  session: WriteSession,
  context: ChangeContext,
  afterCommit: AfterCommit = async () => {},
): Promise<CatalogueWriter> {
  await using opening = new AsyncDisposableStack();
  opening.use(session);
  const fixedShelves = await readFixedShelves(session);
  const [start] = await session.query<Start>(
    `select coalesce((select number from image order by number desc limit 1), 0) as "lastImage",
       coalesce((select number from trash order by number desc limit 1), 0) as "lastTrashed",
       (select removed_at from trash order by removed_at limit 1) as "oldestTrash",
       (select at from change order by number limit 1) as "oldestChange",
       at as "notedAt", since from clock`,
  );
  const { oldestTrash, oldestChange, notedAt, since, ...last } = start as Start;
  const lastImage = Math.max(last.lastImage, last.lastTrashed);
  const [lastChange] = await session.query<Change>(
    `select ${CHANGE_COLUMNS} from change order by number desc limit 1`,
  );
  // The numbers of the newest images are used again after those were removed. No change has a higher one than the last.
  if (lastChange && lastChange.lastImage > lastImage) {
    lastChange.lastImage = lastImage;
    await session.run('update change set last_image = $1 where last_image > $1', [lastImage]);
  }
  const recorder = new ChangeRecorder(session, context, { lastImage, last: lastChange });
  const expiry = createExpiry(session, context, { at: notedAt, since }, oldestChange);
  const placements = new Placements(session, fixedShelves.rating.sfw);
  const images = new ImageWriter(session, placements, lastImage);
  const entries = new EntryWriter(session, placements);
  const lookup = createLookup(session);
  const changeLog = createChangeLog(session, recorder, expiry, lastImage, (numbers) =>
    images.reserve(numbers),
  );
  opening.move();
  // What is changed is recorded before, with how it was. Adding images costs nothing more.
  return {
    ...lookup,
    fixedShelves,
    decisions: createDecisions(session, recorder),
    sourceFiles: createSourceFileWriter(session),
    changeLog,
    async *imagesOn(shelf) {
      await placements.write();
      yield* lookup.imagesOn(shelf);
    },
    async saveEntries(changed) {
      for (const [kind, ofKind] of Map.groupBy(changed, ({ kind }) => kind))
        await recordEntries(lookup, recorder, kind, ofKind);
      await entries.save(changed);
    },
    async saveAliases(entry) {
      await recordEntries(lookup, recorder, entry.kind, [entry]);
      await entries.saveAliases([entry]);
    },
    async removeEntries(removed) {
      for (const [kind, ofKind] of Map.groupBy(removed, ({ kind }) => kind)) {
        const ids = ofKind.map(({ id }) => id);
        await recorder.entriesChanged((await lookup.entriesById(kind, ids)).map((before) => ({ before })));
      }
      await entries.remove(removed);
    },
    async saveImages(changed, former) {
      await images.save(changed, await recordImages(lookup, recorder, changed, former));
    },
    savePerceptualHashes: (changed) => images.saveHashes(changed),
    async restoreImages(removed) {
      await recorder.imagesRestored(removed.map(({ row }) => row));
      await images.restore(removed);
    },
    async trashImages(ids) {
      const rows = await images.remove(ids);
      await recorder.imagesTrashed(rows);
      return rows;
    },
    async takeDownImages(ids) {
      const taken = new Map<string, ImageRow>((await images.remove(ids)).map((row) => [row.id, row]));
      // One that was imported again has the same id.
      for (const { kind, image } of await changeLog.trashed(ids))
        if (kind === 'image' && !taken.has(image.id)) taken.set(image.id, image);
      const ofBytes = await changeLog.trashedBytes([...taken.values()].map(({ eTag }) => eTag));
      const removed = [...taken.values()];
      const former = await changeLog.trashed(ids);
      await recorder.imagesTakenDown(removed);
      return { removed, former: [...former, ...ofBytes].map(({ image }) => image) };
    },
    restoreTokens: (records) => session.restoreTokens(records),
    async identify(identity) {
      await session.run('update identity set id = $1', [identity]);
    },
    async renumberAll() {
      for (const rows of DANGLING) await session.run(`delete from ${rows}`);
      await placements.renumberAll();
      await entries.renumberAll();
      await images.indexTexts();
    },
    async commit() {
      await recorder.finish();
      await placements.write();
      await images.write();
      await entries.rewriteDocuments();
      await placements.saveShelves();
      await entries.numberEntries();
      await expiry.finish(recorder);
      await session.commit();
      const oldest = { trash: oldestTrash, change: oldestChange, clock: expiry.clock };
      await afterCommit(oldest, recorder.current());
    },
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}

/** Their aliases may belong to other entries so far, which lose them. */
async function recordEntries(
  lookup: Lookup,
  recorder: ChangeRecorder,
  kind: Kind,
  entries: Entry[],
): Promise<void> {
  const saved = entries.flatMap(({ id, shelf }) => (shelf === undefined ? [] : [id]));
  const before = new Map((await lookup.entriesById(kind, saved)).map((entry) => [entry.id, entry]));
  const owners = new Map<string, SavedEntry>();
  const named = entries.flatMap(({ aliases = [] }) => aliases);
  for (const owner of await lookup.entriesByAlias(kind, [...new Set(named)]))
    for (const alias of owner.aliases) owners.set(nameKey(kind, alias), owner);
  const changes: Parameters<ChangeRecorder['entriesChanged']>[0] = [];
  for (const entry of entries) {
    const aliases = entry.aliases ?? before.get(entry.id)?.aliases ?? [];
    const images = entry.images ?? before.get(entry.id)?.images ?? [];
    const after = { ...entry, aliases, ...(kind === 'album' && { images }) };
    changes.push({ before: before.get(entry.id), after });
    const taken = new Set((entry.aliases ?? []).map((alias) => nameKey(kind, alias)));
    for (const owner of new Set([...taken].flatMap((key) => owners.get(key) ?? [])))
      if (owner.id !== entry.id) {
        const left = owner.aliases.filter((alias) => !taken.has(nameKey(kind, alias)));
        changes.push({ before: owner, after: { ...owner, aliases: left } });
      }
  }
  await recorder.entriesChanged(changes);
}

/** Returns the rows that those of the images have which exist. */
async function recordImages(
  lookup: Lookup,
  recorder: ChangeRecorder,
  images: PlacedImage[],
  former: SavedImage[] | undefined,
): Promise<SavedImage[]> {
  const updated = images.filter(({ row }) => row.number !== undefined);
  recorder.imagesAdded(images.length - updated.length);
  const changed = new Map(updated.map((image) => [image.row.id, image]));
  const before = former ?? (await lookup.imagesById([...changed.keys()]));
  await recorder.imagesChanged(
    before.map((before) => {
      const { row: after, dropsFile } = changed.get(before.id) as PlacedImage;
      return { before, after, dropsFile };
    }),
  );
  return before;
}

/** Writes the catalogue: one transaction under the write lock. Readers see the old catalogue until the commit. */
import type { Change } from '../catalogue/change-log.ts';
import type { CatalogueWriter } from '../catalogue/writer.ts';
import { CHANGE_COLUMNS } from './change-log/log.ts';
import { type ChangeContext, ChangeRecorder } from './change-log/recorder.ts';
import { createChangeLog } from './change-log/writer.ts';
import type { NotedTime } from './contract/clock.ts';
import { createDecisions } from './decisions.ts';
import { Expiry } from './expiry.ts';
import { createLookup, findUnusedKeys } from './lookup.ts';
import { DANGLING, IMAGE_COLUMNS, readFixedShelves } from './queries.ts';
import type { WriteSession } from './session.ts';
import { createSourceFileWriter } from './source-files.ts';
import { EntryWriter } from './write/entries.ts';
import { ImageWriter } from './write/images.ts';
import { Placements } from './write/placements.ts';
import { recordWriter, type UnrecordedWriter } from './write/writer.ts';

/** What may have expired. */
export interface Oldest {
  /** The times of the oldest image in the trash and of the oldest change before this one. */
  trash: string | null;
  change: string | null;
  clock: NotedTime;
}

/** Called once the changes are saved, with what the log has of them. */
export type AfterCommit = (oldest: Oldest, change: Change | undefined) => Promise<void>;

export async function openWriter(
  session: WriteSession,
  context: ChangeContext,
  afterCommit: AfterCommit = async () => {},
): Promise<CatalogueWriter> {
  try {
    return await createWriter(session, context, afterCommit);
  } catch (error) {
    await session[Symbol.asyncDispose]();
    throw error;
  }
}

interface Start {
  lastImage: number;
  /** Numbers of images in the trash are not used again. */
  lastTrashed: number;
  oldestTrash: string | null;
  oldestChange: string | null;
  notedAt: string;
  since: string;
}

async function createWriter(
  session: WriteSession,
  context: ChangeContext,
  afterCommit: AfterCommit,
): Promise<CatalogueWriter> {
  const fixedShelves = await readFixedShelves(session);
  const [start] = await session.query<Start>(
    `select (select coalesce(max(number), 0) from image) as "lastImage",
       (select coalesce(max(number), 0) from trash) as "lastTrashed",
       (select min(removed_at) from trash) as "oldestTrash",
       (select at from change order by number limit 1) as "oldestChange",
       (select at from clock) as "notedAt", (select since from clock) as since`,
  );
  const { oldestTrash, oldestChange, notedAt, since, ...last } = start as Start;
  const lastImage = Math.max(last.lastImage, last.lastTrashed);
  // The numbers of the newest images are used again after those were removed.
  await session.run('update change set last_image = $1 where last_image > $1', [lastImage]);
  const [lastChange] = await session.query<Change>(
    `select ${CHANGE_COLUMNS} from change order by number desc limit 1`,
  );
  const recorder = new ChangeRecorder(session, context, { lastImage, last: lastChange });
  const expiry = new Expiry(session, context, { at: notedAt, since });
  const placements = new Placements(session, fixedShelves.rating.sfw);
  const images = new ImageWriter(session, placements, lastImage);
  const entries = new EntryWriter(session, placements);
  const lookup = createLookup(session);
  const writer: UnrecordedWriter = {
    ...lookup,
    fixedShelves,
    decisions: createDecisions(session),
    sourceFiles: createSourceFileWriter(session),
    changeLog: createChangeLog(session, recorder, expiry, lastImage, (numbers) => images.reserve(numbers)),
    async *imagesOn(shelf) {
      await placements.write();
      yield* lookup.imagesOn(shelf);
    },
    async imagesByETag(eTags) {
      if (eTags.length === 0) return [];
      const isOneOf = session.dialect.isOneOf('$1', 'text');
      return session.query(`select ${IMAGE_COLUMNS} from image where etag ${isOneOf} order by number`, [
        eTags,
      ]);
    },
    saveEntries: (changed) => entries.save(changed),
    saveAliases: (entry) => entries.saveAliases([entry]),
    removeEntries: (removed) => entries.remove(removed),
    saveImages: (changed) => images.save(changed),
    savePerceptualHashes: (changed) => images.saveHashes(changed),
    removeImages: (ids) => images.remove(ids),
    restoreImages: (removed) => images.restore(removed),
    unusedKeys: (keys) => findUnusedKeys(session, keys),
    restoreTokens: (records) => session.restoreTokens(records),
    async identify(identity) {
      await session.run('update identity set id = $1', [identity]);
    },
    async renumberAll() {
      for (const rows of DANGLING) await session.run(`delete from ${rows}`);
      await placements.renumberAll();
      await entries.renumberAll();
      await images.indexTitles();
    },
    async commit() {
      await placements.write();
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
  return recordWriter(writer, recorder);
}

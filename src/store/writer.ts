/** Writes the catalogue: one transaction under the write lock. Readers see the old catalogue until the commit. */
import type { CatalogueWriter } from './contract/writer.ts';
import { createDecisions } from './decisions.ts';
import { EntryWriter } from './entry-writer.ts';
import { ImageWriter } from './image-writer.ts';
import { openImportRuns } from './import-runs.ts';
import { createLookup, findUnusedKeys } from './lookup.ts';
import { Placements } from './placements.ts';
import { DANGLING, IMAGE_COLUMNS, readFixedShelves } from './queries.ts';
import type { WriteSession } from './session.ts';
import { createSourceFileWriter } from './source-files.ts';

/** `afterCommit` is called once the changes are saved. */
export async function openWriter(
  session: WriteSession,
  afterCommit: () => Promise<void> = async () => {},
): Promise<CatalogueWriter> {
  try {
    return await createWriter(session, afterCommit);
  } catch (error) {
    await session[Symbol.asyncDispose]();
    throw error;
  }
}

async function createWriter(
  session: WriteSession,
  afterCommit: () => Promise<void>,
): Promise<CatalogueWriter> {
  const fixedShelves = await readFixedShelves(session);
  const [newest] = await session.query<{ number: number }>(
    'select coalesce(max(number), 0) as number from image',
  );
  const lastImage = newest?.number as number;
  const placements = new Placements(session, fixedShelves.rating.sfw);
  const images = new ImageWriter(session, placements, lastImage);
  const entries = new EntryWriter(session, placements);
  const lookup = createLookup(session);
  return {
    ...lookup,
    fixedShelves,
    decisions: createDecisions(session),
    sourceFiles: createSourceFileWriter(session),
    importRuns: await openImportRuns(session, lastImage),
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
    unusedKeys: (keys) => findUnusedKeys(session, keys),
    restoreTokens: (records) => session.restoreTokens(records),
    async renumberAll() {
      for (const rows of DANGLING) await session.run(`delete from ${rows}`);
      await placements.renumberAll();
      entries.hasChanges = true;
    },
    async commit() {
      await placements.write();
      await entries.rewriteDocuments();
      await placements.saveShelves();
      await entries.numberEntries();
      await session.commit();
      await afterCommit();
    },
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}

/** The whole catalogue as of one version. */
import type { CatalogueSnapshot, FixedShelves, ImageIdFilter, SavedImage } from '../../catalogue/writer.ts';
import { createChangeLogReader } from '../change-log/log.ts';
import { createLookup, type EntryRow, entryColumns, findUnusedKeys, readImages, toEntry } from '../lookup.ts';
import {
  type BlockedRow,
  createShelfQueries,
  IMAGE_COLUMNS,
  IS_EDITED,
  IS_FILE_CHANGED,
  IS_UNRATED,
  isOfChange,
  PLACEMENT_COLUMNS,
  type PlacementRow,
  REMOVED_COLUMNS,
  readFixedShelves,
  selectBlocked,
  toBlockedName,
  toPlacements,
} from '../queries.ts';
import type { ReadSession, SqlValue } from '../session.ts';

export async function openSnapshot(session: ReadSession): Promise<CatalogueSnapshot> {
  try {
    return createSnapshot(session, await readFixedShelves(session));
  } catch (error) {
    await session[Symbol.asyncDispose]();
    throw error;
  }
}

function createSnapshot(session: ReadSession, fixedShelves: FixedShelves): CatalogueSnapshot {
  return {
    ...createLookup(session),
    fixedShelves,
    identity: () => session.identity(),
    async isEmpty() {
      const records = [
        this.images(),
        ...(['artist', 'category', 'character', 'album'] as const).map((kind) => this.entries(kind)),
        this.blockedNames(),
        this.removedFiles(),
        this.changeLog.changes(),
        this.changeLog.trash(),
      ];
      for (const each of records) for await (const _record of each) return false;
      return true;
    },
    async *entries(kind) {
      const text = `select ${entryColumns(session.dialect)} from shelf where kind = $1 order by position`;
      for await (const row of session.stream<EntryRow>(text, [kind])) yield toEntry(row);
    },
    images: () => session.stream<SavedImage>(`select ${IMAGE_COLUMNS} from image order by number`),
    async imageNumbers() {
      const rows = await session.query<{ number: number }>('select number from image');
      return rows.map(({ number }) => number);
    },
    async *editedImages() {
      const text = 'select image from edited order by image desc';
      for await (const { image } of session.stream<{ image: number }>(text)) yield image;
    },
    async imageIds(filter) {
      const { text, values } = selectImages(session, filter);
      const rows = await session.query<{ id: string }>(
        `select image.id ${text} order by listed.position`,
        values,
      );
      return rows.map(({ id }) => id);
    },
    async countImages(filter) {
      const { text, values } = selectImages(session, filter);
      const [row] = await session.query<{ count: number }>(
        `select cast(count(*) as int) as count ${text}`,
        values,
      );
      return row?.count ?? 0;
    },
    async imageCounts(kind) {
      const rows = await session.query<{ id: string; size: number }>(
        'select id, size from shelf where kind = $1',
        [kind],
      );
      return new Map(rows.map(({ id, size }) => [id, size]));
    },
    changeLog: createChangeLogReader(session),
    async *blockedNames() {
      for await (const row of session.stream<BlockedRow>(selectBlocked('order by kind, key')))
        yield toBlockedName(row);
    },
    removedFiles: () => session.stream(`select ${REMOVED_COLUMNS} from removed_file order by hash`),
    sourceFiles: () =>
      session.stream(
        'select folder, path, image, state, fingerprint from source_file order by folder, path, image',
      ),
    async *chosenFolders() {
      const text = 'select folder, choice from source_folder order by folder';
      for await (const { folder, choice } of session.stream<{ folder: string; choice: string }>(text))
        yield { folder, choice: JSON.parse(choice) };
    },
    imagesByNumber: (numbers) => readImages(session, numbers),
    perceptualHashes: () => session.stream('select image, hash from perceptual_hash order by image'),
    async *titleWords() {
      const text = `select image, ${session.dialect.jsonArray('word')} as words from title_word group by image order by image`;
      for await (const { image, words } of session.stream<{ image: number; words: string }>(text))
        yield { image, words: JSON.parse(words) };
    },
    unusedKeys: (keys) => findUnusedKeys(session, keys),
    async placementsOf(images) {
      const { isOneOf } = session.dialect;
      const text = `select ${PLACEMENT_COLUMNS} from image_shelves where image ${isOneOf('$1', 'int')}`;
      return toPlacements(await session.query<PlacementRow>(text, [images]), session.dialect);
    },
    async *misnumbered() {
      const { MISNUMBERED } = createShelfQueries(session.dialect);
      for await (const { problem } of session.stream<{ problem: string }>(MISNUMBERED)) yield problem;
    },
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}

/** The rest of a statement, from `from` on. */
function selectImages(
  session: ReadSession,
  { shelves, without, isEdited, isUnrated, isFileChanged, change }: ImageIdFilter,
): { text: string; values: SqlValue[] } {
  const { isOn, isOnNo } = createShelfQueries(session.dialect);
  const values: SqlValue[] = [];
  const bind = (value: SqlValue) => `$${values.push(value)}`;
  const [first, ...others] = shelves as [number, ...number[]];
  const conditions = [`listed.shelf = ${bind(first)}`, ...others.map((shelf) => isOn(bind(shelf)))];
  if (without.length > 0) conditions.push(isOnNo(session.dialect.isOneOf(bind(without), 'text')));
  if (isEdited) conditions.push(IS_EDITED);
  if (isUnrated) conditions.push(IS_UNRATED);
  if (isFileChanged) conditions.push(IS_FILE_CHANGED);
  if (change !== undefined) conditions.push(isOfChange(bind(change)));
  const text = `from placement as listed join image on image.number = listed.image
     where ${conditions.join(' and ')}`;
  return { text, values };
}

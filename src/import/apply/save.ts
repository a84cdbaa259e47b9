/** Saves batches of parsed records: looks up what they refer to, plans them, and writes the resulting rows. */

import type { Difference } from '../../catalogue/change-log.ts';
import { fileKeys, readDocument, UNKNOWN_ARTIST } from '../../catalogue/documents/document.ts';
import { entryDifferences, imageDifferences, parseEdited } from '../../catalogue/documents/edit-image.ts';
import type { CatalogueWriter, Entry, PlacedImage, SavedImage } from '../../catalogue/writer.ts';
import type { Upload } from '../../media/files.ts';
import { planEntry } from '../plan/entry.ts';
import {
  ExistingEntries,
  entryIdentities,
  type NewRecordDefaults,
  type Outcome,
  processInBatches,
  referencesOf,
} from '../plan/existing.ts';
import { completeRecord, planImage } from '../plan/image.ts';
import type { ImageWithPicture, ImportOptions, Located } from '../prepare/prepare.ts';
import type { Problems } from '../records/lines.ts';
import {
  type EntryLine,
  type ImageLine,
  OPEN_FIELDS,
  type RecordLine,
  statedRating,
  type UnknownMarker,
} from '../records/record.ts';
import { isStricter, strictest } from '../sidecar/rating.ts';
import {
  ensureUnknownArtist,
  loadAlbumImages,
  loadEntries,
  loadImages,
  MentionedEntries,
} from './decisions.ts';

/** Called with the image that a record became or already was: its id, and the keys of its files. */
type OnImage<T extends ImageWithPicture> = (line: T, id: string, keys: string[]) => void;
type Planned<Row> = Outcome<Row> & { differences?: Difference[] };

const imageIdentities = ({ record, picture }: ImageWithPicture) => [
  ...picture.hashes,
  ...(record.id ? [record.id] : []),
];

/** What an import saves with. */
export interface Saving {
  writer: CatalogueWriter;
  upload: Upload;
  defaults: NewRecordDefaults;
  problems: Problems;
  options: ImportOptions;
}

export class Saver {
  readonly #with: Saving;
  readonly #storeLost: (needed: Map<string, ImageWithPicture>) => Promise<void>;
  /** What images mentioned so far, because most images mention what others did. Emptied when an entry is saved. */
  #mentioned = new MentionedEntries();

  /** `storeLost` stores the files that are gone by now again. It is given pictures by the keys of their files. */
  constructor(saving: Saving, storeLost: (needed: Map<string, ImageWithPicture>) => Promise<void>) {
    this.#with = saving;
    this.#storeLost = storeLost;
  }

  async saveEntries(lines: Located<EntryLine>[]): Promise<void> {
    const identitiesOf = ({ record }: Located<EntryLine>) => entryIdentities(record);
    await processInBatches(lines, identitiesOf, async (batch) => {
      const existing = await this.#findEntries(batch);
      const plan = ({ record }: Located<EntryLine>): Planned<Entry> => {
        const planned = planEntry(record, existing, this.#with.defaults);
        if (planned.outcome !== 'updated') return planned;
        const before = existing.withId(record.type, planned.row.id);
        return { ...planned, differences: before ? entryDifferences(before, planned.row) : [] };
      };
      const { rows, done } = this.#planBatch(batch, identitiesOf, plan);
      if (rows.length > 0) this.#mentioned = new MentionedEntries();
      await this.#with.writer.saveEntries(rows);
      return done;
    });
  }

  async saveImages<T extends ImageWithPicture>(lines: T[], onImage: OnImage<T>): Promise<void> {
    await processInBatches(lines, imageIdentities, async (batch) => {
      const images = await loadImages(this.#with.writer, batch);
      const lines = batch.map((line) => {
        if (!line.record.isFromFolder) return line;
        const existing = images.findCertain(line.record, line.picture.hashes);
        return { ...line, record: completeRecord(line.record, existing) };
      });
      const entries = await this.#findMentionedEntries(lines);
      const released: string[] = [];
      const added: { line: T; id: string }[] = [];
      /** Files that no image has used so far. */
      const needed = new Map<string, T>();
      const plan = (line: T): Planned<PlacedImage> => {
        const { record, picture } = line;
        const existing = images.find(record, picture.hashes);
        const { fixedShelves } = this.#with.writer;
        const planned = planImage(record, picture, existing, entries, fixedShelves, this.#with.defaults);
        const row = planned.outcome === 'unchanged' ? (existing as SavedImage) : planned.row.row;
        // Most new images of records without `file` have no thumbnails.
        const keys = existing || picture.previews || record.thumbnails ? fileKeys(row) : [row.key];
        onImage(line, row.id, keys);
        this.#reportRating(line, existing);
        if (planned.outcome === 'unchanged') return planned;
        const former = existing ? fileKeys(existing) : [];
        if (!picture.isRecorded) for (const key of keys) if (!former.includes(key)) needed.set(key, line);
        if (planned.outcome === 'added' || !existing) {
          added.push({ line, id: row.id });
          return planned;
        }
        released.push(...former.filter((key) => !keys.includes(key)));
        return { ...planned, differences: imageDifferences(existing, row) };
      };
      const { rows, done } = this.#planBatch(lines, imageIdentities, plan);
      await this.#storeLost(needed);
      await this.#with.upload.release(released);
      await this.#with.writer.saveImages(rows);
      for (const { line, id } of added)
        if (line.picture.perceptualHash !== null)
          await this.#with.options.looks.add(line.label, id, line.picture.perceptualHash, line.record.nsfw);
      return done;
    });
  }

  /** A copy of a picture gives its image no details, but a stricter rating counts. */
  async raiseRatings(copies: ImageWithPicture[]): Promise<void> {
    for (const copy of copies) {
      const { file, former, unknownMarkers } = copy.record;
      this.#reportMarkers(copy.label, unknownMarkers);
      const nsfw = strictest(statedRating(copy.record), former?.rating);
      if (nsfw === undefined || nsfw === 'sfw') continue;
      const others = OPEN_FIELDS.filter((field) => field !== 'nsfw');
      const record: ImageLine = {
        type: 'image',
        nsfw,
        categories: [],
        openFields: others,
        isFromFolder: true,
      };
      Object.assign(record, { file, former });
      const line = { ...copy, record };
      const existing = (await loadImages(this.#with.writer, [line])).findCertain(record, copy.picture.hashes);
      // Nobody rated new bytes by hand.
      if (!existing || (!former && parseEdited(existing.edited).includes('rating'))) continue;
      const image = readDocument(existing.document);
      record.fileName = image.fileName;
      if (isStricter(nsfw, image.nsfw)) await this.saveImages([line], () => {});
    }
  }

  #reportRating({ label, record }: ImageWithPicture, existing: SavedImage | undefined): void {
    this.#reportMarkers(label, record.unknownMarkers);
    if (!existing && record.former) this.#with.options.report.note('as-former', label, record.nsfw);
    else if (!existing && record.openFields?.includes('nsfw') && !record.atLeast)
      this.#with.options.report.note('unrated', label, record.nsfw);
    const before = existing && readDocument(existing.document).nsfw;
    if (before && isStricter(before, record.nsfw))
      this.#with.options.report.note('lowered', label, `${before} → ${record.nsfw}`);
  }

  #reportMarkers(label: string, markers: UnknownMarker[] = []): void {
    for (const { field, value } of markers)
      this.#with.options.report.note('marker', label, `"${field}": ${value}`);
  }

  /**
   * Plans records in order and stops at the first one that may refer to a former identity of an earlier one, such as the
   * old name of a renamed entry. That record is planned again after the earlier ones are saved.
   */
  #planBatch<L extends Located<RecordLine>, Row>(
    lines: L[],
    identitiesOf: (line: L) => string[],
    plan: (line: L) => Planned<Row>,
  ) {
    const rows: Row[] = [];
    const former = new Set<string>();
    for (const [index, line] of lines.entries()) {
      if (former.size > 0 && identitiesOf(line).some((identity) => former.has(identity)))
        return { rows, done: index };
      const planned = this.#with.problems.attempt(line, () => plan(line));
      if (!planned) continue;
      this.#with.options.report.record(line.record, planned.outcome, planned.differences);
      if (planned.outcome !== 'unchanged') rows.push(planned.row);
      if (planned.outcome === 'updated')
        for (const identity of planned.formerIdentities) former.add(identity);
    }
    return { rows, done: lines.length };
  }

  async #findEntries(lines: Located<EntryLine>[]): Promise<ExistingEntries> {
    const existing = new ExistingEntries();
    for (const [kind, ofKind] of Map.groupBy(lines, ({ record }) => record.type)) {
      const references = ofKind.flatMap(({ record }) => referencesOf(record));
      await loadEntries(existing, this.#with.writer, kind, references);
    }
    const albums = lines.flatMap(({ record }) => (record.type === 'album' ? record : []));
    if (albums.length > 0) await loadAlbumImages(existing, this.#with.writer, albums);
    return existing;
  }

  async #findMentionedEntries(lines: ImageWithPicture[]): Promise<ExistingEntries> {
    if (this.#mentioned.isFull) this.#mentioned = new MentionedEntries();
    const missing = this.#mentioned.add(lines.map(({ record }) => record));
    for (const [kind, references] of missing) {
      if (references.includes(UNKNOWN_ARTIST.id))
        await ensureUnknownArtist(this.#with.writer, this.#with.defaults.now);
      await loadEntries(this.#mentioned.entries, this.#with.writer, kind, references);
    }
    return this.#mentioned.entries;
  }
}

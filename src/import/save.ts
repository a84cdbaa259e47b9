/** Saves batches of parsed records: looks up what they refer to, plans them, and writes the resulting rows. */

import { fileKeys } from '../catalogue/thumbnails.ts';
import type { Kind } from '../catalogue/types.ts';
import { UNKNOWN_ARTIST } from '../catalogue/unknown-artist.ts';
import type { CatalogueWriter, ImageRow } from '../catalogue/writer.ts';
import type { Upload } from '../media/files.ts';
import type { DecisionReport } from './apply-decisions.ts';
import { entryIdentities, processInBatches } from './batch.ts';
import type { DecisionLine } from './decision-lines.ts';
import { ensureUnknownArtist, loadEntries, loadImages } from './lookup.ts';
import { planEntry } from './plan/entry.ts';
import { ExistingEntries, referencesOf } from './plan/existing.ts';
import { type Picture, planImage } from './plan/image.ts';
import type { NewRecordDefaults, Outcome } from './plan/outcome.ts';
import type { Problems, RecordLocation } from './problems.ts';
import { artistOf, type EntryLine, type ImageLine, type RecordLine } from './record.ts';

/** Receives the outcome of each record. */
export interface Report extends DecisionReport {
  record(record: RecordLine, outcome: 'added' | 'updated' | 'unchanged'): void;
  /** A picture has a location, which was removed or kept. */
  location(): void;
  /** A picture was skipped because it has the same bytes as an earlier one. */
  duplicate(label: string, firstLabel: string): void;
  /** A picture was added. */
  picture(label: string, perceptualHash: string): Promise<void>;
}

type Located<T> = RecordLocation & { record: T };
export type ImageWithPicture = Located<ImageLine> & { picture: Picture };

const imageIdentities = ({ record, picture }: ImageWithPicture) => [
  ...picture.hashes,
  ...(record.id ? [record.id] : []),
];

function replacedFiles(before: ImageRow, after: ImageRow): string[] {
  const kept = new Set(fileKeys(after));
  return fileKeys(before).filter((key) => !kept.has(key));
}

export class Saver {
  readonly #writer: CatalogueWriter;
  readonly #upload: Upload;
  readonly #defaults: NewRecordDefaults;
  readonly #problems: Problems;
  readonly #report: Report;

  constructor(
    writer: CatalogueWriter,
    upload: Upload,
    defaults: NewRecordDefaults,
    problems: Problems,
    report: Report,
  ) {
    this.#writer = writer;
    this.#upload = upload;
    this.#defaults = defaults;
    this.#problems = problems;
    this.#report = report;
  }

  async saveEntries(lines: Located<EntryLine>[]): Promise<void> {
    const identitiesOf = ({ record }: Located<EntryLine>) => entryIdentities(record);
    await processInBatches(lines, identitiesOf, async (batch) => {
      const existing = await this.#findEntries(batch);
      const plan = ({ record }: Located<EntryLine>) => planEntry(record, existing, this.#defaults);
      const { rows, done } = this.#planBatch(batch, identitiesOf, plan);
      await this.#writer.saveEntries(rows);
      return done;
    });
  }

  async saveDecisions(lines: Located<DecisionLine>[]): Promise<void> {
    for (const { record } of lines) this.#report.record(record, await this.#saveDecision(record));
  }

  async #saveDecision(record: DecisionLine): Promise<'added' | 'updated' | 'unchanged'> {
    const { decisions } = this.#writer;
    const at = record.createdAt;
    if (record.type === 'blocked') {
      const { kind, name } = record;
      const [before] = await decisions.blockedNames(kind, [name]);
      const after = { kind, name, blockedAt: at ?? before?.blockedAt ?? this.#defaults.now };
      await decisions.blockNames([after]);
      return compare(before, after);
    }
    const { hash, image, reason = '' } = record;
    const [before] = await decisions.removedFiles([hash]);
    const after = { hash, image, removedAt: at ?? before?.removedAt ?? this.#defaults.now, reason };
    await decisions.rememberFiles([after]);
    return compare(before, after);
  }

  async saveImages(lines: ImageWithPicture[]): Promise<void> {
    await processInBatches(lines, imageIdentities, async (batch) => {
      const entries = await this.#findMentionedEntries(batch);
      const images = await loadImages(this.#writer, batch);
      const released: string[] = [];
      const added: ImageWithPicture[] = [];
      const plan = (line: ImageWithPicture) => {
        const { record, picture } = line;
        const existing = images.find(record, picture.hashes);
        const { fixedShelves } = this.#writer;
        const planned = planImage(record, picture, existing, entries, fixedShelves, this.#defaults);
        if (existing && planned.outcome === 'updated')
          released.push(...replacedFiles(existing, planned.row.row));
        if (planned.outcome === 'added') added.push(line);
        return planned;
      };
      const { rows, done } = this.#planBatch(batch, imageIdentities, plan);
      await this.#upload.release(released);
      await this.#writer.saveImages(rows);
      for (const { label, picture } of added)
        if (picture.perceptualHash !== null) await this.#report.picture(label, picture.perceptualHash);
      return done;
    });
  }

  /**
   * Plans records in order and stops at the first one that may refer to a former identity of an earlier one, such as the
   * old name of a renamed entry. That record is planned again after the earlier ones are saved.
   */
  #planBatch<L extends Located<RecordLine>, Row>(
    lines: L[],
    identitiesOf: (line: L) => string[],
    plan: (line: L) => Outcome<Row>,
  ) {
    const rows: Row[] = [];
    const former = new Set<string>();
    for (const [index, line] of lines.entries()) {
      if (former.size > 0 && identitiesOf(line).some((identity) => former.has(identity)))
        return { rows, done: index };
      const planned = this.#problems.attempt(line, () => plan(line));
      if (!planned) continue;
      this.#report.record(line.record, planned.outcome);
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
      await loadEntries(existing, this.#writer, kind, references);
    }
    return existing;
  }

  async #findMentionedEntries(lines: ImageWithPicture[]): Promise<ExistingEntries> {
    const mentioned: Record<Kind, Set<string>> = {
      artist: new Set(),
      category: new Set(),
      character: new Set(),
    };
    for (const { record } of lines) {
      mentioned.artist.add(artistOf(record));
      for (const name of record.categories ?? []) mentioned.category.add(name);
      for (const name of record.characters ?? []) mentioned.character.add(name);
    }
    const existing = new ExistingEntries();
    for (const [kind, references] of Object.entries(mentioned) as [Kind, Set<string>][]) {
      if (references.has(UNKNOWN_ARTIST.id)) await ensureUnknownArtist(this.#writer, this.#defaults.now);
      await loadEntries(existing, this.#writer, kind, references);
    }
    return existing;
  }
}

function compare<T extends object>(before: T | undefined, after: T): 'added' | 'updated' | 'unchanged' {
  if (!before) return 'added';
  const names = Object.keys(after) as (keyof T)[];
  return names.every((name) => before[name] === after[name]) ? 'unchanged' : 'updated';
}

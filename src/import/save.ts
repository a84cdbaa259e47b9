/** A batch of checked lines into the store: asks what the store has of what they mention, plans, and saves. */

import type { Kind } from '../catalogue/types.ts';
import type { CatalogueWriter } from '../catalogue/writer.ts';
import { identities, inRuns } from './batch.ts';
import {
  type Fresh,
  isId,
  KnownEntries,
  KnownImages,
  type Outcome,
  type Picture,
  planEntry,
  planImage,
} from './plan.ts';
import type { Place, Problems } from './problems.ts';
import type { EntryLine, ImageLine, RecordLine } from './record.ts';

/** Told of everything as it is planned. */
export interface Report {
  record(
    where: string,
    type: RecordLine['type'],
    name: string,
    outcome: 'added' | 'updated' | 'unchanged',
  ): void;
  /** A picture that is the same as an earlier one, and was left out. */
  copy(where: string, first: string): void;
}

type Line<T> = Place & { record: T };
export type ImageWithPicture = Line<ImageLine> & { picture: Picture };

const imageIdentities = ({ record, picture }: ImageWithPicture) => [
  picture.hash,
  ...(record.id ? [record.id] : []),
];

export class Saver {
  readonly #writer: CatalogueWriter;
  readonly #fresh: Fresh;
  readonly #problems: Problems;
  readonly #report: Report;

  constructor(writer: CatalogueWriter, fresh: Fresh, problems: Problems, report: Report) {
    this.#writer = writer;
    this.#fresh = fresh;
    this.#problems = problems;
    this.#report = report;
  }

  async saveEntries(lines: Line<EntryLine>[]): Promise<void> {
    const identify = ({ record }: Line<EntryLine>) => identities(record);
    await inRuns(lines, identify, async (some) => {
      const known = await this.#entriesLike(some);
      const plan = ({ record }: Line<EntryLine>) => planEntry(record, known.like(record), this.#fresh);
      const { rows, done } = this.#planRun(some, identify, plan);
      await this.#writer.saveEntries(rows);
      return done;
    });
  }

  async saveImages(lines: ImageWithPicture[]): Promise<void> {
    await inRuns(lines, imageIdentities, async (some) => {
      const entries = await this.#entriesMentioned(some);
      const images = await this.#imagesLike(some);
      const plan = ({ record, picture }: ImageWithPicture) => {
        const existing = images.find(record, picture.hash);
        return planImage(record, picture, existing, entries, this.#writer.fixedShelves, this.#fresh);
      };
      const { rows, done } = this.#planRun(some, imageIdentities, plan);
      await this.#writer.saveImages(rows);
      return done;
    });
  }

  /**
   * Plans lines in order, up to one that may mean what an earlier one gave up: the old name of a renamed record, the old
   * bytes of an image. That one has to be planned anew, when the others are saved.
   */
  #planRun<L extends Line<RecordLine>, Row>(
    lines: L[],
    identify: (line: L) => string[],
    plan: (line: L) => Outcome<Row>,
  ) {
    const rows: Row[] = [];
    const givenUp = new Set<string>();
    for (const [index, line] of lines.entries()) {
      if (givenUp.size > 0 && identify(line).some((identity) => givenUp.has(identity)))
        return { rows, done: index };
      const planned = this.#problems.attempt(line, () => plan(line));
      if (!planned) continue;
      this.#report.record(line.where, line.record.type, nameOf(line.record), planned.outcome);
      if (planned.outcome !== 'unchanged') rows.push(planned.row);
      if (planned.outcome === 'updated') for (const identity of planned.was) givenUp.add(identity);
    }
    return { rows, done: lines.length };
  }

  async #entriesLike(lines: Line<EntryLine>[]): Promise<KnownEntries> {
    const known = new KnownEntries();
    for (const [kind, ofKind] of Map.groupBy(lines, ({ record }) => record.type)) {
      const ids = ofKind.flatMap(({ record }) => record.id ?? []);
      known.add(await this.#writer.entriesById(kind, ids));
      const names = ofKind.map(({ record }) => record.name);
      known.add(await this.#writer.entriesByName(kind, names));
    }
    return known;
  }

  async #entriesMentioned(lines: ImageWithPicture[]): Promise<KnownEntries> {
    const mentioned: Record<Kind, Set<string>> = {
      artist: new Set(),
      category: new Set(),
      character: new Set(),
    };
    for (const { record } of lines) {
      if (record.artist) mentioned.artist.add(record.artist);
      for (const name of record.categories ?? []) mentioned.category.add(name);
      for (const name of record.characters ?? []) mentioned.character.add(name);
    }
    const known = new KnownEntries();
    for (const [kind, references] of Object.entries(mentioned) as [Kind, Set<string>][]) {
      const [ids, names] = [
        [...references].filter(isId),
        [...references].filter((reference) => !isId(reference)),
      ];
      known.add(
        await this.#writer.entriesById(
          kind,
          ids.map((id) => id.toLowerCase()),
        ),
      );
      known.add(await this.#writer.entriesByName(kind, names));
    }
    return known;
  }

  async #imagesLike(lines: ImageWithPicture[]): Promise<KnownImages> {
    const ids = lines.flatMap(({ record }) => record.id ?? []);
    const eTags = lines.flatMap(({ record, picture }) => (record.id ? [] : picture.hash));
    return new KnownImages(await this.#writer.imagesById(ids), await this.#writer.imagesByETag(eTags));
  }
}

/** What a record is called when it is told of. */
function nameOf(record: RecordLine): string {
  return record.type === 'image' ? (record.file ?? record.key ?? record.id ?? '') : record.name;
}

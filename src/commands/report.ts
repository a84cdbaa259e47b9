/** What an import did, or what a dry run would do. */
import type { RemovedFile } from '../catalogue/decisions.ts';
import type { Kind, Rating } from '../catalogue/types.ts';
import type { CatalogueSnapshot } from '../catalogue/writer.ts';
import { type NearDuplicate, NearDuplicates } from '../import/near-duplicates.ts';
import type { RecordLine, UnknownMarker } from '../import/record.ts';
import type { Report } from '../import/save.ts';
import { count } from './text.ts';

/** Longer lists are cut, and the rest is counted. */
const MAX_LISTED = 20;

export interface Summary {
  added: number;
  updated: number;
  unchanged: number;
}

export class ImportReport implements Report {
  readonly summary: Summary = { added: 0, updated: 0, unchanged: 0 };
  /** Each record with its outcome, for a dry run only. */
  readonly records: string[] = [];
  readonly #isDryRun: boolean;
  readonly #keepsLocation: boolean;
  readonly #defaultRating: Rating;
  #withLocation = 0;
  #withoutMarker = 0;
  /** The pictures with each marker. */
  readonly #unknownMarkers = new Map<string, { label: string; count: number }>();
  readonly #lowered: string[] = [];
  readonly #created: string[] = [];
  readonly #duplicates: string[] = [];
  readonly #ignored: string[] = [];
  readonly #removed: string[] = [];
  /** How many pictures have each of the names. */
  readonly #blocked = new Map<string, number>();
  readonly #nearDuplicates: NearDuplicates;

  constructor(
    isDryRun: boolean,
    keepsLocation: boolean,
    defaultRating: Rating,
    openSnapshot: () => Promise<CatalogueSnapshot>,
  ) {
    this.#isDryRun = isDryRun;
    this.#keepsLocation = keepsLocation;
    this.#defaultRating = defaultRating;
    this.#nearDuplicates = new NearDuplicates(openSnapshot, MAX_LISTED);
  }

  record(record: RecordLine, outcome: keyof Summary): void {
    this.summary[outcome]++;
    const { type } = record;
    const name = displayName(record);
    if (this.#isDryRun) this.records.push(`${outcome.padEnd(9)}  ${type.padEnd(9)}  ${name}`);
    if (outcome === 'added' && 'isImplicit' in record) this.#created.push(`${type} ${name}`);
  }

  location(): void {
    this.#withLocation++;
  }

  withoutMarker(): void {
    this.#withoutMarker++;
  }

  unknownMarker(label: string, { field, value }: UnknownMarker): void {
    const marker = `"${field}": ${value}`;
    const known = this.#unknownMarkers.get(marker);
    this.#unknownMarkers.set(marker, { label: known?.label ?? label, count: (known?.count ?? 0) + 1 });
  }

  lowered(label: string, before: Rating, after: Rating): void {
    this.#lowered.push(`${label}: ${before} → ${after}`);
  }

  duplicate(label: string, firstLabel: string): void {
    this.#duplicates.push(`${label} has the same bytes as ${firstLabel}`);
  }

  removed(label: string, { image, removedAt, reason }: RemovedFile): void {
    const because = reason && ` (${reason})`;
    this.#removed.push(`${label}: image ${image}, removed on ${removedAt.slice(0, 10)}${because}`);
  }

  blocked(kind: Kind, name: string): void {
    const blocked = `${kind} ${name}`;
    this.#blocked.set(blocked, (this.#blocked.get(blocked) ?? 0) + 1);
  }

  picture(label: string, perceptualHash: string): Promise<void> {
    return this.#nearDuplicates.add(label, perceptualHash);
  }

  ignored(path: string): void {
    this.#ignored.push(path);
  }

  async lines(): Promise<string[]> {
    const nearDuplicates = await this.#nearDuplicates.list();
    const { added, updated, unchanged } = this.summary;
    return [
      `${added} added, ${updated} updated, ${unchanged} unchanged`,
      ...this.#locationLines(),
      ...this.#ratingLines(),
      ...list('created', this.#created),
      ...list('skipped (duplicates)', this.#duplicates),
      ...list('skipped (removed; "zukan remove --allow-again <id>" allows them again)', this.#removed),
      ...list(
        'left out (blocked names)',
        Array.from(this.#blocked, ([name, images]) => `${name}: ${count(images, 'picture')}`),
      ),
      ...list('imported, but look alike', nearDuplicates.map(describe), this.#nearDuplicates.count),
      ...list('skipped (not images)', this.#ignored),
    ];
  }

  /** Lowered ratings are all listed: each one publishes a picture to more people. */
  #ratingLines(): string[] {
    const unknown = [...this.#unknownMarkers].map(
      ([marker, { label, count: total }]) =>
        `${marker} in ${label}${total > 1 ? ` and ${total - 1} more` : ''}`,
    );
    const rated = `${count(this.#withoutMarker, 'picture')} without a rating imported as ${this.#defaultRating}`;
    return [
      ...(this.#withoutMarker > 0 ? [`${rated} (--default-rating)`] : []),
      ...list('rating lowered', this.#lowered, this.#lowered.length, Number.POSITIVE_INFINITY),
      ...list('imported as nsfw, because the rating is not understood', unknown),
    ];
  }

  #locationLines(): string[] {
    if (this.#withLocation === 0) return [];
    const pictures = count(this.#withLocation, 'picture');
    return [`location ${this.#keepsLocation ? 'kept in' : 'removed from'} ${pictures}`];
  }
}

function displayName(record: RecordLine): string {
  if (record.type === 'removed') return record.hash;
  return record.type === 'image' ? (record.file ?? record.key ?? record.id ?? '') : record.name;
}

function describe({ label, other }: NearDuplicate): string {
  return `${label} looks like ${other}`;
}

function list(title: string, items: string[], total = items.length, max = MAX_LISTED): string[] {
  if (items.length === 0) return [];
  const more = total > max ? [`  and ${total - max} more`] : [];
  return [`${title}:`, ...items.slice(0, max).map((item) => `  ${item}`), ...more];
}

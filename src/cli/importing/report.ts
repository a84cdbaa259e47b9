/** What an import did, or what a dry run would do. */

import type { Kind, Rating } from '../../catalogue/types.ts';
import type { ImportListener } from '../../import/apply/save.ts';
import { type NearDuplicate, NearDuplicates } from '../../import/prepare/near-duplicates.ts';
import type { Problem } from '../../import/problems.ts';
import type { ImportResult } from '../../import/run.ts';
import type { RecordLine, UnknownMarker } from '../../import/sources/record.ts';
import type { Change } from '../../store/contract/change-log.ts';
import type { RemovedFile } from '../../store/contract/decisions.ts';
import type { CatalogueSnapshot } from '../../store/contract/writer.ts';
import { count } from '../terminal/text.ts';

/** Longer lists are cut, and the rest is counted. */
const MAX_LISTED = 20;

interface ReportOptions {
  isDryRun: boolean;
  keepsLocation: boolean;
  defaultRating: Rating;
  openSnapshot: () => Promise<CatalogueSnapshot>;
}

export interface ImportSummary {
  added: number;
  updated: number;
  unchanged: number;
}

export class ImportReport implements ImportListener {
  readonly summary: ImportSummary = { added: 0, updated: 0, unchanged: 0 };
  /** Undefined if nothing changed. */
  change: Change | undefined;
  /** Each record with its outcome, for a dry run only. */
  readonly records: string[] = [];
  readonly #options: ReportOptions;
  #withLocation = 0;
  #unread = 0;
  #pruned: number | undefined;
  #withoutMarker = 0;
  /** The pictures with each marker. */
  readonly #unknownMarkers = new Map<string, { label: string; count: number }>();
  readonly #lowered: string[] = [];
  readonly #created: string[] = [];
  readonly #changes = new BoundedList();
  readonly #duplicates: string[] = [];
  readonly #ignored: string[] = [];
  readonly #removed: string[] = [];
  /** How many pictures have each of the names. */
  readonly #blocked = new Map<string, number>();
  readonly #nearDuplicates: NearDuplicates;
  #invalid: { listed: Problem[]; count: number } = { listed: [], count: 0 };

  constructor(options: ReportOptions) {
    this.#options = options;
    this.#nearDuplicates = new NearDuplicates(options.openSnapshot, MAX_LISTED);
  }

  record(record: RecordLine, outcome: keyof ImportSummary, changes: string[] = []): void {
    const { type } = record;
    const isImplicit = 'isImplicit' in record && record.isImplicit === true;
    // Whether the pictures that mention an entry were read does not matter to the counts.
    if (isImplicit && outcome === 'unchanged') return;
    this.summary[outcome]++;
    const name = displayName(record);
    if (isImplicit && outcome === 'added') this.#created.push(`${type} ${name}`);
    if (changes.length > 0) this.#changes.add(`${type} ${name}: ${changes.join('; ')}`);
    this.#addLine(outcome, type, name);
  }

  unchangedFile(path: string): void {
    this.summary.unchanged++;
    this.#unread++;
    this.#addLine('unchanged', 'image', path);
  }

  continuedFile(): void {
    this.#unread++;
  }

  unreadRemoved(label: string, file: RemovedFile): void {
    this.#unread++;
    this.removed(label, file);
  }

  /** Images were removed, because their files are gone. */
  pruned(count: number): void {
    this.#pruned = (this.#pruned ?? 0) + count;
  }

  finish({ listed, count, change }: ImportResult): void {
    this.#invalid = { listed, count };
    this.change = change;
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

  /** Whether anything happened that is worth a line. */
  get isEmpty(): boolean {
    const { added, updated } = this.summary;
    return added + updated + (this.#pruned ?? 0) + this.#invalid.count === 0;
  }

  get headline(): string {
    const { added, updated, unchanged } = this.summary;
    const removed = this.#pruned === undefined ? '' : `, ${this.#pruned} removed`;
    return `${added} added, ${updated} updated, ${unchanged} unchanged${removed}`;
  }

  async lines(): Promise<string[]> {
    const nearDuplicates = await this.#nearDuplicates.list();
    return [
      this.headline,
      ...this.#locationLines(),
      ...this.#unreadLines(),
      ...this.#ratingLines(),
      ...list('created', this.#created),
      ...list('changed', this.#changes.items, this.#changes.count),
      ...list('skipped (duplicates)', this.#duplicates),
      ...list('skipped (removed; "zukan remove --allow-again <id>" allows them again)', this.#removed),
      ...list(
        'left out (blocked names)',
        Array.from(this.#blocked, ([name, images]) => `${name}: ${count(images, 'picture')}`),
      ),
      ...list('imported, but look alike', nearDuplicates.map(describe), this.#nearDuplicates.count),
      ...list('skipped (not images)', this.#ignored),
      ...this.invalidLines(),
    ];
  }

  /** All of them: each one publishes a picture to more people. */
  loweredLines(): string[] {
    return list('rating lowered', this.#lowered, this.#lowered.length, Number.POSITIVE_INFINITY);
  }

  invalidLines(): string[] {
    const { listed, count } = this.#invalid;
    return list('skipped (invalid)', listed.map(describeProblem), count, listed.length);
  }

  #addLine(outcome: string, type: string, name: string): void {
    if (this.#options.isDryRun) this.records.push(`${outcome.padEnd(9)}  ${type.padEnd(9)}  ${name}`);
  }

  #ratingLines(): string[] {
    const unknown = [...this.#unknownMarkers].map(
      ([marker, { label, count: total }]) =>
        `${marker} in ${label}${total > 1 ? ` and ${total - 1} more` : ''}`,
    );
    const rated = `${count(this.#withoutMarker, 'picture')} without a rating imported as ${this.#options.defaultRating}`;
    return [
      ...(this.#withoutMarker > 0 ? [`${rated} (--default-rating)`] : []),
      ...this.loweredLines(),
      ...list('imported as nsfw, because the rating is not understood', unknown),
    ];
  }

  #locationLines(): string[] {
    if (this.#withLocation === 0) return [];
    const pictures = count(this.#withLocation, 'picture');
    return [`location ${this.#options.keepsLocation ? 'kept in' : 'removed from'} ${pictures}`];
  }

  #unreadLines(): string[] {
    if (this.#unread === 0) return [];
    return [`not read again, because they did not change: ${count(this.#unread, 'file')} (--full reads all)`];
  }
}

/** Keeps the first items and counts all. */
class BoundedList {
  readonly items: string[] = [];
  count = 0;

  add(item: string): void {
    this.count++;
    if (this.items.length < MAX_LISTED) this.items.push(item);
  }
}

export function describeProblem({ label, reason }: Problem): string {
  return `${label}: ${reason}`;
}

function displayName(record: RecordLine): string {
  if (record.type === 'removed') return record.hash;
  return record.type === 'image' ? (record.file ?? record.key ?? record.id ?? '') : record.name;
}

function describe({ label, other }: NearDuplicate): string {
  return `${label} looks like ${other}`;
}

/** A title and the items below it. `total` counts those that are not in the list, too. */
export function list(title: string, items: string[], total = items.length, maxListed = MAX_LISTED): string[] {
  if (items.length === 0) return [];
  const more = total > maxListed ? [`  and ${total - maxListed} more`] : [];
  return [`${title}:`, ...items.slice(0, maxListed).map((item) => `  ${item}`), ...more];
}

/** What an import did, or what a dry run would do. */
import type { Change, Difference } from '../../catalogue/change-log.ts';
import type { RemovedFile } from '../../catalogue/records.ts';
import type { Kind, Rating } from '../../catalogue/schemas.ts';
import type { ImportListener } from '../../import/listener.ts';
import type { NearDuplicates } from '../../import/plan/looks.ts';
import type { Problem } from '../../import/records/problems.ts';
import type { RecordLine, UnknownMarker } from '../../import/records/record.ts';
import type { ImportResult } from '../../import/run.ts';
import type { IgnoreReason } from '../../import/sources/walk.ts';
import { count, formatDifference } from '../terminal/terminal.ts';

// The lists in the report of an import, a title and the items below it, and other lines. Pure.

/** Longer lists are cut, and the rest is counted. */
export const MAX_LISTED = 20;

/** `total` counts the items that are not given, too. */
export function list(title: string, items: string[], total = items.length, maxListed = MAX_LISTED): string[] {
  if (items.length === 0) return [];
  const more = total > maxListed ? [`  and ${total - maxListed} more`] : [];
  return [`${title}:`, ...items.slice(0, maxListed).map((item) => `  ${item}`), ...more];
}

/** Keeps the first items and counts all. */
class BoundedList {
  readonly items: string[] = [];
  count = 0;
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  add(item: string): void {
    this.count++;
    if (this.items.length < this.#max) this.items.push(item);
  }
}

export function describeProblem({ label, reason }: Problem): string {
  return `${label}: ${reason}`;
}

function displayName(record: RecordLine): string {
  if (record.type === 'removed') return record.hash;
  return record.type === 'image' ? (record.file ?? record.key ?? record.id ?? '') : record.name;
}

function describeIgnored({ junk, rule }: Record<IgnoreReason, number>): string[] {
  const parts = [
    ...(junk > 0 ? [`${junk} hidden or of the system`] : []),
    ...(rule > 0 ? [`${rule} by --exclude or .zukanignore`] : []),
  ];
  return parts.length > 0 ? [`ignored files and folders: ${parts.join(', ')}`] : [];
}

function describeLocations(pictures: number, areKept: boolean): string[] {
  return pictures === 0
    ? []
    : [`location ${areKept ? 'kept in' : 'removed from'} ${count(pictures, 'picture')}`];
}

function describeUnread(files: number): string[] {
  if (files === 0) return [];
  return [`not read again, because they did not change: ${count(files, 'file')} (--full reads all)`];
}

/** Pictures that got each default rating. They are only counted, unless all are listed. */
function describeUnrated(pictures: Map<Rating, BoundedList>, maxListed: number): string[] {
  return [...pictures].flatMap(([rating, { items, count: total }]) => {
    const title = `${count(total, 'picture')} without a rating imported as ${rating} (--default-rating)`;
    return maxListed === MAX_LISTED ? title : list(title, items, total, maxListed);
  });
}

/** Ratings that were not understood, with a picture that has each of them. */
function describeMarkers(
  markers: Map<string, { label: string; count: number }>,
  maxListed: number,
): string[] {
  const items = Array.from(
    markers,
    ([marker, { label, count: pictures }]) =>
      `${marker} in ${label}${pictures > 1 ? ` and ${pictures - 1} more` : ''}`,
  );
  return list('imported as nsfw, because the rating is not understood', items, items.length, maxListed);
}

interface ReportOptions {
  isDryRun: boolean;
  keepsLocation: boolean;
  /** Longer lists are cut, and the rest is counted. */
  maxListed: number;
  looks: NearDuplicates;
  onHidden?: ((label: string) => void) | undefined;
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
  /** Those with each rating. */
  readonly #withoutMarker = new Map<Rating, BoundedList>();
  readonly #keptChoices: string[] = [];
  /** The pictures with each marker. */
  readonly #unknownMarkers = new Map<string, { label: string; count: number }>();
  readonly #lowered: string[] = [];
  readonly #ratedAsFormer: string[] = [];
  readonly #created: string[] = [];
  readonly #changes: BoundedList;
  readonly #duplicates: string[] = [];
  readonly #thumbnails: string[] = [];
  readonly #albumProblems: string[] = [];
  readonly #hidden: string[] = [];
  readonly #others: string[] = [];
  /** Files and folders. What is in a folder is not counted. */
  readonly #ignored: Record<IgnoreReason, number> = { junk: 0, rule: 0 };
  readonly #removed: string[] = [];
  /** How many pictures have each of the names. */
  readonly #blocked = new Map<string, number>();
  readonly #takenDown: string[] = [];
  #invalid: { listed: Problem[]; count: number } = { listed: [], count: 0 };
  /** Whether what is invalid stops an import, so that only a dry run went on. */
  isStopped = false;

  constructor(options: ReportOptions) {
    this.#options = options;
    this.#changes = new BoundedList(options.maxListed);
  }

  record(record: RecordLine, outcome: keyof ImportSummary, differences: Difference[] = []): void {
    const { type } = record;
    const isImplicit = 'isImplicit' in record && record.isImplicit === true;
    // Whether the pictures that mention an entry were read does not matter to the counts.
    if (isImplicit && outcome === 'unchanged') return;
    this.summary[outcome]++;
    const name = displayName(record);
    if (isImplicit && outcome === 'added') this.#created.push(`${type} ${name}`);
    if (differences.length > 0)
      this.#changes.add(`${type} ${name}: ${differences.map((each) => formatDifference(each)).join('; ')}`);
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

  finish({ listed, count, isStopped, change }: ImportResult): void {
    this.#invalid = { listed, count };
    this.isStopped = isStopped;
    this.change = change;
  }

  location(): void {
    this.#withLocation++;
  }

  withoutMarker(label: string, rating: Rating): void {
    const labels = this.#withoutMarker.get(rating) ?? new BoundedList(this.#options.maxListed);
    this.#withoutMarker.set(rating, labels);
    labels.add(label);
  }

  /** An import of a folder uses options that were chosen before. */
  keptChoice(folder: string, options: string): void {
    if (options !== '') this.#keptChoices.push(`${folder}: ${options}`);
  }

  unknownMarker(label: string, { field, value }: UnknownMarker): void {
    const marker = `"${field}": ${value}`;
    const known = this.#unknownMarkers.get(marker);
    this.#unknownMarkers.set(marker, { label: known?.label ?? label, count: (known?.count ?? 0) + 1 });
  }

  ratedAsFormer(label: string, rating: Rating): void {
    this.#ratedAsFormer.push(`${label}: ${rating}`);
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

  skipped(label: string, kind: Kind, name: string): void {
    this.#takenDown.push(`${label}: ${kind} ${name}`);
  }

  hidden(label: string, reason: string, isPublished: boolean): void {
    this.#options.onHidden?.(label);
    this.#hidden.push(`${label}: ${reason}${isPublished ? '; its image stays until --prune' : ''}`);
  }

  thumbnail(label: string, original: string): void {
    this.#thumbnails.push(`${label} is a thumbnail of ${original}`);
  }

  albumProblem(name: string, problem: string): void {
    this.#albumProblems.push(`${name}: ${problem}`);
  }

  /** A file is neither a picture nor a sidecar. */
  other(path: string): void {
    this.#others.push(path);
  }

  ignored(reason: IgnoreReason): void {
    this.#ignored[reason]++;
  }

  /** How many pictures and records were left out. */
  get invalid(): number {
    return this.#invalid.count;
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
    const { looks, maxListed } = this.#options;
    const nearDuplicates = await looks.list();
    return [
      this.headline,
      ...this.#list('as chosen before', this.#keptChoices),
      ...describeLocations(this.#withLocation, this.#options.keepsLocation),
      ...describeUnread(this.#unread),
      ...describeUnrated(this.#withoutMarker, maxListed),
      ...this.loweredLines(),
      ...describeMarkers(this.#unknownMarkers, maxListed),
      ...this.#list('new pictures, rated as what their files were before', this.#ratedAsFormer),
      ...this.#list('created', this.#created),
      ...this.#list('changed', this.#changes.items, this.#changes.count),
      ...this.#list('skipped (duplicates)', this.#duplicates),
      ...this.#list('skipped (private)', this.#hidden),
      ...this.#list('skipped (thumbnails)', this.#thumbnails),
      ...this.#list('skipped (removed; see "zukan trash" and "zukan remove --allow-again")', this.#removed),
      ...this.#list('skipped (blocked artists and characters)', this.#takenDown),
      ...this.#list(
        'left out (blocked names)',
        Array.from(this.#blocked, ([name, images]) => `${name}: ${count(images, 'picture')}`),
      ),
      ...this.#list(
        'imported, but look alike',
        nearDuplicates.map(({ label, other }) => `${label} looks like ${other}`),
        looks.count,
      ),
      ...this.#list('albums that lack images', this.#albumProblems),
      ...this.#list('skipped (not images)', this.#others),
      ...describeIgnored(this.#ignored),
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

  #list(title: string, items: string[], total = items.length): string[] {
    return list(title, items, total, this.#options.maxListed);
  }

  #addLine(outcome: string, type: string, name: string): void {
    if (this.#options.isDryRun) this.records.push(`${outcome.padEnd(9)}  ${type.padEnd(9)}  ${name}`);
  }
}

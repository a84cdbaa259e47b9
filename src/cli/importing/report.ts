/** What an import did, or what a dry run would do. */
import { sep } from 'node:path';
import type { Change, Difference } from '../../catalogue/change-log.ts';
import type { ImportListener, NoteKind } from '../../import/plan/existing.ts';
import type { NearDuplicates } from '../../import/plan/looks.ts';
import type { Problem } from '../../import/records/lines.ts';
import type { RecordLine } from '../../import/records/record.ts';
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

/** The label may end with the path that the reason begins with. */
export function describeProblem({ label, reason }: Problem): string {
  const [path = ''] = reason.split(': ', 1);
  return `${label}${label.endsWith(`${sep}${path}`) ? reason.slice(path.length) : `: ${reason}`}`;
}

function displayName(record: RecordLine): string {
  if (record.type === 'removed') return record.hash;
  if (record.type === 'site') return `${record.field} of the site`;
  return record.type === 'image' ? (record.file ?? record.key ?? record.id ?? '') : record.name;
}

function describeIgnored({ junk, rule }: Record<IgnoreReason, number>): string[] {
  const parts = [
    ...(junk > 0 ? [`${junk} hidden or of the system`] : []),
    ...(rule > 0 ? [`${rule} by --exclude or .zukanignore`] : []),
  ];
  return parts.length > 0 ? [`ignored files and folders: ${parts.join(', ')}`] : [];
}

/** What the notes of a kind are listed as. With `group`, those about the same are one item. */
interface Section {
  title: string;
  item?: (label: string, about: string) => string;
  group?: (about: string, notes: BoundedList) => string;
  /** Whether the list is never cut: each item publishes a picture to more people. */
  isWhole?: true;
}

const sections = {
  kept: { title: 'as chosen before' },
  lowered: { title: 'rating lowered', isWhole: true },
  marker: {
    title: 'imported as nsfw, because the rating is not understood',
    group: (about, { items, count }) => `${about} in ${items[0]}${count > 1 ? ` and ${count - 1} more` : ''}`,
  },
  'as-former': { title: 'new pictures, rated as what their files were before' },
  created: { title: 'created' },
  meaningless: {
    title:
      'folders whose names mean nothing, which are no categories (--folder-categories all makes them some)',
    group: (about, notes) => `${about}: ${count(notes.count, 'picture')}`,
  },
  changed: { title: 'changed' },
  duplicate: {
    title: 'skipped (duplicates)',
    item: (label, about) => `${label} has the same bytes as ${about}`,
  },
  hidden: { title: 'skipped (private)' },
  thumbnail: { title: 'skipped (thumbnails)', item: (label, about) => `${label} is a thumbnail of ${about}` },
  removed: { title: 'skipped (removed; see "zukan trash" and "zukan remove --allow-again")' },
  'taken-down': { title: 'skipped (blocked artists and characters)' },
  blocked: {
    title: 'left out (blocked names)',
    group: (about, notes) => `${about}: ${count(notes.count, 'picture')}`,
  },
  album: { title: 'albums that lack images' },
  link: { title: 'skipped (links are not followed)' },
  unsupported: { title: 'skipped (not supported; convert them to JPEG, PNG or WebP)' },
  other: { title: 'skipped (not images)' },
} satisfies Record<string, Section>;
type Listed = keyof typeof sections;

/** Of a file that is no picture that an import reads. */
export const kindOf = (path: string): 'unsupported' | 'other' =>
  /\.(hei[cf]|jxl|jp2|tiff?|bmp|psd|xcf|svg|dng|cr[23w]|nef|arw|orf|raf|rw2|pef|srw)$/i.test(path)
    ? 'unsupported'
    : 'other';

const LEAVE_OUT = 'for fewer categories: --folder-categories, or "zukan entry category <name> --block"';

interface ReportOptions {
  isDryRun: boolean;
  keepsLocation: boolean;
  /** Longer lists are cut, and the rest is counted. */
  maxListed: number;
  looks: NearDuplicates;
  onHidden?: ((label: string) => void) | undefined;
}

/** Numbers of pictures, or of entries and everything else. */
export interface ImportSummary {
  added: number;
  updated: number;
  unchanged: number;
}

export class ImportReport implements ImportListener {
  readonly summary: ImportSummary = { added: 0, updated: 0, unchanged: 0 };
  readonly entries: ImportSummary = { added: 0, updated: 0, unchanged: 0 };
  /** Undefined if nothing changed. */
  change: Change | undefined;
  /** Each record that would change, or all if lists are not cut. For a dry run only. */
  readonly records: string[] = [];
  readonly #options: ReportOptions;
  #pruned: number | undefined;
  /** By kind, and by what they are about where that makes groups. */
  readonly #notes = new Map<NoteKind | Listed, Map<string, BoundedList>>();
  /** Files and folders. What is in a folder is not counted. */
  readonly #ignored: Record<IgnoreReason, number> = { junk: 0, rule: 0 };
  #invalid: { listed: Problem[]; count: number } = { listed: [], count: 0 };
  /** Whether what is invalid stops an import, so that only a dry run went on. */
  isStopped = false;

  constructor(options: ReportOptions) {
    this.#options = options;
  }

  record(record: RecordLine, outcome: keyof ImportSummary, differences: Difference[] = []): void {
    const { type } = record;
    const isImplicit = 'isImplicit' in record && record.isImplicit === true;
    // Whether the pictures that mention an entry were read does not matter to the counts.
    if (isImplicit && outcome === 'unchanged') return;
    (type === 'image' ? this.summary : this.entries)[outcome]++;
    const name = displayName(record);
    if (isImplicit && outcome === 'added') this.note('created', `${type} ${name}`);
    if (differences.length > 0)
      this.note('changed', `${type} ${name}`, differences.map((each) => formatDifference(each)).join('; '));
    this.#addLine(outcome, type, name);
  }

  unchanged(path: string): void {
    this.summary.unchanged++;
    this.note('unread', path);
    this.#addLine('unchanged', 'image', path);
  }

  /** `kept`: a folder uses options that were chosen before. `other`: a file is neither a picture nor a sidecar. */
  note(kind: NoteKind | Listed, label: string, about = ''): void {
    if (kind === 'hidden') this.#options.onHidden?.(label);
    const section: Section | undefined = sections[kind as Listed];
    const isGrouped = section?.group !== undefined || kind === 'unrated';
    const groups = this.#notes.get(kind) ?? new Map<string, BoundedList>();
    this.#notes.set(kind, groups);
    const key = isGrouped ? about : '';
    const max = section?.isWhole ? Number.POSITIVE_INFINITY : this.#options.maxListed;
    const notes = groups.get(key) ?? new BoundedList(max);
    groups.set(key, notes);
    const { item = (label: string, about: string) => (about ? `${label}: ${about}` : label) } = section ?? {};
    notes.add(isGrouped ? label : item(label, about));
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

  ignored(reason: IgnoreReason): void {
    this.#ignored[reason]++;
  }

  /** How many pictures and records were left out. */
  get invalid(): number {
    return this.#invalid.count;
  }

  /** Whether anything happened that is worth a line. */
  get isEmpty(): boolean {
    const { summary, entries } = this;
    const changes = summary.added + summary.updated + entries.added + entries.updated;
    return changes + (this.#pruned ?? 0) + this.#invalid.count === 0;
  }

  get headline(): string {
    const describe = ({ added, updated, unchanged }: ImportSummary) =>
      `${added} added, ${updated} updated, ${unchanged} unchanged`;
    const removed = this.#pruned === undefined ? '' : `, ${this.#pruned} removed`;
    const hasEntries = Object.values(this.entries).some((number) => number > 0);
    const entries = hasEntries ? `; entries: ${describe(this.entries)}` : '';
    return `${describe(this.summary)}${removed}${entries}`;
  }

  async lines(): Promise<string[]> {
    const { looks, maxListed, keepsLocation } = this.#options;
    const nearDuplicates = await looks.list();
    const [located, unread] = [this.#count('location'), this.#count('unread') + this.#count('continued')];
    const where = keepsLocation ? 'kept in' : 'removed from';
    const { kept, album, link, unsupported, other, ...rest } = sections;
    return [
      this.headline,
      ...this.#list('kept'),
      ...(located > 0 ? [`location ${where} ${count(located, 'picture')}`] : []),
      ...(unread > 0
        ? [`not read again, because they did not change: ${count(unread, 'file')} (--full reads all)`]
        : []),
      ...this.#unratedLines(),
      ...(Object.keys(rest) as Listed[]).flatMap((kind) => this.#list(kind)),
      ...list(
        'imported, but look alike',
        nearDuplicates.map(({ label, rating, other, otherRating }) =>
          rating === otherRating
            ? `${label} looks like ${other}`
            : `${label} (${rating}) looks like ${other} (${otherRating})`,
        ),
        looks.count,
        maxListed,
      ),
      ...this.#list('album'),
      ...(['link', 'unsupported', 'other'] as const).flatMap((kind) => this.#list(kind)),
      ...describeIgnored(this.#ignored),
      ...this.invalidLines(),
    ];
  }

  loweredLines(): string[] {
    return this.#list('lowered');
  }

  invalidLines(): string[] {
    const { listed, count } = this.#invalid;
    return list('skipped (invalid)', listed.map(describeProblem), count, listed.length);
  }

  #count(kind: NoteKind): number {
    return this.#notes.get(kind)?.get('')?.count ?? 0;
  }

  #list(kind: Listed): string[] {
    const { title, group, isWhole }: Section = sections[kind];
    const groups = this.#notes.get(kind);
    if (!groups) return [];
    const isAdvised = kind === 'created' && this.#options.isDryRun;
    const items = group ? Array.from(groups, ([about, notes]) => group(about, notes)) : undefined;
    const { items: lines, count } = groups.get('') ?? { items: [], count: 0 };
    const max = isWhole ? Number.POSITIVE_INFINITY : this.#options.maxListed;
    return list(isAdvised ? `${title} (${LEAVE_OUT})` : title, items ?? lines, items?.length ?? count, max);
  }

  /** Pictures that got each default rating. They are only counted, unless all are listed. */
  #unratedLines(): string[] {
    const { maxListed } = this.#options;
    return [...(this.#notes.get('unrated') ?? [])].flatMap(([rating, { items, count: total }]) => {
      const title = `${count(total, 'picture')} without a rating imported as ${rating} (--default-rating)`;
      return maxListed === MAX_LISTED ? title : list(title, items, total, maxListed);
    });
  }

  #addLine(outcome: string, type: string, name: string): void {
    const { isDryRun, maxListed } = this.#options;
    const isListed = outcome !== 'unchanged' || maxListed !== MAX_LISTED;
    if (isDryRun && isListed) this.records.push(`${outcome.padEnd(9)}  ${type.padEnd(9)}  ${name}`);
  }
}

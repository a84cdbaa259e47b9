/** What an import did, or what a dry run would do. */
import type { RemovedFile } from '../catalogue/decisions.ts';
import type { Kind } from '../catalogue/types.ts';
import type { CatalogueSnapshot } from '../catalogue/writer.ts';
import { type NearDuplicate, NearDuplicates } from '../import/near-duplicates.ts';
import type { RecordLine } from '../import/record.ts';
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
  #withLocation = 0;
  readonly #created: string[] = [];
  readonly #duplicates: string[] = [];
  readonly #ignored: string[] = [];
  readonly #removed: string[] = [];
  /** How many pictures have each of the names. */
  readonly #blocked = new Map<string, number>();
  readonly #nearDuplicates: NearDuplicates;

  constructor(isDryRun: boolean, keepsLocation: boolean, openSnapshot: () => Promise<CatalogueSnapshot>) {
    this.#isDryRun = isDryRun;
    this.#keepsLocation = keepsLocation;
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

  #locationLines(): string[] {
    if (this.#withLocation === 0) return [];
    const pictures = count(this.#withLocation, 'picture');
    return [this.#keepsLocation ? `location kept in ${pictures}` : `location removed from ${pictures}`];
  }
}

function displayName(record: RecordLine): string {
  if (record.type === 'removed') return record.hash;
  return record.type === 'image' ? (record.file ?? record.key ?? record.id ?? '') : record.name;
}

function describe({ label, other }: NearDuplicate): string {
  return `${label} looks like ${other}`;
}

function list(title: string, items: string[], total = items.length): string[] {
  if (items.length === 0) return [];
  const more = total > MAX_LISTED ? [`  and ${total - MAX_LISTED} more`] : [];
  return [`${title}:`, ...items.slice(0, MAX_LISTED).map((item) => `  ${item}`), ...more];
}

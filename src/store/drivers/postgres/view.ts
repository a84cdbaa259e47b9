/**
 * One version of the catalogue in PostgreSQL. Every statement reports the revision that it read; if that is not the
 * view's, the catalogue has changed.
 */

import type { Document, Kind } from '../../../catalogue/schemas.ts';
import { toByteString } from '../../../lib/byte-string.ts';
import {
  type DocumentChanges,
  expectVersion,
  type ListName,
  type Lists,
  type Shelf,
  type ShelfSnapshot,
  type StoredEntry,
  type View,
} from '../../view.ts';
import type { Servers, Statement } from './servers.ts';
import { type DocumentLoads, lists, statements } from './statements.ts';

const MAX_INT = 2 ** 31 - 1;

/** Columns after the revision. Where nothing was found, the first of them is null. */
type Columns<Row extends unknown[]> = Row | [null, ...unknown[]];
type EntryRow = [shelf: number, id: string, document: string, images: number, coverNumber: number | null];

export class PostgresView implements View {
  readonly snapshot: ShelfSnapshot;
  readonly #servers: Servers;
  readonly #loads: DocumentLoads;
  /** Whether a statement has shown that the view was current after it was opened. */
  #isConfirmed = false;

  constructor(servers: Servers, loads: DocumentLoads, snapshot: ShelfSnapshot) {
    this.#servers = servers;
    this.#loads = loads;
    this.snapshot = snapshot;
  }

  /** The snapshot may be older than the call, so a call without any statement needs one. */
  async confirm(): Promise<void> {
    if (!this.#isConfirmed) await this.#load([]);
  }

  async imageNumber(id: string): Promise<number | undefined> {
    const [[number]] = await this.#query<[number]>(statements.imageNumber, id);
    return number ?? undefined;
  }

  async entry(kind: Kind, id: string): Promise<StoredEntry | undefined> {
    const rows = await this.#query<EntryRow>(statements.entry, kind, id);
    return rows.flatMap(toEntry)[0];
  }

  async entryShelves(kind: Kind, ids: string[]): Promise<(Shelf | undefined)[]> {
    const rows = await this.#query<[number, number]>(statements.entryShelves, kind, ids);
    return rows.map(([number, size]) => (number === null ? undefined : { number, size: size as number }));
  }

  async entriesAt(kind: Kind, positions: number[]): Promise<StoredEntry[]> {
    const rows = await this.#query<EntryRow>(statements.entries, kind, positions);
    return rows.flatMap(toEntry);
  }

  async documents(images: number[]): Promise<Document[]> {
    const documents = await this.#load(images);
    return images.map((image) => documents.get(image) as Document);
  }

  async wholeDocuments(images: number[]): Promise<[image: number, document: Document][]> {
    return [...(await this.#load(images))];
  }

  async documentChanges(
    since: number,
    after: DocumentChanges['next'] = [since, MAX_INT],
    limit: number,
  ): Promise<DocumentChanges> {
    const rows = await this.#query<[boolean, number | null, number]>(
      statements.documentChanges,
      since,
      ...after,
      limit,
    );
    const changes = rows.flatMap(([, revision, image]): [number, number][] =>
      revision === null ? [] : [[revision as number, image as number]],
    );
    return {
      isSuccessor: rows[0]?.[0] === true,
      images: changes.map(([, image]) => image),
      next: changes.length < limit ? undefined : changes.at(-1),
    };
  }

  imageSizes(images: number[]): Promise<[image: number, width: number, height: number][]> {
    return this.#list(statements.imageSizes, images);
  }

  list<Name extends ListName>(name: Name, ...parameters: Lists[Name][0]): Promise<Lists[Name][1][]> {
    return this.#list(lists[name], ...parameters);
  }

  /** The rows of a statement, at least one, without the revision. */
  async #query<Row extends unknown[]>(statement: Statement, ...values: unknown[]) {
    const { version, rows } = await this.#servers.read(statement, values);
    this.#confirm(version);
    return rows.map((row) => row.slice(1)) as [Columns<Row>, ...Columns<Row>[]];
  }

  /** For statements whose second column is an array. */
  async #list<T>(statement: Statement, ...values: unknown[]): Promise<T[]> {
    const { version, rows } = await this.#servers.read(statement, values);
    this.#confirm(version);
    return rows[0]?.[1] as T[];
  }

  async #load(images: number[]): Promise<Map<number, Document>> {
    const { version, documents } = await this.#loads.read(images);
    this.#confirm(version);
    return documents;
  }

  #confirm(version: number): void {
    expectVersion(version, this.snapshot.version);
    this.#isConfirmed = true;
  }
}

function toEntry([shelf, id, document, images, coverNumber]: Columns<EntryRow>): StoredEntry[] {
  if (shelf === null) return [];
  return [
    {
      shelf,
      id: id as string,
      json: toByteString(document as string),
      images: images as number,
      coverNumber: coverNumber as number | null,
    },
  ];
}

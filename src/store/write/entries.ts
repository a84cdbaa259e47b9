/** Writes entries, and what operators decided about things that are gone. */
import { updateEntry } from '../../catalogue/documents/document.ts';
import { fold } from '../../catalogue/names.ts';
import type { Kind } from '../../catalogue/schemas.ts';
import type { Entry, SavedEntry } from '../../catalogue/writer.ts';
import { type Decisions, nameKey, type RemovedFile } from '../../catalogue/writer.ts';
import { inBatches } from '../../lib/concurrency.ts';
import type { ChangeRecorder } from '../change-log/recorder.ts';
import {
  type BlockedRow,
  ENTRY_KINDS,
  NUMBER_ENTRIES,
  REMOVED_COLUMNS,
  readValues,
  selectBlocked,
  toBlockedName,
  type WriteSession,
} from '../session.ts';
import type { Placements } from './placements.ts';

// Saves and removes artists, categories, characters and albums, with their aliases and the order of albums.

/** Documents rewritten at a time when an entry has changed. */
const REWRITE_BATCH_SIZE = 1000;

type NumberedEntry = Entry & { shelf: number };

export class EntryWriter {
  readonly #session: WriteSession;
  readonly #placements: Placements;
  /** Entries that changed. Their images' documents contain their JSON, but for albums. */
  readonly #changed = new Map<number, Entry>();
  /** Whether the lists of entries have to be numbered again. */
  hasChanges = false;

  constructor(session: WriteSession, placements: Placements) {
    this.#session = session;
    this.#placements = placements;
  }

  async save(entries: Entry[]): Promise<void> {
    if (entries.length === 0) return;
    this.hasChanges = true;
    await this.#add(entries.filter((entry) => !isNumbered(entry)));
    const updated = entries.filter(isNumbered);
    await this.#update(updated);
    for (const entry of updated) if (entry.kind !== 'album') this.#changed.set(entry.shelf, entry);
    await this.saveAliases(entries);
    for (const { kind, id, images } of entries) if (images) await this.#saveOrder(kind, id, images);
  }

  /** An alias that another entry has is taken from it; of two entries here, the last one gets it. */
  async saveAliases(entries: Entry[]): Promise<void> {
    const changed = entries.filter(({ aliases }) => aliases !== undefined);
    if (changed.length === 0) return;
    await this.#removeAliases(changed.filter(isNumbered));
    const rows = changed.flatMap(({ kind, id, aliases = [] }) =>
      aliases.map((name) => ({ kind, id, key: nameKey(kind, name), name })),
    );
    await this.#session.runWith(
      { kind: 'text', id: 'text', key: 'text', name: 'text' },
      [...new Map(rows.map((row) => [`${row.kind} ${row.key}`, row])).values()],
      `insert into alias (kind, key, name, shelf)
       select given.kind, given.key, given.name, shelf.number
       from given join shelf on shelf.kind = given.kind and shelf.id = given.id where true
       on conflict (kind, key) do update set name = excluded.name, shelf = excluded.shelf`,
    );
  }

  async remove(entries: SavedEntry[]): Promise<void> {
    this.hasChanges = true;
    await this.#removeAliases(entries);
    for (const { kind, id } of entries) if (kind === 'album') await this.#saveOrder(kind, id, []);
    await this.#placements.write();
    const numbers = entries.map(({ shelf }) => shelf);
    await this.#session.run('delete from shelf where number = any($1)', [numbers]);
    for (const shelf of numbers) this.#changed.delete(shelf);
  }

  /** Puts the entries that changed into the documents of their images. */
  async rewriteDocuments(): Promise<void> {
    for (const [shelf, entry] of this.#changed) await this.#rewriteDocumentsOn(shelf, entry);
  }

  /** Makes `numberEntries` sort all of them again. */
  async renumberAll(): Promise<void> {
    this.hasChanges = true;
    const rows = await this.#session.query<{ number: number; name: string; sortKey: string }>(
      `select number, name, sort_key as "sortKey" from shelf where kind in ${ENTRY_KINDS}`,
    );
    await this.#session.runWith(
      { number: 'int', sortKey: 'text' },
      rows
        .filter(({ name, sortKey }) => sortKey !== fold(name))
        .map(({ number, name }) => ({ number, sortKey: fold(name) })),
      'update shelf set sort_key = given.sortKey from given where given.number = shelf.number',
    );
  }

  async numberEntries(): Promise<void> {
    if (this.hasChanges) await this.#session.run(NUMBER_ENTRIES);
  }

  async #add(entries: Entry[]): Promise<void> {
    await this.#session.insert(
      'shelf',
      ['kind', 'id', 'name', 'sort_key', 'category', 'created_at', 'document'],
      entries.map((entry) => {
        const { kind, id, name, createdAt, document } = entry;
        return [kind, id, name, fold(name), categoryOf(entry), createdAt, document];
      }),
    );
  }

  async #update(entries: NumberedEntry[]): Promise<void> {
    await this.#session.runWith(
      { shelf: 'int', name: 'text', sortKey: 'text', category: 'text', createdAt: 'text', document: 'text' },
      entries.map((entry) => ({ ...entry, sortKey: fold(entry.name), category: categoryOf(entry) })),
      `update shelf set name = given.name, sort_key = given.sortKey, category = given.category,
         created_at = given.createdAt, document = given.document
       from given where given.shelf = shelf.number`,
    );
  }

  /** Also places the images that the album gains or loses. */
  async #saveOrder(kind: Kind, id: string, images: string[]): Promise<void> {
    const session = this.#session;
    const find = 'select number as value from shelf where kind = $1 and id = $2';
    const [album] = (await readValues<number>(session, find, [kind, id])) as [number];
    const remove = 'delete from album_image where album = $1 returning image as value';
    const former = new Set(await readValues<string>(session, remove, [album]));
    const rows = images.map((image, position) => [album, position, image]);
    await session.insert('album_image', ['album', 'position', 'image'], rows);
    const changed = [...former.symmetricDifference(new Set(images))];
    const select = 'select number as value from image where id = any($1) order by number';
    const moved = await readValues<number>(session, select, [changed]);
    for (const batch of inBatches(moved, REWRITE_BATCH_SIZE))
      await this.#placements.moveInAlbum(album, batch);
  }

  async #removeAliases(entries: NumberedEntry[]): Promise<void> {
    const shelves = entries.map(({ shelf }) => shelf);
    await this.#session.run('delete from alias where shelf = any($1)', [shelves]);
  }

  async #rewriteDocumentsOn(shelf: number, entry: Entry): Promise<void> {
    for (const images of inBatches(await this.#placements.imagesOn(shelf), REWRITE_BATCH_SIZE)) {
      const rows = await this.#session.query<{ number: number; document: string }>(
        'select number, document from image where number = any($1)',
        [images],
      );
      await this.#session.runWith(
        { number: 'int', document: 'text' },
        rows.map(({ number, document }) => ({ number, document: updateEntry(document, entry) })),
        'update image set document = given.document from given where given.number = image.number',
      );
    }
  }
}

function isNumbered(entry: Entry): entry is NumberedEntry {
  return entry.shelf !== undefined;
}

/** The folded name of a category. */
function categoryOf({ kind, name }: Entry): string | null {
  return kind === 'category' ? fold(name) : null;
}

// What an operator decided: blocked names, removed files and texts of the site.

export function createDecisions(session: WriteSession, recorder: ChangeRecorder): Decisions {
  const decisions: Decisions = {
    async blockedNames(kind, names) {
      const text = selectBlocked('where kind = $1 and key = any($2)');
      const keys = names.map((name) => nameKey(kind, name));
      return (await session.query<BlockedRow>(text, [kind, keys])).map(toBlockedName);
    },
    async blockNames(names) {
      for (const after of names) {
        const [before] = await decisions.blockedNames(after.kind, [after.name]);
        await recorder.namesChanged([{ before, after }]);
      }
      await session.runWith(
        { kind: 'text', key: 'text', name: 'text', blockedAt: 'text', skips: 'int' },
        names.map(({ skips, ...blocked }) => ({
          ...blocked,
          key: nameKey(blocked.kind, blocked.name),
          skips: skips ? 1 : 0,
        })),
        `insert into blocked_name (kind, key, name, blocked_at, skips)
         select kind, key, name, blockedAt, skips from given where true
         on conflict (kind, key) do update
         set name = excluded.name, blocked_at = excluded.blocked_at, skips = excluded.skips`,
      );
    },
    async unblockNames(kind, names) {
      const before = await decisions.blockedNames(kind, names);
      await recorder.namesChanged(before.map((name) => ({ before: name })));
      const keys = names.map((name) => nameKey(kind, name));
      await session.run('delete from blocked_name where kind = $1 and key = any($2)', [kind, keys]);
    },
    async removedFiles(hashes) {
      const text = `select ${REMOVED_COLUMNS} from removed_file where hash = any($1)`;
      return session.query<RemovedFile>(text, [hashes]);
    },
    async removedFilesOf(images) {
      const text = `select ${REMOVED_COLUMNS} from removed_file where image = any($1) order by hash`;
      return session.query<RemovedFile>(text, [images]);
    },
    async rememberFiles(files) {
      const known = await decisions.removedFiles(files.map(({ hash }) => hash));
      const before = new Map(known.map((file) => [file.hash, file]));
      await recorder.removedFilesChanged(files.map((after) => ({ before: before.get(after.hash), after })));
      await session.runWith(
        { hash: 'text', image: 'text', removedAt: 'text', reason: 'text' },
        files,
        `insert into removed_file (hash, image, removed_at, reason)
         select hash, image, removedAt, reason from given where true
         on conflict (hash) do update
         set image = excluded.image, removed_at = excluded.removed_at, reason = excluded.reason`,
      );
    },
    async siteText(field) {
      const text = 'select value from site_text where field = $1';
      return (await readValues<string>(session, text, [field]))[0] ?? '';
    },
    async saveSiteText(field, text) {
      await recorder.siteChanged(field, await decisions.siteText(field), text);
      await session.run('delete from site_text where field = $1', [field]);
      if (text) await session.insert('site_text', ['field', 'value'], [[field, text]]);
    },
    async forgetFiles(hashes) {
      const before = await decisions.removedFiles(hashes);
      await recorder.removedFilesChanged(before.map((file) => ({ before: file })));
      await session.run('delete from removed_file where hash = any($1)', [hashes]);
    },
  };
  return decisions;
}

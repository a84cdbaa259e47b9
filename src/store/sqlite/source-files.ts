/** Which files the images of the embedded catalogue came from. */
import type { DatabaseSync } from 'node:sqlite';
import type {
  KnownFile,
  RemovedSource,
  SourceFileReader,
  SourceFileWriter,
} from '../../catalogue/source-files.ts';
import { KNOWN_FILES, REMOVED_SOURCES } from '../shared/queries.ts';
import { openForReading } from './read-only.ts';
import { catalogueSchema } from './schema.ts';

/** Rows of a folder that are in memory at the same time. */
const PAGE_SIZE = 1000;

export function openSourceFiles(path: string): SourceFileReader {
  const database = openForReading(path, catalogueSchema);
  const byPath = database.prepare(`${KNOWN_FILES} where folder = ? and path = ?`);
  const removedByPath = database.prepare(`${REMOVED_SOURCES} and folder = ? and path = ?`);
  const byImage = database.prepare(`${KNOWN_FILES} where source_file.image = ?`);
  const nextPage = database.prepare(
    `${KNOWN_FILES} where folder = ? and (path, image) > (?, ?) order by path, image limit ${PAGE_SIZE}`,
  );
  return {
    async find(folder, paths) {
      return paths.flatMap((path) => byPath.all(folder, path) as unknown as KnownFile[]);
    },
    async findRemoved(folder, paths) {
      return paths.flatMap((path) => removedByPath.all(folder, path) as unknown as RemovedSource[]);
    },
    async *all(folder) {
      for (let [path, image] = ['', '']; ; ) {
        const page = nextPage.all(folder, path, image) as unknown as KnownFile[];
        yield* page;
        const last = page.at(-1);
        if (!last || page.length < PAGE_SIZE) return;
        ({ path, image } = last);
      }
    },
    async ofImage(id) {
      return byImage.all(id) as unknown as KnownFile[];
    },
    async [Symbol.asyncDispose]() {
      database.close();
    },
  };
}

export function sourceFileWriter(database: DatabaseSync): SourceFileWriter {
  return {
    async save(files) {
      const save = database.prepare(
        `insert into source_file (folder, path, image, state, fingerprint) values (?, ?, ?, ?, ?)
         on conflict do update set state = excluded.state, fingerprint = excluded.fingerprint`,
      );
      const replace = database.prepare(
        `update source_file set state = 'replaced', fingerprint = '' where folder = ? and path = ? and image <> ?`,
      );
      for (const { folder, path, image, state, fingerprint } of files) {
        save.run(folder, path, image, state, fingerprint);
        replace.run(folder, path, image);
      }
    },
    async remove(files) {
      const remove = database.prepare('delete from source_file where folder = ? and path = ? and image = ?');
      for (const { folder, path, image } of files) remove.run(folder, path, image);
    },
    async provided(images) {
      const find = database.prepare(
        `select 1 from source_file where image = ? and state <> 'replaced' limit 1`,
      );
      return new Set(images.filter((image) => find.get(image) !== undefined));
    },
    async detach(images) {
      const detach = database.prepare('delete from source_file where image = ?');
      for (const image of images) detach.run(image);
    },
    async forget(images) {
      const forget = database.prepare(`update source_file set fingerprint = '' where image = ?`);
      for (const image of images) forget.run(image);
    },
  };
}

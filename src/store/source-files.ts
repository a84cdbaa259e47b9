/** Which files the images came from. */
import type {
  FolderChoice,
  KnownFile,
  RemovedSource,
  SourceFile,
  SourceFileReader,
  SourceFileWriter,
} from '../catalogue/records.ts';
import { KNOWN_FILES, REMOVED_SOURCES } from './queries.ts';
import type { ReadSession, WriteSession } from './session.ts';

/** Rows of a folder that are in memory at the same time. */
const PAGE_SIZE = 1000;

export function createSourceFileReader(session: ReadSession): SourceFileReader {
  const isOfImages = `source_file.image ${session.dialect.isOneOf('$1', 'text')}`;
  const isPath = `path ${session.dialect.isOneOf('$2', 'text')}`;
  return {
    find: (folder, paths) =>
      session.query<KnownFile>(`${KNOWN_FILES} where folder = $1 and ${isPath}`, [folder, paths]),
    findRemoved: (folder, paths) =>
      session.query<RemovedSource>(`${REMOVED_SOURCES} and folder = $1 and ${isPath}`, [folder, paths]),
    async *all(folder) {
      const text = `${KNOWN_FILES} where folder = $1 and (path, source_file.image) > ($2, $3)
        order by path, source_file.image limit ${PAGE_SIZE}`;
      for (let [path, image] = ['', '']; ; ) {
        const page: KnownFile[] = await session.query(text, [folder, path, image]);
        yield* page;
        const last = page.at(-1);
        if (!last || page.length < PAGE_SIZE) return;
        ({ path, image } = last);
      }
    },
    ofImages: (ids) => session.query(`${KNOWN_FILES} where ${isOfImages} order by folder, path`, [ids]),
    async knownBytes(hashes) {
      const text = `select etag as "eTag" from image where etag ${session.dialect.isOneOf('$1', 'text')}`;
      return new Set((await session.query<{ eTag: string }>(text, [hashes])).map(({ eTag }) => eTag));
    },
    async choiceFor(folder) {
      const text = 'select choice from source_folder where folder = $1';
      const [row] = await session.query<{ choice: string }>(text, [folder]);
      return row ? (JSON.parse(row.choice) as FolderChoice) : {};
    },
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}

export function createSourceFileWriter(session: WriteSession): SourceFileWriter {
  const isOfImages = `image ${session.dialect.isOneOf('$1', 'text')}`;
  const key = { folder: 'text', path: 'text', image: 'text' } as const;
  const insert = (files: SourceFile[], onConflict: string) =>
    session.runWith(
      { ...key, state: 'text', fingerprint: 'text' },
      files,
      `insert into source_file (folder, path, image, state, fingerprint)
       select folder, path, image, state, fingerprint from given where true
       on conflict (folder, path, image) do ${onConflict}`,
    );
  return {
    // Older versions told files apart by the form of their names.
    restore: (files) => insert(files, 'nothing'),
    async save(files) {
      await insert(files, 'update set state = excluded.state, fingerprint = excluded.fingerprint');
      await session.runWith(
        key,
        files,
        `update source_file set state = 'replaced', fingerprint = '' from given
         where source_file.folder = given.folder and source_file.path = given.path
           and source_file.image <> given.image`,
      );
    },
    async remove(files) {
      await session.runWith(
        key,
        files,
        'delete from source_file where (folder, path, image) in (select folder, path, image from given)',
      );
    },
    ofFolder: (folder) =>
      session.stream('select path, image, state from source_file where folder = $1', [folder]),
    ofImages: (ids) =>
      session.query(`select folder, path, image, state from source_file where ${isOfImages}`, [ids]),
    async provided(images) {
      const text = `select distinct image from source_file where ${isOfImages} and state <> 'replaced'`;
      return new Set((await session.query<{ image: string }>(text, [images])).map(({ image }) => image));
    },
    async detach(images) {
      await session.run(`delete from source_file where ${isOfImages}`, [images]);
    },
    async forget(images) {
      await session.run(`update source_file set fingerprint = '' where ${isOfImages}`, [images]);
    },
    async choose(folder, choice) {
      await session.run(
        `insert into source_folder (folder, choice) values ($1, $2)
         on conflict (folder) do update set choice = excluded.choice`,
        [folder, JSON.stringify(choice)],
      );
    },
  };
}

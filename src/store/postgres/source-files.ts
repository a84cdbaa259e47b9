/** Which files the images of the catalogue in PostgreSQL came from. */
import type pg from 'pg';
import type { KnownFile, SourceFileReader, SourceFileWriter } from '../../catalogue/source-files.ts';
import { KNOWN_FILES, REMOVED_SOURCES } from '../shared/queries.ts';
import { columns } from './batches.ts';
import { connect, databaseError, disconnect } from './connection.ts';

/** Rows of a folder that are in memory at the same time. */
const PAGE_SIZE = 1000;

export async function openSourceFiles(url: string): Promise<SourceFileReader> {
  const client = await connect(url);
  const query = async <Row = KnownFile>(text: string, values: unknown[]): Promise<Row[]> => {
    try {
      return (await client.query(text, values)).rows;
    } catch (error) {
      throw databaseError(error, url);
    }
  };
  return {
    find: (folder, paths) => query(`${KNOWN_FILES} where folder = $1 and path = any($2)`, [folder, paths]),
    findRemoved: (folder, paths) =>
      query(`${REMOVED_SOURCES} and folder = $1 and path = any($2)`, [folder, paths]),
    async *all(folder) {
      const text = `${KNOWN_FILES} where folder = $1 and (path, image) > ($2, $3) order by path, image limit ${PAGE_SIZE}`;
      for (let [path, image] = ['', '']; ; ) {
        const page = await query(text, [folder, path, image]);
        yield* page;
        const last = page.at(-1);
        if (!last || page.length < PAGE_SIZE) return;
        ({ path, image } = last);
      }
    },
    ofImage: (id) => query(`${KNOWN_FILES} where source_file.image = $1`, [id]),
    [Symbol.asyncDispose]: () => disconnect(client),
  };
}

export function sourceFileWriter(
  query: (text: string, values: unknown[]) => Promise<pg.QueryResult>,
): SourceFileWriter {
  return {
    async save(files) {
      if (files.length === 0) return;
      await query(
        `insert into source_file (folder, path, image, state, fingerprint)
         select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
         on conflict (folder, path, image) do update set state = excluded.state, fingerprint = excluded.fingerprint`,
        columns(files, 'folder', 'path', 'image', 'state', 'fingerprint'),
      );
      await query(
        `update source_file set state = 'replaced', fingerprint = ''
         from unnest($1::text[], $2::text[], $3::text[]) as saved (folder, path, image)
         where source_file.folder = saved.folder and source_file.path = saved.path
           and source_file.image <> saved.image`,
        columns(files, 'folder', 'path', 'image'),
      );
    },
    async remove(files) {
      await query(
        `delete from source_file using unnest($1::text[], $2::text[], $3::text[]) as gone (folder, path, image)
         where source_file.folder = gone.folder and source_file.path = gone.path and source_file.image = gone.image`,
        columns(files, 'folder', 'path', 'image'),
      );
    },
    async provided(images) {
      const text = `select distinct image from source_file where image = any($1) and state <> 'replaced'`;
      return new Set((await query(text, [images])).rows.map(({ image }) => image));
    },
    async detach(images) {
      await query('delete from source_file where image = any($1)', [images]);
    },
    async forget(images) {
      await query(`update source_file set fingerprint = '' where image = any($1)`, [images]);
    },
  };
}

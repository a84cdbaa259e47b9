/** Gives the paths of source files one form of Unicode. Earlier versions stored them as the disk wrote them. Once released, never edit it. */
import { normaliseName } from '../catalogue/names.ts';
import { query, type Statement } from './data-migration.ts';

const BATCH_SIZE = 1000;

interface Row {
  folder: string;
  path: string;
  image: string;
}

export function* normalisePaths(): Generator<Statement, void, unknown[]> {
  const folders = yield* query<{ folder: string; choice: string }>(
    'select folder, choice from source_folder',
  );
  for (const { folder, choice } of folders) {
    if (normaliseName(folder) === folder) continue;
    yield* query('delete from source_folder where folder = $1', folder);
    yield* query(
      'insert into source_folder (folder, choice) values ($1, $2) on conflict do nothing',
      ...[normaliseName(folder), choice],
    );
  }
  for (let last: Row = { folder: '', path: '', image: '' }; ; ) {
    const rows = yield* query<Row>(
      `select folder, path, image from source_file where (folder, path, image) > ($1, $2, $3)
       order by folder, path, image limit ${BATCH_SIZE}`,
      ...[last.folder, last.path, last.image],
    );
    for (const { folder, path, image } of rows) {
      const after = [normaliseName(folder), normaliseName(path)] as const;
      if (after[0] === folder && after[1] === path) continue;
      yield* query(
        `insert into source_file (folder, path, image, state, fingerprint)
         select $1, $2, image, state, fingerprint from source_file where folder = $3 and path = $4 and image = $5
         on conflict do nothing`,
        ...[...after, folder, path, image],
      );
      yield* query(
        'delete from source_file where folder = $1 and path = $2 and image = $3',
        folder,
        path,
        image,
      );
    }
    if (rows.length < BATCH_SIZE) return;
    last = rows.at(-1) ?? last;
  }
}

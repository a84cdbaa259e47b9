/** Saves what PostgreSQL stores about images next to their rows: perceptual hashes, and which fields are edited. */
import type { SavedImage } from '../../catalogue/writer.ts';
import { columns } from './batches.ts';
import { formatRows } from './copy.ts';
import type { Copy, Query } from './placements.ts';

/** Removes what is left of images that had the numbers of new ones, such as after a backup of some tables was restored. */
export async function removeDetailsFrom(query: Query, number: number): Promise<void> {
  await query(
    `with shelves as (delete from image_shelves where image >= $1),
       hashes as (delete from perceptual_hash where image >= $1)
     delete from edited where image >= $1`,
    [number],
  );
}

/** Of new images. */
export async function addDetails(
  copy: Copy,
  images: Pick<SavedImage, 'number' | 'perceptualHash' | 'edited'>[],
): Promise<void> {
  const hashes = images.flatMap(({ number, perceptualHash }) =>
    perceptualHash === null ? [] : [[number, perceptualHash]],
  );
  if (hashes.length > 0) await copy('perceptual_hash (image, hash)', formatRows(hashes));
  const edited = images.flatMap(({ number, edited }) => (edited === '' ? [] : [[number, edited]]));
  if (edited.length > 0) await copy('edited (image, fields)', formatRows(edited));
}

/** Replaces the hashes of the images; null leaves an image without one. */
export async function saveHashes(
  query: Query,
  images: Pick<SavedImage, 'number' | 'perceptualHash'>[],
): Promise<void> {
  if (images.length === 0) return;
  await query('delete from perceptual_hash where image = any($1::int[])', columns(images, 'number'));
  await query(
    'insert into perceptual_hash (image, hash) select * from unnest($1::int[], $2::text[]) as new (image, hash) where hash is not null',
    columns(images, 'number', 'perceptualHash'),
  );
}

/** Replaces which fields of the images are edited. */
export async function saveEdited(
  query: Query,
  images: Pick<SavedImage, 'number' | 'edited'>[],
): Promise<void> {
  if (images.length === 0) return;
  await query('delete from edited where image = any($1::int[])', columns(images, 'number'));
  await query(
    `insert into edited (image, fields) select * from unnest($1::int[], $2::text[]) as new (image, fields) where fields <> ''`,
    columns(images, 'number', 'edited'),
  );
}

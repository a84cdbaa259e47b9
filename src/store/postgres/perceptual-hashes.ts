/** Saves perceptual hashes in PostgreSQL. */
import type { SavedImage } from '../../catalogue/writer.ts';
import { columns } from './batches.ts';

export type HashedImage = Pick<SavedImage, 'number' | 'perceptualHash'>;

/** Replaces the hashes of the images; null leaves an image without one. */
export async function saveHashes(
  query: (text: string, values: unknown[]) => Promise<unknown>,
  images: HashedImage[],
): Promise<void> {
  if (images.length === 0) return;
  await query('delete from perceptual_hash where image = any($1::int[])', columns(images, 'number'));
  await query(
    'insert into perceptual_hash (image, hash) select * from unnest($1::int[], $2::text[]) as new (image, hash) where hash is not null',
    columns(images, 'number', 'perceptualHash'),
  );
}

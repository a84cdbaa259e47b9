/**
 * Migrates catalogues of versions that could not filter by the type of the file. Also lets changes of the shelves and size of
 * an image count as changes of its document, so that whoever has them in memory learns of all of them. Once released, never
 * edit it.
 */

/** What the databases write differently. */
interface Dialect {
  /** `image_shelves.shelves` with another shelf. */
  addShelf: (shelf: string) => string;
  /** Makes the triggers. */
  noteChanges: string;
}

export const addTypes = ({ addShelf, noteChanges }: Dialect): string => `
  insert into shelf (kind, id, name) values
    ('type', 'jpeg', 'jpeg'), ('type', 'png', 'png'), ('type', 'webp', 'webp'), ('type', 'gif', 'gif'), ('type', 'avif', 'avif');
  insert into placement (shelf, position, image)
  select shelf.number, row_number() over (partition by shelf.number order by image.number) - 1, image.number
  from image join shelf on kind = 'type' and 'image/' || shelf.id = mimetype;
  update shelf set size = (select count(*) from placement where placement.shelf = shelf.number) where kind = 'type';
  update image_shelves set shelves = ${addShelf('placed.shelf')}
  from (select image, shelf from placement join shelf on shelf.number = placement.shelf where kind = 'type') as placed
  where placed.image = image_shelves.image;
  ${noteChanges}`;

/**
 * Migrates catalogues of versions that could not filter by size and animation: finds both in the documents. Once released,
 * never edit it.
 */

/** What the databases write differently. */
interface Dialect {
  lineFeed: string;
  /** The position of a text in another one, from 1; 0 if it is not there. */
  find: (part: string, text: string) => string;
  /** The number that a text begins with. */
  leadingNumber: (text: string) => string;
  /** `image_shelves.shelves` with another shelf. */
  addShelf: (shelf: string) => string;
}

const START = '","dimens":{"width":';
const MIDDLE = ',"height":';

export function addFilters({ lineFeed, find, leadingNumber, addShelf }: Dialect): string {
  // Documents contain this once, after the placeholder for the expiry.
  const start = `${lineFeed} || '${START}'`;
  const rest = `substr(document, ${find(start, 'document')} + ${START.length + 1}, 40)`;
  const animated = `(select number from shelf where kind = 'animation')`;
  // The previews come last, and end so if it is an animation. Without them, a document ends with JSON.
  const isAnimated = `substr(document, length(document) - 1) = ' 1'`;
  return `
    alter table image_shelves add column width int not null default 0;
    alter table image_shelves add column height int not null default 0;
    update image_shelves set width = found.width, height = found.height
    from (select number, ${leadingNumber('rest')} as width,
            ${leadingNumber(`substr(rest, ${find(`'${MIDDLE}'`, 'rest')} + ${MIDDLE.length})`)} as height
          from (select number, ${rest} as rest from image where ${find(start, 'document')} > 0) as documents) as found
    where found.number = image_shelves.image;

    insert into shelf (kind, id, name) values ('animation', 'animated', 'animated');
    insert into placement (shelf, position, image)
    select ${animated}, row_number() over (order by number) - 1, number from image where ${isAnimated};
    update shelf set size = (select count(*) from placement where placement.shelf = shelf.number)
    where kind = 'animation';
    update image_shelves set shelves = ${addShelf(animated)}
    where image in (select image from placement where placement.shelf = ${animated});`;
}

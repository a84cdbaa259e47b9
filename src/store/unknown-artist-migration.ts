/**
 * Migrates catalogues of versions that allowed images without artist or source, and whose documents did not contain the
 * artist. Once released, never edit it.
 */

const ID = 'b5657ad2-a33e-52b7-ae74-d238673dfd08';

/** What the databases write differently. */
interface Dialect {
  lineFeed: string;
  /** The position of a text in another one, from 1. */
  find: (part: string, text: string) => string;
  /** In ISO 8601. */
  now: string;
}

/** Images without artist move to the artist "Unknown", who is added if there are any. */
export function giveEveryImageAnArtist({ lineFeed, find, now }: Dialect): string {
  // Documents contain this once, after the link. An id of 36 characters follows.
  const beforeArtist = `${lineFeed} || '","artist":'`;
  const hasArtist = (json: string) => `${find(`${beforeArtist} || '${json}'`, 'image.document')} > 0`;
  const artistId = `substr(image.document, ${find(beforeArtist, 'image.document')} + 13, 36)`;
  const unknown = `(select number from shelf where kind = 'artist' and id = '${ID}')`;
  return `
    insert into shelf (kind, id, name, created_at, document)
    select 'artist', '${ID}', 'Unknown', ${now}, '{"id":"${ID}","name":"Unknown","url":""}'
    where exists (select 1 from image where ${hasArtist('null')}) and ${unknown} is null;

    update image set document = replace(document, ${beforeArtist} || 'null', ${beforeArtist} || '"${ID}"')
    where ${hasArtist('null')};
    update image set document = replace(document, '"source":null,"nsfw":', '"source":{"name":"","url":""},"nsfw":')
      || ${lineFeed}
      || coalesce((select shelf.document from shelf where kind = 'artist' and shelf.id = ${artistId}),
                  '{"id":"' || ${artistId} || '","name":"","url":""}');

    delete from placement where shelf = ${unknown};
    insert into placement (shelf, position, image)
    select ${unknown}, row_number() over (order by number) - 1, number from image where ${hasArtist(`"${ID}"`)};
    update shelf set size = (select count(*) from placement where placement.shelf = shelf.number)
    where number = ${unknown};
    update shelf set position = ordered.position
    from (select number, row_number() over (order by name, id) - 1 as position from shelf where kind = 'artist') as ordered
    where ordered.number = shelf.number;`;
}

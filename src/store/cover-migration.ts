/** Finds the covers of catalogues of versions that had none. Once released, never edit it. */
export const FIND_FIRST_COVERS = `update shelf set cover =
  (select placed.image from placement as placed
   where placed.shelf = shelf.number and exists
     (select 1 from placement as rated where rated.image = placed.image
        and rated.shelf = (select sfw.number from shelf as sfw where sfw.kind = 'rating' and sfw.id = 'sfw'))
   order by placed.position desc limit 1)
  where kind in ('artist', 'category', 'character')`;

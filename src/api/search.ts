/** One search for images and for the entries that they belong to. */
import { cursorScope } from '../access/links.ts';
import type { EntryDetails, Filter, Found } from '../catalogue/catalogue.ts';
import { SearchResult } from '../catalogue/schemas.ts';
import { packPosition, type SearchPosition, unpackPosition } from '../catalogue/sets/orders.ts';
import { toJsonBytes, toList } from '../lib/byte-string.ts';
import { type Call, cursorHeaders, endpoint, linkSigner, readCursor } from './endpoint.ts';
import { writeEntry } from './entries.ts';
import * as examples from './examples.ts';
import { imageList, unwrap, validatePage } from './images.ts';
import { cursor, imageFilters, imageParameters, limit, pickParameters, searchText } from './parameters.ts';

const searchFilters = { ...imageFilters, q: searchText };

export const search = endpoint({
  name: 'search',
  group: 'Images',
  summary: 'Search everything',
  description:
    'Returns the images that every word of the text is about, the best ones first, and artists, characters, categories and ' +
    'albums by name, at most ten of each. A word is about an image if it begins a word of the name of its artist, of one of ' +
    'its categories, characters or albums, or of its title, description or alternative text. Every text is valid: words, ' +
    '`"quoted phrases"`, `-` before what must not be, and `artist:`, `character:`, `category:`, `album:`, `title:`, ' +
    '`rating:`, `orientation:`, `type:`, `is:animated` or `is:landscape`. `words` says what each word was taken for, and ' +
    '`filters` are the parameters for `/image/random` that say the same. `cursor` continues the images.',
  access: 'open',
  query: { ...searchFilters, limit, cursor, ...imageParameters },
  data: SearchResult,
  example: {
    call: ({ artist }) => ({ query: { q: examples.searchForArtist(artist.name) } }),
    data: examples.found,
  },
  hasCursor: true,
  validate: (call) => validatePage(call, pickParameters(searchFilters, call.query), readPosition),
  async handle(call) {
    const { query } = call;
    const { found, cursor } = await readFound(call, pickParameters(searchFilters, query), query.limit);
    const signLink = linkSigner(call, query.expiry);
    const list = (entries: EntryDetails[]) =>
      toList(entries.map((entry) => writeEntry(entry, true, signLink)));
    const { artists, characters, categories, albums } = found;
    const { data: images } = imageList(call, found.images);
    const { total, words, filters, suggestions } = found;
    const rest = toJsonBytes({ total, words, filters, suggestions }).slice(1);
    const entries = `"artists":${list(artists)},"characters":${list(characters)},"categories":${list(categories)}`;
    const data = `{${entries},"albums":${list(albums)},"images":${images},${rest}`;
    return { data, headers: cursorHeaders(call, cursor) };
  },
});

type SearchCall = Pick<Call<{ cursor?: string }>, 'services' | 'query' | 'caller'>;

/** What a search finds, from the cursor of the call on, and where the next page starts, if there is one. */
export async function readFound(
  call: SearchCall,
  filter: Filter,
  limit: number,
): Promise<{ found: Found; cursor: string | undefined }> {
  const { catalogue, cursors } = call.services;
  const from = readPosition(call, filter);
  const found = unwrap(await catalogue.searchAll(filter, from, limit, call.caller));
  const { next } = found;
  const cursor = next && cursors.write(packPosition(next.level, next.below), scopeOf(filter));
  return { found, cursor };
}

/** Not that of the latest images, which have the same filters and another order. */
const scopeOf = (filter: Filter) => `search ${cursorScope(undefined, filter)}`;

function readPosition(call: SearchCall, filter: Filter): SearchPosition | undefined {
  const position = readCursor(call, scopeOf(filter), 'another search');
  if (position === undefined) return undefined;
  const [level, below] = unpackPosition(position);
  return { level, below };
}

/** One search for artists, characters, categories and titles, and for the filters that a text means. */
import { SearchResult } from '../catalogue/schemas.ts';
import { toJsonBytes } from '../lib/byte-string.ts';
import { endpoint, linkSigner } from './endpoint.ts';
import { writeEntry } from './entries.ts';
import * as examples from './examples.ts';
import { imageList } from './images.ts';
import { imageParameters, listFilters, q } from './parameters.ts';

export const search = endpoint({
  name: 'search',
  group: 'Images',
  summary: 'Search everything',
  description:
    'Returns artists, characters and categories by name and images by title, at most ten of each, the best ones first, and ' +
    'the `filters` for `/image/random` that the text means. Every text is valid: words, `"quoted phrases"`, `-` before what ' +
    'must not be, and `artist:`, `character:`, `category:`, `rating:` or `orientation:` before a word or a phrase. Without a ' +
    'text, everything is empty. `rating:` and, without it, `nsfw` say how found images may be rated.',
  access: 'open',
  query: { q, nsfw: listFilters.nsfw, ...imageParameters },
  data: SearchResult,
  example: {
    call: ({ artist }) => ({ query: { q: examples.searchForArtist(artist.name) } }),
    data: examples.found,
  },
  async handle(call) {
    const { services, query, caller } = call;
    const found = await services.catalogue.searchAll(query.q ?? '', query.nsfw, caller);
    const signLink = linkSigner(call, query.expiry);
    const lists = (['artists', 'characters', 'categories'] as const).map(
      (name) => `"${name}":[${found[name].map((entry) => writeEntry(entry, true, signLink)).join()}]`,
    );
    const { data: images } = imageList(call, found.images);
    return { data: `{${lists.join()},"images":${images},"filters":${toJsonBytes(found.filters)}}` };
  },
});

/** The endpoints that return the images of an artist and of an album. */
import { withoutAspectRatio } from '../catalogue/documents/image-document.ts';
import { ArtistImage, Image } from '../catalogue/schemas.ts';
import * as Type from '../lib/json-schema.ts';
import { endpoint } from './endpoint.ts';
import * as examples from './examples.ts';
import { allFilters, imageList, imageWriter, oldestFirst, unwrap } from './images.ts';
import { pageHeaders } from './links.ts';
import { imageParameters, limit, listFilters, offset } from './parameters.ts';
import { pickParameters } from './query.ts';

const { album: _, ...albumFilters } = allFilters;

export const artistImages = endpoint({
  name: 'artistImages',
  group: 'Artists',
  summary: "List an artist's images",
  description: `${oldestFirst} \`meta.dimens\` has no \`aspectRatio\` here.`,
  access: 'open',
  query: { limit, offset, ...listFilters, ...imageParameters },
  data: Type.Array(ArtistImage),
  example: {
    call: ({ artist }) => ({ id: artist.id, query: { nsfw: 'sfw', limit: '1' } }),
    data: [examples.artistImage],
  },
  isPaged: true,
  followsMerges: true,
  async handle(call) {
    const { catalogue } = call.services;
    const filter = pickParameters(listFilters, call.query);
    const found = unwrap(await catalogue.artistImages(call.id, filter, call.query, call.caller));
    if ('movedTo' in found) return found;
    const { total, items } = found;
    const write = imageWriter(call);
    const images = items.map((image) => withoutAspectRatio(write(image)));
    return { data: `[${images.join()}]`, isByteString: true, headers: pageHeaders(call, total) };
  },
});

export const albumImages = endpoint({
  name: 'albumImages',
  group: 'Albums',
  summary: "List an album's images",
  description: 'In the order of the album.',
  access: 'open',
  query: { limit, offset, ...albumFilters, ...imageParameters },
  data: Type.Array(Image),
  example: {
    call: ({ album }) => ({ id: album.id, query: { nsfw: 'sfw', limit: '1' } }),
    data: [examples.image],
  },
  isPaged: true,
  followsMerges: true,
  async handle(call) {
    const { catalogue } = call.services;
    const filter = pickParameters(albumFilters, call.query);
    const found = unwrap(await catalogue.albumImages(call.id, filter, call.query, call.caller));
    if ('movedTo' in found) return found;
    return { ...imageList(call, found.items), headers: pageHeaders(call, found.total) };
  },
});

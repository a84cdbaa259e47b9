/** Images that look alike. */

import { Image } from '../catalogue/schemas.ts';
import * as Type from '../lib/json-schema.ts';
import { endpoint } from './endpoint.ts';
import * as samples from './examples.ts';
import { imageList, unwrap } from './images.ts';
import { imageParameters, limit, listFilters } from './parameters.ts';
import { pickParameters } from './query.ts';

export const similarImages = endpoint({
  name: 'similar',
  group: 'Images',
  summary: 'Get similar images',
  description:
    'Returns the images that look most like this one, nearest first, without the image itself. Copies that were resized, ' +
    're-encoded or slightly cropped come first. Images that look different are left out, so the list may be short or ' +
    'empty. It is always empty for an image with too little detail to compare, such as a single colour.',
  access: 'open',
  query: { limit, ...listFilters, ...imageParameters },
  data: Type.Array(Image),
  example: {
    call: ({ image }) => ({ id: image.id, query: { nsfw: 'sfw', limit: '1' } }),
    data: [samples.image],
  },
  async handle(call) {
    const filter = pickParameters(listFilters, call.query);
    const { catalogue } = call.services;
    const images = await catalogue.similarImages(call.id, filter, call.query.limit, call.caller);
    return imageList(call, unwrap(images));
  },
});

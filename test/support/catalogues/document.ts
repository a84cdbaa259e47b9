/** Documents as an import writes them. */
import { composeDocument, dimensions } from '../../../src/catalogue/documents/document.ts';
import { NO_DETAILS } from '../../../src/catalogue/schemas.ts';
import { uuid } from './catalogue.ts';

export function documentWith({
  title = '',
  source = '',
  artist = { id: uuid(2, 1), name: 'a', url: '' },
  characters = [] as object[],
  dimens = dimensions(3, 2),
  previews = undefined as string | undefined,
} = {}): string {
  return composeDocument(
    {
      id: uuid(4, 1),
      artist: artist.id,
      source: { name: source, url: 'https://example.org/' },
      nsfw: 'sfw',
      createdAt: '2026-01-01T00:00:00.000Z',
      ...NO_DETAILS,
      title,
      meta: { eTag: 'e', size: 5, mimetype: 'image/png', color: '#000000', dimens },
    },
    'ab/cd.png',
    JSON.stringify(artist),
    [],
    characters.map((character) => JSON.stringify(character)),
    previews,
  );
}

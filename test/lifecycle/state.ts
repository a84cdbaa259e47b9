/** What the commands say about the catalogue. */

import { hash } from 'node:crypto';
import { formerNames } from '../../src/catalogue/names.ts';
import { parseLines } from '../support/catalogues/lines.ts';
import { pictureBytes } from './pictures.ts';

const PICTURES = 12;
/** Its file stays where it is: a folder without pictures is a special case. */
export const KEPT = PICTURES;
export const pictureByHash = new Map(
  Array.from({ length: PICTURES + 1 }, (_, index) => [hash('sha256', pictureBytes(index)), index]),
);

export const pictures = [...pictureByHash.values()].filter((picture) => picture !== KEPT);

/** The lines about lowered ratings in the summary of an import. */
export const loweredIn = (output: string, root: string): string[] =>
  (/^rating lowered:\n((?: {2}.*\n)*)/m.exec(output)?.[1] ?? '')
    .split('\n')
    .filter(Boolean)
    .map((line) => line.trim().replace(`${root}/`, ''));

/** An export, in the form of the model's description. */
export function readState(exported: string) {
  const records = parseLines(exported);
  const of = (...types: string[]) => records.filter(({ type }) => types.includes(type));
  const named = new Map(of('artist', 'category', 'character').map(({ id, name }) => [id, name]));
  const names = (ids: string[]) => ids.map((id) => named.get(id)).sort();
  const images = of('image').map((image) => ({
    ...image,
    picture: pictureByHash.get(image.key.slice(3, 67)),
  }));
  return {
    ids: new Map(images.map(({ picture, id }) => [picture, id])),
    description: {
      entries: of('artist', 'category', 'character')
        .map(({ type, name, aliases }) => [type, name, ...formerNames(aliases).toSorted()].join(' | '))
        .sort(),
      images: images
        .map(({ picture, nsfw: rating, artist, source, edited, categories, characters, ...image }) => ({
          picture,
          title: image.title ?? '',
          fileName: image.fileName ?? '',
          rating,
          artist: named.get(artist),
          source,
          edited: edited.toSorted(),
          categories: names(categories),
          characters: names(characters),
        }))
        .sort((a, b) => a.picture - b.picture),
      removed: of('removed')
        .map(({ hash, image }) => `${pictureByHash.get(hash)} ${image}`)
        .sort(),
      blocked: of('blocked')
        .map(({ kind, name }) => `${kind} ${name}`)
        .sort(),
    },
  };
}

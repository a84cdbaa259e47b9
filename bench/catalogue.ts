/** Generates catalogue files of any size: records with `key` and `meta`, always the same for the same size. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { toLines } from '../test/support/catalogues/lines.ts';

const ARTISTS = 2000;
const CHARACTERS = 1000;
const CATEGORIES = 50;
const ratings = ['sfw', 'sfw', 'sfw', 'questionable', 'nsfw'];
const description =
  'A description of typical length: one sentence, about as long as those that people write. ';

/**
 * Half of the images are in category `a`, half in `b`, and a quarter in both. Each is also in one of 48 other categories. All
 * names of landscape images are ASCII. Those of the others, about half, are Japanese. One image in 20 is an animation.
 * `first` is the number of the first image, and `words` how many words the description of each image has.
 */
export async function writeCatalogue(
  path: string,
  images: number,
  { first = 0, words = 0 } = {},
): Promise<void> {
  const output = createWriteStream(path);
  const write = async (records: object[]) => {
    const text = toLines(records);
    if (!output.write(text)) await once(output, 'drain');
  };
  await write(
    Array.from({ length: CATEGORIES }, (_, index) => ({
      type: 'category',
      name: categoryName(index),
      description,
    })),
  );
  await write(
    Array.from({ length: ARTISTS }, (_, index) => ({
      type: 'artist',
      name: artistName(index),
      url: `https://example.org/artists/${index}`,
    })),
  );
  await write(
    Array.from({ length: CHARACTERS }, (_, index) => ({
      type: 'character',
      name: characterName(index),
      description,
      source: isJapanese(index) ? `作品${index % 97}` : `Work ${index % 97}`,
      gender: index % 2 ? 'female' : 'male',
      ages: [18 + (index % 30)],
      birth_date: 'in spring',
      nationality: 'Japanese',
      occupations: ['student'],
    })),
  );
  for (let index = first; index < first + images; index++) await write([image(index, words)]);
  output.end();
  await once(output, 'finish');
}

function image(index: number, words: number): object {
  const hash = createHash('sha256').update(`image ${index}`).digest();
  const pick = (word: number, below: number) => hash.readUInt32LE(word * 4) % below;
  const eTag = hash.toString('hex');
  const dimens = { width: 600 + pick(4, 1000), height: 600 + pick(5, 1000) };
  const isLandscape = dimens.width > dimens.height;
  /** A number below this, which is even, whose name is in the script of this image. */
  const pickEntry = (word: number, below: number) => 2 * pick(word, below / 2) + (isLandscape ? 0 : 1);
  const categories = [categoryName(2 + pickEntry(0, CATEGORIES - 2))];
  if (pick(1, 2)) categories.push('a');
  if (pick(2, 2)) categories.push('b');
  return {
    type: 'image',
    key: `${eTag.slice(0, 2)}/${eTag}.webp`,
    meta: {
      eTag,
      size: 100_000 + pick(3, 900_000),
      mimetype: 'image/webp',
      color: `#${eTag.slice(0, 6)}`,
      dimens,
    },
    artist: artistName(pickEntry(6, ARTISTS)),
    source: { name: isLandscape ? 'somewhere' : 'どこか', url: `https://example.org/posts/${index}` },
    nsfw: ratings[pick(7, ratings.length)],
    categories,
    characters: [characterName(pickEntry(0, CHARACTERS))],
    ...(words > 0 && { description: describe(index, words) }),
    ...(index % 20 === 0 && { thumbnails: { sizes: [480], thumbHash: 'ABCD', isAnimated: true } }),
  };
}

const VOCABULARY = 100_000;
const FREQUENT = ['the', 'a', 'of', 'with', 'girl', 'and', 'fox', 'night', 'in', 'sunrise'];
const CONSONANTS = 'bcdfghklmnprstvw';

/** As in languages, the second most frequent word is half as frequent as the first one, and so on. */
function describe(index: number, words: number): string {
  let state = index + 1;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return ((state ^ (state >>> 15)) >>> 0) / 2 ** 32;
  };
  random();
  return Array.from({ length: words }, () => wordAt(Math.floor(VOCABULARY ** random()) - 1)).join(' ');
}

/** The word of a rank: two to four syllables. */
function wordAt(rank: number): string {
  const frequent = FREQUENT[rank];
  if (frequent !== undefined) return frequent;
  let word = '';
  for (let rest = Math.imul(rank, 2_654_435_761) >>> (4 + 7 * (rank % 3)); rest > 0; rest >>>= 7)
    word += CONSONANTS.charAt(rest & 15) + 'aeiou'.charAt((rest >>> 4) % 5);
  return word;
}

const isJapanese = (index: number) => index % 2 === 1;
const artistName = (index: number) => (isJapanese(index) ? `絵師 ${index}` : `Artist ${index}`);
const characterName = (index: number) => (isJapanese(index) ? `キャラクター ${index}` : `Character ${index}`);

function categoryName(index: number): string {
  if (index < 2) return 'ab'.charAt(index);
  return isJapanese(index) ? `カテゴリー ${index}` : `category ${index}`;
}

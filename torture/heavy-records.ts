/** Records whose texts and lists are long: what they cost a request must be bounded, too. */
import { uuid } from '../test/support/catalogues/catalogue.ts';
import { keyed } from '../test/support/catalogues/import.ts';

const RECORDS = 60;
const MAX_NAME = 255;
const MAX_DESCRIPTION = 10_000;
/** More, and the cache of documents would not keep those of the images. */
const CATEGORIES = 1;

/** Characters of four bytes behind a word to search for. */
const long = (start: string) => `${start} ${'🦊'.repeat(MAX_NAME - start.length - 1)}`;
/** Every line is a paragraph of a feed, and has characters to escape. */
const description = '<&\n'.repeat(MAX_DESCRIPTION / 3);
const list = <Item>(count: number, make: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => make(index));

export function* heavyRecords(): Generator<object> {
  for (let index = 0; index < RECORDS; index++) {
    const name = long(`heavy ${index}`);
    const aliases = list(20, (alias) => long(`alias ${index} ${alias}`));
    yield { type: 'category', id: uuid(1, 1000 + index), name, description, aliases };
    yield { type: 'album', id: uuid(6, 1000 + index), name, description, aliases };
    const url = `https://example.org/${'a'.repeat(2000)}`;
    yield { type: 'artist', id: uuid(2, 1000 + index), name, url, aliases };
    yield {
      ...{ type: 'character', id: uuid(3, 1000 + index), name, description, aliases, source: long('work') },
      ...{ gender: long('gender'), birth_date: long('day'), nationality: long('nation') },
      ages: list(100, (age) => age),
      occupations: list(100, (number) => `occupation ${number}`),
    };
  }
  for (let index = 0; index < RECORDS; index++)
    yield keyed(1000 + index, {
      ...{ id: uuid(4, 1000 + index), artist: uuid(2, 1000 + index), nsfw: 'sfw' },
      ...{ title: long(`heavy fox ${index}`), description, source: { name: long('source'), url: '' } },
      categories: list(CATEGORIES, (other) => uuid(1, 1000 + ((index + other) % RECORDS))),
      characters: [uuid(3, 1000 + index)],
    });
}

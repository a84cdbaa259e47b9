/** A catalogue as docs/maintenance.md and docs/catalogue.md describe it. */
import type { Rating } from '../../src/catalogue/schemas.ts';
import { readableName } from '../../src/import/plan/image.ts';
import { isLower, type Statement } from './sidecars.ts';

export type Kind = 'artist' | 'category' | 'character';
export const kinds: Kind[] = ['artist', 'category', 'character'];
export type Field = 'artist' | 'categories' | 'characters' | 'rating' | 'source' | 'title';
/** The rating is that of a former file. */
export type Mark = 'file-changed';
export const fields: Field[] = ['artist', 'categories', 'characters', 'rating', 'source', 'title'];

export interface Entry {
  kind: Kind;
  name: string;
  aliases: string[];
}

export interface ModelImage {
  /** Set when it is seen for the first time. */
  id?: string;
  rating: Rating;
  artist: Entry;
  categories: Set<Entry>;
  characters: Set<Entry>;
  source: { name: string; url: string };
  title: string;
  fileName: string;
  edited: Set<Field | Mark>;
  isFromFolder: boolean;
}

export interface ImageChange {
  rating?: Rating;
  artist?: string;
  addCategory?: string;
  removeCategory?: string;
  sourceName?: string;
  title?: string;
}

const noSource = { name: '', url: '' };

export class Model {
  entries: Entry[] = [];
  /** By the number of the picture. */
  images = new Map<number, ModelImage>();
  /** Removed pictures, and the ids that their images had. */
  removed = new Map<number, string>();
  blocked: { kind: Kind; name: string }[] = [];
  #unknown: Entry | undefined;

  is = (kind: Kind, a: string, b: string) =>
    kind === 'category' ? a.toLowerCase() === b.toLowerCase() : a === b;

  /** A name wins over an alias. */
  find(kind: Kind, name: string): Entry | undefined {
    const own = this.entries.filter((entry) => entry.kind === kind);
    return (
      own.find((entry) => this.is(kind, entry.name, name)) ??
      own.find(({ aliases }) => aliases.some((alias) => this.is(kind, alias, name)))
    );
  }

  hasName(kind: Kind, name: string): boolean {
    return this.entries.some((entry) => entry.kind === kind && this.is(kind, entry.name, name));
  }

  isBlocked(kind: Kind, name: string): boolean {
    return this.blocked.some((block) => block.kind === kind && this.is(kind, block.name, name));
  }

  create(kind: Kind, name: string): Entry {
    const entry = { kind, name, aliases: [] };
    this.entries.push(entry);
    return entry;
  }

  findOrCreate = (kind: Kind, name: string): Entry => this.find(kind, name) ?? this.create(kind, name);

  get unknown(): Entry {
    if (!this.#unknown) this.#unknown = this.findOrCreate('artist', 'Unknown');
    return this.#unknown;
  }

  /** Gives an entry other names, which no other entry keeps as aliases. */
  addAliases(entry: Entry, names: string[]): void {
    const { kind } = entry;
    for (const name of names) {
      for (const other of this.entries)
        if (other.kind === kind) other.aliases = other.aliases.filter((alias) => !this.is(kind, alias, name));
      if (!this.is(kind, entry.name, name)) entry.aliases.push(name);
    }
  }

  rename(entry: Entry, name: string): void {
    const former = entry.name;
    entry.name = name;
    entry.aliases = entry.aliases.filter((alias) => !this.is(entry.kind, alias, name));
    if (!this.is(entry.kind, name, former)) this.addAliases(entry, [former]);
  }

  merge(entry: Entry, into: Entry): void {
    this.entries = this.entries.filter((one) => one !== entry);
    this.addAliases(into, [...entry.aliases, entry.name]);
    for (const image of this.images.values()) {
      if (image.artist === entry) image.artist = into;
      for (const set of [image.categories, image.characters]) if (set.delete(entry)) set.add(into);
    }
  }

  removeEntry(entry: Entry): void {
    this.entries = this.entries.filter((one) => one !== entry);
    for (const image of this.images.values()) {
      if (image.artist === entry) image.artist = this.unknown;
      image.categories.delete(entry);
      image.characters.delete(entry);
    }
  }

  block(kind: Kind, names: string[]): void {
    for (const name of names) if (!this.isBlocked(kind, name)) this.blocked.push({ kind, name });
  }

  unblock(kind: Kind, name: string): void {
    this.blocked = this.blocked.filter((block) => block.kind !== kind || !this.is(kind, block.name, name));
  }

  /** A picture of a folder that is read. Returns the former rating if it went down. */
  importPicture(picture: number, states: Statement, defaultRating: Rating): Rating | undefined {
    if (!this.images.has(picture) && this.removed.has(picture)) return undefined;
    const before = this.images.get(picture)?.rating;
    const image = this.images.get(picture) ?? this.add(picture, defaultRating);
    image.isFromFolder = true;
    const resolve = (kind: Kind, names: string[]) =>
      names
        .filter((name) => this.find(kind, name) || !this.isBlocked(kind, name))
        .map((name) => this.findOrCreate(kind, name));
    const { rating, artist, categories, characters, source, title, fileName = image.fileName } = states;
    const isKept = image.edited.has('file-changed') && isLower(rating ?? image.rating, image.rating);
    if (rating && !image.edited.has('rating') && !isKept) image.rating = rating;
    if (artist !== undefined && !image.edited.has('artist'))
      image.artist = resolve('artist', artist === null ? [] : [artist])[0] ?? this.unknown;
    if (categories && !image.edited.has('categories'))
      image.categories = new Set(resolve('category', categories));
    if (characters && !image.edited.has('characters'))
      image.characters = new Set(resolve('character', characters));
    if (source && !image.edited.has('source')) image.source = source;
    this.renameFile(image, fileName);
    if (title !== undefined && !image.edited.has('title')) image.title = title;
    return before && isLower(image.rating, before) ? before : undefined;
  }

  /** A title that nobody stated follows the name of the file. */
  renameFile(image: ModelImage, fileName: string): void {
    const isDerived = image.title === '' || image.title === readableName(image.fileName);
    if (isDerived && !image.edited.has('title')) image.title = readableName(fileName);
    image.fileName = fileName;
  }

  edit(image: ModelImage, change: ImageChange): void {
    const { rating, artist, addCategory, removeCategory, sourceName, title } = change;
    const decide = (field: Field, value: unknown) => value !== undefined && image.edited.add(field);
    decide('rating', rating);
    decide('artist', artist);
    decide('categories', addCategory ?? removeCategory);
    decide('source', sourceName);
    decide('title', title);
    if (rating) image.edited.delete('file-changed');
    if (rating) image.rating = rating;
    if (artist) image.artist = this.findOrCreate('artist', artist);
    if (addCategory) image.categories.add(this.findOrCreate('category', addCategory));
    const removed = removeCategory && this.find('category', removeCategory);
    if (removed) image.categories.delete(removed);
    if (sourceName) image.source = { ...image.source, name: sourceName };
    if (title !== undefined) image.title = title;
  }

  /** A new image that nothing is known of. */
  add(picture: number, rating: Rating): ModelImage {
    const image: ModelImage = {
      rating,
      artist: this.unknown,
      categories: new Set<Entry>(),
      characters: new Set<Entry>(),
      source: noSource,
      title: '',
      fileName: '',
      edited: new Set<Field | Mark>(),
      isFromFolder: false,
    };
    this.images.set(picture, image);
    return image;
  }

  /** Everything, in an order that does not depend on when it was added. */
  describe() {
    const names = (entries: Iterable<Entry>) => Array.from(entries, ({ name }) => name).sort();
    return {
      entries: this.entries
        .map(({ kind, name, aliases }) => [kind, name, ...aliases.toSorted()].join(' | '))
        .sort(),
      images: [...this.images]
        .map(([picture, { rating, artist, categories, characters, source, title, fileName, edited }]) => ({
          picture,
          title,
          fileName,
          rating,
          artist: artist.name,
          source,
          edited: [...edited].sort(),
          categories: names(categories),
          characters: names(characters),
        }))
        .sort((a, b) => a.picture - b.picture),
      removed: [...this.removed].map(([picture, id]) => `${picture} ${id}`).sort(),
      blocked: this.blocked.map(({ kind, name }) => `${kind} ${name}`).sort(),
    };
  }
}

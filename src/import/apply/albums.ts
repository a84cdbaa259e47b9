/** The albums of an import: those of folders, and those that catalogue files name. */
import { basename, dirname, join } from 'node:path';
import { entryDifferences } from '../../catalogue/documents/edit-image.ts';
import { cleanName, isId, normaliseName } from '../../catalogue/names.ts';
import type { SourceFile } from '../../catalogue/writer.ts';
import { type CatalogueWriter, type Entry, MAX_ALBUM_IMAGES } from '../../catalogue/writer.ts';
import { entryDocument, type FolderAlbum, planFolderAlbum } from '../plan/entry.ts';
import { ExistingEntries, type NewRecordDefaults } from '../plan/existing.ts';
import type { ImportOptions } from '../prepare/prepare.ts';
import { RecordError } from '../records/lines.ts';
import { type EntryLine, type ImageLine, isValidRecord } from '../records/record.ts';
import type { Source } from '../sources/source.ts';
import { loadAlbumImages, loadEntries } from './decisions.ts';

// Makes albums of the folders for which an operator chose so. Folders with the same name share an album.

export class FolderAlbums {
  readonly #writer: CatalogueWriter;
  readonly #options: Pick<ImportOptions, 'albumFolders' | 'report'>;
  readonly #defaults: NewRecordDefaults;
  /** The images that no folder of the name had before, by name. */
  readonly #added = new Map<string, Set<string>>();

  constructor(
    writer: CatalogueWriter,
    options: Pick<ImportOptions, 'albumFolders' | 'report'>,
    defaults: NewRecordDefaults,
  ) {
    this.#writer = writer;
    this.#options = options;
    this.#defaults = defaults;
  }

  /** Notes the files that images come from, before they are saved. */
  async note(files: SourceFile[]): Promise<void> {
    const folders = new Set(this.#options.albumFolders.map(({ folder }) => folder));
    const shown = files.filter((file) => folders.has(file.folder) && isShown(file));
    if (shown.length === 0) return;
    const images = [...new Set(shown.map(({ image }) => image))];
    const before = Map.groupBy(await this.#writer.sourceFiles.ofImages(images), ({ image }) => image);
    for (const file of shown) {
      const name = albumName(file);
      const isKnown = before.get(file.image)?.some((other) => isShown(other) && albumName(other) === name);
      if (!isKnown) this.#added.set(name, (this.#added.get(name) ?? new Set()).add(file.image));
    }
  }

  /** After the images and their files are saved. */
  async save(): Promise<void> {
    const albums = await this.#readAlbums();
    const existing = new ExistingEntries();
    await loadEntries(existing, this.#writer, 'album', albums.keys());
    for (const [name, album] of albums) {
      const problem = await this.#saveAlbum(name, album, existing);
      if (problem !== undefined) this.#options.report.note('album', name, problem);
    }
  }

  /** The albums that may change, by name. */
  async #readAlbums(): Promise<Map<string, FolderAlbum>> {
    const albums = new Map<string, FolderAlbum>();
    for (const { folder, isFirst } of this.#options.albumFolders) {
      if (!isFirst && this.#added.size === 0) continue;
      for await (const { path, image, state } of this.#writer.sourceFiles.ofFolder(folder)) {
        const name = albumName({ folder, path });
        if (!isShown({ state }) || !(isFirst || this.#added.has(name))) continue;
        const added = this.#added.get(name) ?? new Set();
        const album = albums.get(name) ?? { files: [], added, isFirst: false };
        album.files.push({ path: join(folder, path), image });
        album.isFirst ||= isFirst;
        albums.set(name, album);
      }
    }
    return albums;
  }

  /** Returns what is wrong, if anything is. */
  async #saveAlbum(name: string, album: FolderAlbum, entries: ExistingEntries): Promise<string | undefined> {
    if (!isValidRecord({ type: 'album', name })) return 'no album can have this name; rename the folder';
    const [before, another] = entries.matching('album', name);
    if (another) return 'several albums have this name; rename all but one of them';
    await loadAlbumImages(entries, this.#writer, [{ name, images: album.files.map(({ image }) => image) }]);
    const planned = planFolderAlbum(album, before?.images, entries.images);
    if (!planned) return `it was removed; "zukan entry album '${name}' --create" adds an empty one`;
    const { images, left } = planned;
    if (images.length === (before?.images?.length ?? 0)) return describeRest(left);
    if (!before && entries.blockOf('album', name)) return 'the name is blocked';
    const { report } = this.#options;
    const record = { type: 'album', name: before?.name ?? name } as const;
    const after = before ? { ...before, images } : this.#newAlbum(name, images);
    await this.#writer.saveEntries([after]);
    if (before) report.record(record, 'updated', entryDifferences(before, after));
    else report.record({ ...record, isImplicit: true }, 'added');
    return describeRest(left);
  }

  #newAlbum(name: string, images: string[]): Entry {
    const { now, newId } = this.#defaults;
    const id = newId();
    const document = entryDocument({ type: 'album', name }, id, now);
    return { kind: 'album', id, name, createdAt: now, document, images };
  }
}

function describeRest(images: number): string | undefined {
  if (images === 0) return undefined;
  return `an album has at most ${MAX_ALBUM_IMAGES} images; left out: ${images}`;
}

/** Whether the file is a picture of its folder: not a thumbnail, nor one that has other bytes by now. */
function isShown({ state }: Pick<SourceFile, 'state'>): boolean {
  return state === 'first' || state === 'copy';
}

/** The name of the folder that the file is in. */
function albumName({ folder, path }: Pick<SourceFile, 'folder' | 'path'>): string {
  return normaliseName(cleanName(basename(dirname(join(folder, path)))));
}

// The images that albums of catalogue files name by their files.

interface Line<T> {
  /** The index of its source. */
  source: number;
  record: T;
}

export class AlbumFiles {
  readonly #sources: Source[];
  /** The ids of images by path. Undefined if the picture was skipped, because an operator removed it. */
  readonly #images = new Map<string, string | undefined>();

  constructor(sources: Source[]) {
    this.#sources = sources;
  }

  /** Notes the image of a record. */
  add({ source, record: { file, isFromFolder } }: Line<ImageLine>, image: string | undefined): void {
    if (file !== undefined && !isFromFolder) this.#images.set(this.#pathOf(source, file), image);
  }

  /** The record with the ids of its images only. */
  resolve<T extends Line<EntryLine>>(line: T): T {
    const { source, record } = line;
    if (record.type !== 'album' || !record.images) return line;
    const images = record.images.flatMap((reference) => {
      if (isId(reference)) return reference;
      const path = this.#pathOf(source, reference);
      if (!this.#images.has(path))
        throw new RecordError(`images: no earlier line has the "file" "${reference}", and it is no id`);
      return this.#images.get(path) ?? [];
    });
    return { ...line, record: { ...record, images } };
  }

  #pathOf(source: number, file: string): string {
    return normaliseName(join((this.#sources[source] as Source).folder, file));
  }
}

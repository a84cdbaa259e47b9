/** The images that albums of catalogue files name by their files. */
import { join } from 'node:path';
import { isId, normaliseName } from '../../catalogue/names.ts';
import { RecordError } from '../records/problems.ts';
import type { EntryLine, ImageLine } from '../records/record.ts';
import type { Source } from '../sources/source.ts';

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

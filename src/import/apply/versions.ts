/** Finds out which new bytes of files are other versions of images, and which rating they get from what they replace. */
import { join } from 'node:path';
import { readDocument } from '../../catalogue/documents/document.ts';
import type { SourceFile } from '../../catalogue/records.ts';
import type { CatalogueWriter, SavedImage } from '../../catalogue/writer.ts';
import { type Former, planVersion } from '../plan/version.ts';
import type { PictureCopies } from '../prepare/copies.ts';
import type { PreparedImage } from '../prepare/prepare.ts';
import { statedRating } from '../records/record.ts';

type Place = Pick<SourceFile, 'folder' | 'path' | 'image' | 'state'>;
type NewImage = PreparedImage &
  Required<Pick<PreparedImage, 'former'>> & { file: { folder: string; path: string } };

export class Versions {
  readonly #writer: CatalogueWriter;
  readonly #copies: PictureCopies;
  /** The identities of the folders that are imported. */
  readonly #folders: ReadonlySet<string>;
  /** The hashes of bytes that no image had before this import. */
  readonly #new = new Set<string>();
  /** The ids of images that have their next version. */
  readonly #continued = new Set<string>();

  constructor(writer: CatalogueWriter, copies: PictureCopies, folders: ReadonlySet<string>) {
    this.#writer = writer;
    this.#copies = copies;
    this.#folders = folders;
  }

  /** Records of the images that they are versions of get their ids, unless they are only copies. */
  async find<T extends PreparedImage>(images: T[], areCopies: boolean): Promise<T[]> {
    const found = await this.#findNew(images);
    const hashes = found.flatMap(({ picture }) => picture.hashes);
    const trash = hashes.length > 0 ? await this.#writer.changeLog.trashedBytes(hashes) : [];
    const ids = [...new Set(found.flatMap(formerIds))];
    const rows = new Map((await this.#writer.imagesById(ids)).map((row) => [row.id, row]));
    const places = Map.groupBy(await this.#writer.sourceFiles.ofImages(ids), ({ image }) => image);
    const isNew = new Set<PreparedImage>(found);
    return images.map((image) => {
      if (!isNew.has(image)) return image;
      const { file, picture, record } = image as T & NewImage;
      const formers = this.#formersOf(image as T & NewImage, rows, places, areCopies);
      const trashed = trash
        .filter(({ kind, image }) => kind === 'file' && picture.hashes.includes(image.eTag))
        .map(({ image }) => readDocument(image.document).nsfw);
      const looks = { path: file.path, perceptualHash: picture.perceptualHash };
      const { id, former } = planVersion(looks, statedRating(record), formers, trashed);
      if (id !== undefined) this.#continued.add(id);
      const version = id !== undefined && record.id === undefined ? { id } : {};
      return former ? { ...image, record: { ...record, ...version, former } } : image;
    });
  }

  /** Those with bytes that no image has, and that nobody removed. */
  async #findNew<T extends PreparedImage>(images: T[]): Promise<(T & NewImage)[]> {
    const candidates = images.filter((image): image is T & NewImage => image.former !== undefined);
    const hashes = candidates.flatMap(({ picture }) => picture.hashes);
    const known = new Set([
      ...(await this.#writer.imagesByETag(hashes)).map(({ eTag }) => eTag),
      ...(await this.#writer.decisions.removedFiles(hashes)).map(({ hash }) => hash),
    ]);
    const found = candidates.filter(
      ({ picture: { hashes } }) =>
        hashes.some((hash) => this.#new.has(hash)) || !hashes.some((hash) => known.has(hash)),
    );
    for (const { picture } of found) for (const hash of picture.hashes) this.#new.add(hash);
    return found;
  }

  #formersOf(
    { file, former, record }: NewImage,
    rows: Map<string, SavedImage>,
    places: Map<string, Place[]>,
    isCopy: boolean,
  ): Former[] {
    const formers = former.flatMap(({ path, image: id }): Former[] => {
      const image = rows.get(id);
      // Since the file was read, somebody may have given the image another one.
      const place = places.get(id)?.find((one) => one.folder === file.folder && one.path === path);
      if (!image || !place || place.state === 'replaced') return [];
      const others = places.get(id)?.filter((one) => one !== place) ?? [];
      const isPresent =
        this.#copies.has(image.eTag) || others.some((other) => this.#isElsewhere(other, place));
      const isReplaced = !isCopy && place.state === 'first' && !isPresent && !this.#continued.has(id);
      return [{ path, image, isReplaced }];
    });
    // The image that a sidecar names.
    const named = rows.get(record.id ?? '');
    return named ? [...formers, { path: file.path, image: named, isReplaced: false }] : formers;
  }

  /** Whether it is the file of a folder that is not imported now. */
  #isElsewhere(other: Place, { folder, path }: Place): boolean {
    const isSame = join(other.folder, other.path) === join(folder, path);
    return other.state !== 'replaced' && !this.#folders.has(other.folder) && !isSame;
  }
}

function formerIds({ former, record }: NewImage): string[] {
  return [...former.map(({ image }) => image), ...(record.id ? [record.id] : [])];
}

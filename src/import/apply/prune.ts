/**
 * Moves images whose files are gone from the folders of an import to the trash. They may come back later: nothing is
 * remembered.
 */
import { join } from 'node:path';
import type { KnownFile, SourceFileReader } from '../../catalogue/records.ts';
import type { CatalogueWriter } from '../../catalogue/writer.ts';
import { inBatches } from '../../lib/parallel.ts';
import { type FilePicture, hashesOf } from '../files.ts';
import { looksLike } from '../plan/version.ts';
import { Listings } from '../sources/listings.ts';
import type { FoundFile } from '../sources/source.ts';

/** Removed together. */
const BATCH_SIZE = 1000;

/** An image that would be removed. */
export interface GoneImage {
  id: string;
  /** Where its file was. */
  path: string;
}

export interface PruneCandidates {
  gone: GoneImage[];
  /** Folders of theirs that seem to have no pictures. */
  emptyFolders: string[];
  /** Files and folders that cannot be read: any of the images may be there. */
  unreadable: string[];
}

export interface PruneOptions {
  folders: { path: string; identity: string }[];
  openFiles: () => Promise<SourceFileReader>;
  /** Whether an import leaves a file alone, so that it counts as gone. The folder is named by its identity. */
  isIgnored: (folder: string, path: string) => Promise<boolean>;
  /** Returns the images to remove. */
  confirm: (candidates: PruneCandidates) => Promise<GoneImage[]>;
  onRemoved: (count: number) => void;
}

export class Prune {
  readonly #options: PruneOptions;
  /** Files that are gone or have other bytes by now, by image. */
  readonly #gone = new Map<string, KnownFile[]>();
  /** The hashes of all pictures that were read: a moved one has another path, but the same bytes. */
  readonly #hashes = new Set<string>();
  /** Files that look like another version of an image by now, with the hashes of their bytes. */
  readonly #continued = new Map<KnownFile, string[]>();
  readonly #emptyFolders: Set<string>;
  /** Files that were not imported. */
  #skipped: FoundFile[] = [];
  readonly #unreadable: string[] = [];
  #isSettling = false;
  #confirmed: string[] = [];

  constructor(options: PruneOptions) {
    this.#options = options;
    this.#emptyFolders = new Set(options.folders.map(({ identity }) => identity));
  }

  /** Before the folders are read, so that a file that is moved meanwhile is found at one of its places. */
  async findMissing(): Promise<void> {
    const { folders, openFiles, isIgnored } = this.#options;
    await using files = await openFiles();
    for (const { path, identity: folder } of folders) {
      const listings = new Listings(path);
      const isPresent = async (path: string) => {
        try {
          const listed = await listings.find(path);
          return listed !== undefined && !(await isIgnored(folder, listed));
        } catch {
          // Because of the permissions or a broken disk, nobody can tell.
          return true;
        }
      };
      for await (const file of files.all(folder))
        if (file.state !== 'replaced' && (await isPresent(file.path))) this.#emptyFolders.delete(folder);
        else this.#add(file);
    }
  }

  readonly noteRead = (file: FoundFile, picture: Pick<FilePicture, 'hashes' | 'perceptualHash'>): void => {
    const { folder, path, known, former } = file;
    const { hashes, perceptualHash } = picture;
    this.#emptyFolders.delete(folder);
    for (const hash of hashes) this.#hashes.add(hash);
    const continued = former.find((one) => one.state === 'first' && looksLike({ path, perceptualHash }, one));
    if (continued) this.#continued.set(continued, hashes);
    else if (known && !hashes.includes(known.eTag)) this.#add(known);
  };

  /** A picture that was published and is private by now counts as gone. */
  readonly noteHidden = ({ folder, known }: FoundFile): void => {
    this.#emptyFolders.delete(folder);
    if (known) this.#add(known);
  };

  readonly noteSkipped = (file: FoundFile): void => {
    if (file.readiness === 'settling') this.#isSettling = true;
    else this.#skipped.push(file);
  };

  /** Returns whether there are images to remove. */
  async confirm(): Promise<boolean> {
    // A picture that is being moved may be among the files that are still being written.
    if (this.#isSettling) return false;
    let gone = await this.#findUnprovided();
    if (gone.length > 0 && this.#skipped.length > 0) {
      await this.#readSkipped();
      gone = await this.#findUnprovided();
    }
    const origins = new Set(gone.flatMap(({ id }) => this.#gone.get(id) ?? []).map(({ folder }) => folder));
    const emptyFolders = [...this.#emptyFolders.intersection(origins)];
    const unreadable = this.#unreadable;
    this.#confirmed = (await this.#options.confirm({ gone, emptyFolders, unreadable })).map(({ id }) => id);
    return this.#confirmed.length > 0;
  }

  /** A picture that was moved next to a sidecar that cannot be read is not gone. */
  async #readSkipped(): Promise<void> {
    for (const { folder, path, isFolder } of this.#skipped) {
      const root = this.#options.folders.find(({ identity }) => identity === folder)?.path ?? folder;
      const hashes = isFolder ? undefined : await hashesOf(root, path);
      if (!hashes) this.#unreadable.push(join(folder, path));
      else if (hashes.length > 0) this.#emptyFolders.delete(folder);
      for (const hash of hashes ?? []) this.#hashes.add(hash);
    }
    this.#skipped = [];
  }

  /** After the records were saved. An image that got another file meanwhile stays. */
  async apply(writer: CatalogueWriter): Promise<void> {
    for (const ids of inBatches(this.#confirmed, BATCH_SIZE)) {
      await writer.sourceFiles.remove(ids.flatMap((id) => this.#gone.get(id) ?? []));
      const provided = await writer.sourceFiles.provided(ids);
      const removed = await writer.trashImages(ids.filter((id) => !provided.has(id)));
      this.#options.onRemoved(removed.length);
    }
  }

  /** Those that no file provides any more, in this or in another folder. */
  async #findUnprovided(): Promise<GoneImage[]> {
    await using files = await this.#options.openFiles();
    const unprovided: GoneImage[] = [];
    const known = await files.knownBytes([...this.#continued.values()].flat());
    const continued = new Set<string>();
    // Bytes of another image are no version of this one.
    for (const [file, hashes] of this.#continued)
      if (hashes.some((hash) => known.has(hash))) this.#add(file);
      else continued.add(file.image);
    for (const [id, gone] of this.#gone) {
      const [{ eTag, folder, path }] = gone as [KnownFile];
      if (this.#hashes.has(eTag) || continued.has(id)) continue;
      const places = new Set(gone.map(placeOf));
      const others = (await files.ofImages([id])).filter(
        (file) => file.state !== 'replaced' && !places.has(placeOf(file)),
      );
      if (others.length === 0) unprovided.push({ id, path: join(folder, path) });
    }
    return unprovided;
  }

  #add(file: KnownFile): void {
    const files = this.#gone.get(file.image) ?? [];
    if (!files.some((other) => placeOf(other) === placeOf(file))) files.push(file);
    this.#gone.set(file.image, files);
  }
}

const placeOf = ({ folder, path }: KnownFile) => `${folder}\0${path}`;

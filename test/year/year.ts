/** What an operator does to a folder and a catalogue, and to the model of both. Each action checks what the command says. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Rating } from '../../src/catalogue/types.ts';
import { sandbox } from '../support/catalogues/import.ts';
import type { Engine } from '../support/servers/engines.ts';
import { runCommand } from '../support/zukan/program.ts';
import { Folder } from './folder.ts';
import { type Field, fields, type ImageChange, type Kind, Model, type ModelImage } from './model.ts';
import { isLower } from './sidecars.ts';
import { loweredIn, readState } from './state.ts';

export interface ImportFlags {
  full: boolean;
  skipBad: boolean;
  prune: boolean;
  defaultRating: Rating;
  /** Runs a dry run first, which has to announce the same. */
  dryRunFirst: boolean;
}

export class Year {
  readonly model = new Model();
  readonly folder: Folder;
  readonly environment: Record<string, string>;
  readonly root: string;
  /** What was imported last from each path. */
  readonly #known = new Map<string, { picture: number; fingerprint: string }>();
  /** Pictures that had several files when the folder was imported last. */
  #copied = new Set<number>();
  /** Where each picture was imported from, ever. */
  readonly #places = new Map<number, Set<string>>();
  /** Pictures whose images an import may have removed. */
  readonly #mayBeGone = new Set<number>();
  /** How often each action had an effect. */
  readonly done = new Map<string, number>();

  constructor(engine: Engine) {
    const box = sandbox(engine);
    this.root = box.folder;
    this.environment = { ...box.environment, THUMBNAILS: 'off' };
    this.folder = new Folder(join(box.folder, 'pictures'));
  }

  async run(command: string[], input = ''): Promise<string> {
    const { status, output, errors } = await runCommand(command, this.environment, input);
    assert.equal(status, 0, `${command.join(' ')}: ${errors}`);
    return output;
  }

  /** A command that has to be refused. */
  async fail(command: string[], reason: RegExp): Promise<void> {
    const { status, errors } = await runCommand(command, this.environment);
    assert.equal(status, 1, command.join(' '));
    assert.match(errors, reason);
    this.count('refused');
  }

  count(action: string): void {
    this.done.set(action, (this.done.get(action) ?? 0) + 1);
  }

  async import(flags: ImportFlags): Promise<void> {
    const { full, skipBad, prune, defaultRating } = flags;
    const options = [
      ...(full ? ['--full'] : []),
      ...(skipBad ? ['--skip-bad'] : []),
      ...(prune ? ['--prune', '--yes'] : []),
      ...['--default-rating', defaultRating],
    ];
    const command = ['import', '--quiet', ...options, this.folder.root];
    const bad = this.folder.paths.filter((path) => this.folder.statementOf(path).isBad);
    if (bad.length > 0 && !skipBad) {
      const { status, errors } = await runCommand(command, this.environment);
      assert.equal(status, 1);
      for (const path of bad) assert.ok(errors.includes(`${path}: `), errors);
      return this.count('import stopped');
    }
    const announced = flags.dryRunFirst ? await this.run([...command, '--dry-run']) : undefined;
    const output = await this.run(command);
    if (announced !== undefined) {
      const summary = announced.replace(/^dry run, .*\n/m, '');
      assert.ok(summary.startsWith(output), `${announced}\nbecame\n${output}`);
    }
    for (const path of bad) assert.ok(output.includes(`${path}: `), output);
    const copied = this.#findCopied();
    const lowered = this.#importIntoModel(flags, copied);
    const isCopied = (line: string) => copied.has(this.folder.pictureAt(line.replace(/: \w+ → \w+$/, '')));
    const listed = loweredIn(output, this.folder.root);
    const exact = listed.filter((line) => !isCopied(line));
    assert.deepEqual(exact, lowered, output);
    await this.#adoptCopied(copied, listed.filter(isCopied));
    this.count(listed.length > 0 ? 'import that lowers' : 'import');
  }

  /** Pictures with several files, or that had several before. Which of them counts, the model leaves open. */
  #findCopied(): Set<number> {
    const numbers = this.folder.paths.map((path) => this.folder.pictureAt(path));
    const several = new Set(numbers.filter((number, index) => numbers.indexOf(number) !== index));
    const copied = new Set([...several, ...this.#copied]);
    this.#copied = several;
    return copied;
  }

  #importIntoModel({ full, prune, defaultRating }: ImportFlags, copied: Set<number>): string[] {
    const { model, folder } = this;
    const lowered: string[] = [];
    for (const path of folder.paths) {
      const states = folder.statementOf(path);
      if (states.isBad) continue;
      const picture = folder.pictureAt(path);
      if (copied.has(picture)) continue;
      const fingerprint = folder.fingerprint(path);
      const isKnown = this.#known.get(path)?.fingerprint === fingerprint && model.images.has(picture);
      if (isKnown && !full) continue;
      const before = model.importPicture(picture, states, defaultRating);
      if (before) lowered.push(`${path}: ${before} → ${model.images.get(picture)?.rating}`);
      if (!model.images.has(picture)) continue;
      this.#forget(picture);
      this.#known.set(path, { picture, fingerprint });
      this.#places.set(picture, new Set(this.#places.get(picture)).add(path));
    }
    if (!prune) return lowered;
    const present = new Set(folder.paths.map((path) => folder.pictureAt(path)));
    for (const [picture, { isFromFolder }] of model.images) {
      if (!isFromFolder || present.has(picture)) continue;
      const places = [...(this.#places.get(picture) ?? [])].filter((path) => folder.pictures.has(path));
      // A file that is skipped is not gone from where the image once came from.
      if (places.some((path) => folder.statementOf(path).isBad)) this.#mayBeGone.add(picture);
      else model.images.delete(picture);
      this.count('prune');
    }
    return lowered;
  }

  /** Checks what has to be true whichever file counts, and takes over the rest. */
  async #adoptCopied(copied: Set<number>, lowered: string[]): Promise<void> {
    const { model, folder } = this;
    const state = readState(await this.run(['export']));
    for (const picture of copied) {
      const paths = folder.paths.filter((path) => folder.pictureAt(path) === picture);
      const stated = paths.map((path) => folder.statementOf(path)).filter(({ isBad }) => !isBad);
      const actual = state.description.images.find((image) => image.picture === picture);
      const before = model.images.get(picture);
      if (stated.length === 0) continue;
      if (!before && model.removed.has(picture)) {
        assert.equal(actual, undefined, `picture ${picture} was taken down`);
        continue;
      }
      assert.ok(actual, `picture ${picture} has files`);
      if (!before?.edited.has('rating'))
        for (const { rating } of stated)
          assert.ok(
            !rating || !isLower(actual.rating, rating),
            `picture ${picture}: ${JSON.stringify([actual, stated])}`,
          );
      if (before && isLower(actual.rating, before.rating))
        assert.ok(
          paths.some((path) => lowered.includes(`${path}: ${before.rating} → ${actual.rating}`)),
          `picture ${picture}: ${before.rating} → ${actual.rating} is not in ${lowered}`,
        );
      // As if a file said what the image has. Fields that were edited stay in the model, too.
      model.importPicture(picture, actual, actual.rating);
      this.#forget(picture);
      for (const path of paths) {
        this.#known.set(path, { picture, fingerprint: folder.fingerprint(path) });
        this.#places.set(picture, new Set(this.#places.get(picture)).add(path));
      }
      this.count('copies');
    }
  }

  /** A record of a catalogue file replaces all fields, and decides those that it has. */
  async importRecord(path: string, record: { nsfw: Rating; artist?: string; categories?: string[] }) {
    const { model } = this;
    const picture = this.folder.pictureAt(path);
    const file = join(this.root, 'catalogue.ndjson');
    writeFileSync(file, JSON.stringify({ type: 'image', file: `pictures/${path}`, ...record }));
    const output = await this.run(['import', '--quiet', file]);
    if (!model.images.has(picture) && model.removed.has(picture)) return this.count('record skipped');
    const former = model.images.get(picture);
    const isLowered = former !== undefined && isLower(record.nsfw, former.rating);
    assert.equal(loweredIn(output, this.folder.root).length, isLowered ? 1 : 0, output);
    const image = Object.assign(model.add(picture, record.nsfw), {
      ...{ id: former?.id, isFromFolder: former?.isFromFolder ?? false },
    });
    const { artist, categories } = record;
    if (artist !== undefined) image.artist = model.findOrCreate('artist', artist);
    image.categories = new Set(categories?.map((name) => model.findOrCreate('category', name)));
    image.edited = new Set<Field>(['rating', ...(artist ? ['artist' as const] : [])]);
    if (categories) image.edited.add('categories');
    this.count('record');
  }

  async edit(image: ModelImage, change: ImageChange): Promise<void> {
    const { model } = this;
    const { rating, artist, addCategory, removeCategory, sourceName } = change;
    const options = Object.entries({
      ...{ '--rating': rating, '--artist': artist, '--add-category': addCategory },
      ...{ '--remove-category': removeCategory, '--source-name': sourceName },
    }).flatMap(([option, value]) => (value === undefined ? [] : [option, value]));
    const command = ['edit', image.id as string, '--create', ...options];
    const isRefused = (kind: Kind, name = '') => !model.find(kind, name) && model.isBlocked(kind, name);
    if (isRefused('artist', artist) || isRefused('category', addCategory))
      return this.fail(command, /is blocked; .* lifts the block/);
    await this.run(command);
    model.edit(image, change);
    this.count('edit');
  }

  async reset(image: ModelImage, field: Field | 'all'): Promise<void> {
    await this.run(['edit', image.id as string, '--reset', field]);
    for (const one of field === 'all' ? fields : [field]) image.edited.delete(one);
    for (const [picture, one] of this.model.images) if (one === image) this.#forget(picture);
    this.count('reset');
  }

  /** The next import reads its file again. */
  #forget(picture: number): void {
    for (const [path, known] of this.#known) if (known.picture === picture) this.#known.delete(path);
  }

  async takeDown(picture: number, image: ModelImage, isRemembered: boolean): Promise<void> {
    await this.run(['remove', image.id as string, ...(isRemembered ? [] : ['--allow-again'])]);
    this.model.images.delete(picture);
    this.#forget(picture);
    if (isRemembered) this.model.removed.set(picture, image.id as string);
    this.count(isRemembered ? 'take down' : 'remove');
  }

  async allowAgain(picture: number, id: string): Promise<void> {
    await this.run(['remove', '--allow-again', id]);
    this.model.removed.delete(picture);
    this.count('allow again');
  }

  /** The catalogue is as the model says, and existing images kept their ids. */
  async compare(): Promise<void> {
    const state = readState(await this.run(['export']));
    for (const picture of this.#mayBeGone) if (!state.ids.has(picture)) this.model.images.delete(picture);
    this.#mayBeGone.clear();
    for (const [picture, image] of this.model.images) {
      const id = state.ids.get(picture);
      image.id ??= id;
      assert.equal(id, image.id, `the image of picture ${picture}`);
    }
    assert.deepEqual(state.description, this.model.describe());
  }
}

/** What an operator does to a folder and a catalogue, and to the model of both. Each action checks what the command says. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Rating } from '../../src/catalogue/schemas.ts';
import { sandbox } from '../support/catalogues/import.ts';
import { filesIn } from '../support/checks/dump.ts';
import type { Engine } from '../support/servers/engines.ts';
import { runCommand } from '../support/zukan/program.ts';
import { configFor, filesFolder } from '../support/zukan/service.ts';
import { Folder } from './folder.ts';
import { Imports, type ModelFlags } from './imports.ts';
import { interruptAt } from './interrupting.ts';
import { type Field, fields, type ImageChange, type Kind, Model, type ModelImage } from './model.ts';
import { isLower } from './sidecars.ts';
import { loweredIn, pictureByHash, readState } from './state.ts';

export interface ImportFlags extends ModelFlags {
  strict: boolean;
  prune: boolean;
  /** Runs a dry run first, which has to announce the same. */
  dryRunFirst: boolean;
}

export class Year {
  readonly model = new Model();
  readonly folder: Folder;
  readonly environment: Record<string, string>;
  readonly root: string;
  readonly imports: Imports;
  /** How often each action had an effect. */
  readonly done = new Map<string, number>();

  constructor(engine: Engine) {
    const box = sandbox(engine);
    this.root = box.folder;
    this.environment = { ...box.environment, THUMBNAILS: 'off' };
    this.folder = new Folder(join(box.folder, 'pictures'));
    this.imports = new Imports(this.model, this.folder, (action) => this.count(action));
  }

  async run(command: string[], input = '', expected = 0): Promise<string> {
    const { status, output, errors } = await runCommand(command, this.environment, input);
    assert.equal(status, expected, `${command.join(' ')}: ${errors}`);
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
    const { full, strict, prune, defaultRating } = flags;
    const options = [
      ...(full ? ['--full'] : []),
      ...(strict ? ['--strict'] : []),
      ...(prune ? ['--prune', '--yes'] : []),
      ...['--default-rating', defaultRating],
    ];
    const command = ['import', '--quiet', ...options, this.folder.root];
    const bad = this.folder.paths.filter((path) => this.folder.statementOf(path).isBad);
    const hasBad = bad.length > 0 ? 1 : 0;
    if (bad.length > 0 && strict) {
      const { status, errors } = await runCommand(command, this.environment);
      assert.equal(status, 1);
      for (const path of bad) assert.ok(errors.includes(`${path}: `), errors);
      return this.count('import stopped');
    }
    const announced = flags.dryRunFirst ? await this.run([...command, '--dry-run'], '', hasBad) : undefined;
    const output = await this.run(command, '', hasBad);
    if (announced !== undefined) {
      // A dry run does not continue an import that was stopped, and says how to make fewer categories.
      const withoutUnread = (text: string) =>
        text.replace(/^not read again, .*\n/m, '').replace(/^(created) \(for fewer .*\):$/m, '$1:');
      const summary = withoutUnread(
        announced.replaceAll(/^(?:(?:added|updated|unchanged) {2}|dry run,).*\n/gm, ''),
      );
      assert.ok(summary.startsWith(withoutUnread(output)), `${announced}\nbecame\n${output}`);
    }
    for (const path of bad) assert.ok(output.includes(`${path}: `), output);
    await this.checkImport(flags, output, () => true);
    if (prune) this.imports.prune();
  }

  /** An import that is interrupted changes nothing. What it has read, the next one need not read again. */
  async interruptImport(opening: number, flags: ModelFlags, options: string[]): Promise<void> {
    if (this.folder.paths.some((path) => this.folder.statementOf(path).isBad)) return;
    const { full, defaultRating } = flags;
    const command = ['import', '--quiet', ...options, '--default-rating', defaultRating, this.folder.root];
    if (full) command.push('--full');
    const { status, output, errors } = await interruptAt(opening, () =>
      runCommand(command, this.environment),
    );
    if (status === 0) return this.checkImport(flags, output, () => true);
    assert.match(errors, /interrupted/);
    this.count('import interrupted');
  }

  async emptyTrash(): Promise<void> {
    await this.run(['trash', '--empty', '--yes']);
    this.imports.forgetTrash();
    this.count('empty the trash');
  }

  /** The pictures whose bytes are in the storage. */
  stored(): (number | undefined)[] {
    const files = filesIn(filesFolder(configFor(this.root, this.environment)));
    return files.map((line) => pictureByHash.get(line.slice(3, 67)));
  }

  /** Imports into the model what a command has imported: the files that it looked at. */
  async checkImport(flags: ModelFlags, output: string, isSeen: (path: string) => boolean): Promise<void> {
    const { imports, folder } = this;
    const copied = imports.findUncertain();
    const lowered = imports.importIntoModel(flags, copied, isSeen);
    const isCopied = (line: string) => copied.has(folder.pictureAt(line.replace(/: \w+ → \w+$/, '')));
    const listed = loweredIn(output, folder.root);
    const exact = listed.filter((line) => !isCopied(line));
    assert.deepEqual(exact, lowered, output);
    if (copied.size > 0) {
      const state = readState(await this.run(['export']));
      imports.adoptCopied(copied, state, listed.filter(isCopied), isSeen);
    }
    this.count(listed.length > 0 ? 'import that lowers' : 'import');
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
      id: former?.id,
      isFromFolder: former?.isFromFolder ?? false,
      title: former?.title ?? '',
      fileName: former?.fileName ?? '',
    });
    const isTitled = former?.edited.has('title') ?? false;
    const { artist, categories } = record;
    if (artist !== undefined) image.artist = model.findOrCreate('artist', artist);
    image.categories = new Set(categories?.map((name) => model.findOrCreate('category', name)));
    image.edited = new Set<Field>(['rating', ...(artist ? ['artist' as const] : [])]);
    if (categories) image.edited.add('categories');
    // Of the fields that a record leaves out, these stay.
    if (isTitled) image.edited.add('title');
    model.renameFile(image, image.fileName || basename(path));
    if (former) model.images.set(picture, Object.assign(former, image));
    this.count('record');
  }

  async edit(image: ModelImage, change: ImageChange): Promise<void> {
    const { model } = this;
    const { rating, artist, addCategory, removeCategory, sourceName, title } = change;
    const options = Object.entries({
      '--rating': rating,
      '--artist': artist,
      '--add-category': addCategory,
      '--remove-category': removeCategory,
      '--source-name': sourceName,
      '--title': title,
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
    if (field === 'all' || field === 'rating') image.edited.delete('file-changed');
    for (const [picture, one] of this.model.images) if (one === image) this.imports.forget(picture);
    this.count('reset');
  }

  async takeDown(picture: number, image: ModelImage, isRemembered: boolean): Promise<void> {
    await this.run(['remove', '--yes', image.id as string, ...(isRemembered ? [] : ['--allow-again'])]);
    this.model.images.delete(picture);
    this.imports.forget(picture);
    for (const [one, id] of [
      ...this.imports.takeDown(picture, image),
      [picture, image.id as string] as const,
    ])
      if (isRemembered) this.model.removed.set(one, id);
      else this.model.removed.delete(one);
    assert.ok(!this.stored().includes(picture), `the bytes of picture ${picture} stay`);
    this.count(isRemembered ? 'take down' : 'remove');
  }

  async allowAgain(id: string): Promise<void> {
    await this.run(['remove', '--allow-again', id]);
    for (const [one, removed] of this.model.removed) if (removed === id) this.model.removed.delete(one);
    this.count('allow again');
  }

  /** The catalogue is as the model says, and existing images kept their ids. */
  async compare(): Promise<void> {
    const state = readState(await this.run(['export']));
    this.imports.forgetGone((picture) => state.ids.has(picture));
    for (const [picture, image] of this.model.images) {
      const id = state.ids.get(picture);
      image.id ??= id;
      assert.equal(id, image.id, `the image of picture ${picture}`);
    }
    assert.deepEqual(state.description, this.model.describe());
  }
}

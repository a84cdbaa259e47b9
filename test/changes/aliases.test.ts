/** Renaming, merging and removing entries, compared with a simple model: names always lead to the right entry. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkCatalogue } from '../../src/catalogue/documents/check.ts';
import { readDocument } from '../../src/catalogue/documents/document.ts';
import { nameKey } from '../../src/catalogue/records.ts';
import type { Kind } from '../../src/catalogue/schemas.ts';
import type { CatalogueSnapshot, CatalogueWriter, SavedEntry } from '../../src/catalogue/writer.ts';
import { editEntry, mergeEntries, removeEntry } from '../../src/changes/entries.ts';
import { editImages, NO_EDIT } from '../../src/changes/images.ts';
import { createEntry, findEntry, matchEntries } from '../../src/changes/references.ts';
import { undoChange } from '../../src/changes/undo.ts';
import type { EntryLine } from '../../src/import/records/record.ts';
import { openSnapshot, openStore, openWriter } from '../../src/server/engines.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { keyed, sandbox } from '../support/catalogues/import.ts';
import { atDepth } from '../support/depth.ts';
import { forEachEngineInDepth, sqlite } from '../support/servers/engines.ts';
import { caller } from '../support/zukan/caller.ts';
import { runCommand } from '../support/zukan/program.ts';

type ListKind = 'category' | 'character';

interface ModelEntry {
  id: string;
  name: string;
  aliases: string[];
}

/**
 * One kind of entries. An alias leads to one entry at most; a name or an id wins over an alias. The id of an entry that was
 * merged is an alias.
 */
class Model {
  readonly kind: ListKind;
  entries: ModelEntry[] = [];
  /** Every entry that ever was has another one. */
  created = 0;
  images = new Map<string, Set<object>>();

  constructor(kind: ListKind) {
    this.kind = kind;
  }

  is = (a: string, b: string) => nameKey(this.kind, a) === nameKey(this.kind, b);

  find(name: string) {
    return (
      this.entries.find((entry) => entry.id === name || this.is(entry.name, name)) ??
      this.entries.find(({ aliases }) => aliases.some((alias) => this.is(alias, name)))
    );
  }

  giveNames(entry: ModelEntry, names: string[]): void {
    for (const name of names) {
      for (const other of this.entries)
        other.aliases = other.aliases.filter((alias) => !this.is(alias, name));
      if (!this.is(entry.name, name)) entry.aliases.push(name);
    }
  }

  describe(): string {
    const images = [...this.images.values()].map((set) =>
      [...set].map((entry) => (entry as ModelEntry).id).sort(),
    );
    return JSON.stringify([this.entries, images]);
  }

  clone(): Model {
    const copy = new Model(this.kind);
    const copies = new Map(this.entries.map((entry) => [entry as object, structuredClone(entry)]));
    copy.entries = [...copies.values()];
    copy.created = this.created;
    for (const [image, set] of this.images)
      copy.images.set(image, new Set([...set].map((entry) => copies.get(entry) as object)));
    return copy;
  }

  /** Whether it is possible. */
  apply(step: Step): boolean {
    const entry = this.find(step.name);
    const other = this.find(step.other);
    switch (step.action) {
      case 'create':
        if (entry) return false;
        this.entries.push({ id: idOf(++this.created), name: step.name, aliases: [] });
        return true;
      case 'rename': {
        const taken = this.entries.find(({ name }) => this.is(name, step.other));
        if (!entry || (taken && taken !== entry)) return false;
        const former = entry.name;
        entry.name = step.other;
        entry.aliases = entry.aliases.filter((alias) => !this.is(alias, step.other));
        this.giveNames(entry, [former]);
        return true;
      }
      case 'merge':
        if (!entry || !other || entry === other) return false;
        this.entries = this.entries.filter((one) => one !== entry);
        this.giveNames(other, [...entry.aliases, entry.name, entry.id]);
        for (const set of this.images.values()) if (set.delete(entry)) set.add(other);
        return true;
      case 'remove':
        if (!entry) return false;
        this.entries = this.entries.filter((one) => one !== entry);
        for (const set of this.images.values()) set.delete(entry);
        return true;
      case 'remove alias':
        if (!entry?.aliases.some((alias) => this.is(alias, step.other))) return false;
        entry.aliases = entry.aliases.filter((alias) => !this.is(alias, step.other));
        return true;
      case 'tag':
        if (entry) this.images.get(uuid(4, step.image))?.add(entry);
        return entry !== undefined;
    }
  }
}

const actions = [
  'create',
  'create',
  'rename',
  'rename',
  'merge',
  'remove',
  'remove alias',
  'tag',
  'tag',
] as const;
interface Step {
  action: (typeof actions)[number];
  name: string;
  other: string;
  image: number;
}

const name = fc.constantFrom('a', 'A', 'b', 'c', 'd', 'D');
const step: fc.Arbitrary<Step> = fc.record({
  action: fc.constantFrom(...actions),
  name,
  other: name,
  image: fc.integer({ min: 1, max: 3 }),
});

const window = { offset: 0, limit: 25 };
const idOf = (entry: number) => uuid(9, entry);
const now = '2026-01-01T00:00:00.000Z';

async function apply(writer: CatalogueWriter, { kind, created }: Model, step: Step): Promise<void> {
  const defaults = { now, newId: () => idOf(created) };
  const find = (name: string) => findEntry(writer, kind, name);
  const noAliases = { addAliases: [], removeAliases: [] };
  const edit = { ...NO_EDIT };
  switch (step.action) {
    case 'create':
      await createEntry(writer, { type: kind, name: step.name } as EntryLine, defaults);
      return;
    case 'rename':
      await editEntry(writer, await find(step.name), { ...noAliases, fields: { name: step.other } });
      return;
    case 'merge':
      await mergeEntries(writer, await find(step.name), await find(step.other));
      return;
    case 'remove':
      await removeEntry(writer, await find(step.name), { block: false, now });
      return;
    case 'remove alias': {
      const entry = await find(step.name);
      // Naming it as an alias has no effect on a name.
      assert.ok(entry.aliases.some((alias) => nameKey(kind, alias) === nameKey(kind, step.other)));
      await editEntry(writer, entry, { fields: {}, addAliases: [], removeAliases: [step.other] });
      return;
    }
    case 'tag':
      await editImages(
        writer,
        [uuid(4, step.image)],
        {
          ...edit,
          addCategories: kind === 'category' ? [step.name] : [],
          addCharacters: kind === 'character' ? [step.name] : [],
        },
        defaults,
      );
  }
}

await forEachEngineInDepth((engine) => {
  test('names lead to the entry that the model has, in every order of changes', async () => {
    let possible = 0;
    const property = fc.asyncProperty(
      fc.constantFrom<ListKind>('category', 'character'),
      fc.array(step, { minLength: 20, maxLength: 40 }),
      async (kind, steps) => {
        const box = sandbox(engine);
        const model = new Model(kind);
        await box.import([1, 2, 3].map((index) => keyed(index, { id: uuid(4, index) })));
        for (const index of [1, 2, 3]) model.images.set(uuid(4, index), new Set());
        // Two transactions: what one leaves has to serve the next.
        for (const part of [steps.slice(0, 20), steps.slice(20)]) {
          await using writer = await openWriter(box.config);
          for (const step of part) {
            const isPossible = model.apply(step);
            if (isPossible) await apply(writer, model, step);
            else await assert.rejects(apply(writer, model, step));
            possible += isPossible ? 1 : 0;
          }
          await writer.commit();
        }
        await compare(box, model);
      },
    );
    const numRuns = atDepth(engine === sqlite ? 3 : 1, 40);
    await fc.assert(property, { numRuns, seed: 7, endOnFailure: true });
    assert.ok(possible > 5, `${possible} steps were possible`);
  });

  /** Every name and id that ever was, in commands, filters, searches and addresses. */
  async function compareReferences(
    box: ReturnType<typeof sandbox>,
    snapshot: CatalogueSnapshot,
    model: Model,
  ): Promise<void> {
    await using store = await openStore(box.config);
    const { catalogue } = store;
    for (let entry = 1; entry <= model.created; entry++) {
      const expected = model.find(idOf(entry))?.id;
      assert.equal((await matchEntries(snapshot, model.kind, idOf(entry).toUpperCase()))[0]?.id, expected);
      assert.equal((await catalogue.one(model.kind, idOf(entry)))?.id, expected);
      if (model.kind === 'character')
        assert.equal(
          (await catalogue.checkFilter({ character: [idOf(entry)] })) === undefined,
          expected !== undefined,
        );
      assert.equal((await catalogue.search(model.kind, idOf(entry), window, caller)).total, 0);
    }
    for (const name of ['a', 'A', 'b', 'c', 'd', 'D']) {
      const [found] = await matchEntries(snapshot, model.kind, name);
      assert.equal(found?.id, model.find(name)?.id);
      const { items } = await catalogue.search(model.kind, name, window, caller);
      const key = name.toLowerCase();
      const called = model.entries.filter((entry) =>
        [entry.name, ...entry.aliases].some((one) => one.toLowerCase() === key),
      );
      assert.deepEqual(items.map(({ id }) => id).sort(), called.map(({ id }) => id).sort());
      if (model.kind !== 'category') continue;
      const problem = await catalogue.checkFilter({ categories: [name], exclude: [name] });
      assert.equal(problem === undefined, found !== undefined);
      if (problem) continue;
      const images = await catalogue.latestImages({ categories: [name] }, undefined, 25, caller);
      const tagged = [...model.images.values()].filter((set) => set.has(model.find(name) as object));
      assert.equal('images' in images && images.images.length, tagged.length);
    }
  }

  test('names and ids lead to the right entry when changes are undone', async () => {
    const property = fc.asyncProperty(
      fc.constantFrom<ListKind>('category', 'character'),
      fc.array(fc.oneof({ weight: 3, arbitrary: step }, fc.constant('undo' as const)), {
        minLength: 12,
        maxLength: 16,
      }),
      async (kind, steps) => {
        const box = sandbox(engine);
        await box.import([keyed(1, { id: uuid(4, 1) })]);
        let model = new Model(kind);
        model.images.set(uuid(4, 1), new Set());
        const before: { model: Model; change: number }[] = [];
        for (const step of [...steps, 'undo', 'undo'] as const) {
          if (step === 'undo') {
            const last = before.pop();
            if (!last) continue;
            const openOnce = () => openWriter(box.config);
            const options = { openWriter: openOnce, isDryRun: false, isStrict: true };
            await undoChange(last.change, options);
            // An id is never used again.
            model = Object.assign(last.model, { created: model.created });
          } else {
            const former = model.clone();
            if (!model.apply({ ...step, image: 1 })) continue;
            await using writer = await openWriter(box.config);
            await apply(writer, model, { ...step, image: 1 });
            const change = writer.changeLog.number;
            await writer.commit();
            // What changes nothing is no change.
            if (model.describe() !== former.describe()) before.push({ model: former, change });
          }
        }
        await compare(box, model);
      },
    );
    await fc.assert(property, {
      numRuns: atDepth(engine === sqlite ? 2 : 1, 40),
      seed: 11,
      endOnFailure: true,
    });
  });

  async function compare(box: ReturnType<typeof sandbox>, model: Model): Promise<void> {
    await using snapshot = await openSnapshot(box.config);
    const entries: SavedEntry[] = await Array.fromAsync(snapshot.entries(model.kind as Kind));
    const summary = (list: { name: string; aliases: string[] }[]) =>
      list.map(({ name, aliases }) => [name, ...aliases.toSorted()].join()).sort();
    assert.deepEqual(summary(entries), summary(model.entries));
    await compareReferences(box, snapshot, model);
    for await (const row of snapshot.images()) {
      const image = readDocument(row.document);
      const names = (model.kind === 'category' ? image.categories : image.characters).map(({ name }) => name);
      const expected = [...(model.images.get(row.id) ?? [])].map((entry) => (entry as { name: string }).name);
      // Ignoring case first. Letters of one case sort as their code points do.
      const order = (name: string) => name.toLowerCase() + name;
      assert.deepEqual(
        names,
        expected.sort((a, b) => (order(a) < order(b) ? -1 : 1)),
      );
    }
    assert.deepEqual(await Array.fromAsync(checkCatalogue(snapshot)), []);
    const exported = (await runCommand(['export'], box.environment)).output;
    const copy = sandbox();
    await runCommand(['import', '-'], copy.environment, exported);
    assert.equal((await runCommand(['export'], copy.environment)).output, exported);
  }
});

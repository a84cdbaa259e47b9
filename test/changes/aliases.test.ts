/** Renaming, merging and removing entries, compared with a simple model: names always lead to the right entry. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkCatalogue } from '../../src/catalogue/documents/check.ts';
import { readDocument } from '../../src/catalogue/documents/document.ts';
import type { Kind } from '../../src/catalogue/types.ts';
import { editEntry, mergeEntries, removeEntry } from '../../src/changes/entries.ts';
import { editImages } from '../../src/changes/images.ts';
import { createEntry, findEntry, matchEntries } from '../../src/changes/references.ts';
import type { EntryLine } from '../../src/import/sources/record.ts';
import { newId } from '../../src/lib/random.ts';
import { openSnapshot, openWriter } from '../../src/server/engines.ts';
import { nameKey } from '../../src/store/contract/decisions.ts';
import type { CatalogueWriter, SavedEntry } from '../../src/store/contract/writer.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { keyed, sandbox } from '../support/catalogues/import.ts';
import { atDepth } from '../support/depth.ts';
import { forEachEngineInDepth, sqlite } from '../support/servers/engines.ts';
import { runCommand } from '../support/zukan/program.ts';

type ListKind = 'category' | 'character';

/** One kind of entries. An alias leads to one entry at most; a name wins over an alias. */
class Model {
  readonly kind: ListKind;
  entries: { name: string; aliases: string[] }[] = [];
  images = new Map<string, Set<object>>();

  constructor(kind: ListKind) {
    this.kind = kind;
  }

  is = (a: string, b: string) => nameKey(this.kind, a) === nameKey(this.kind, b);

  find(name: string) {
    return (
      this.entries.find((entry) => this.is(entry.name, name)) ??
      this.entries.find(({ aliases }) => aliases.some((alias) => this.is(alias, name)))
    );
  }

  giveNames(entry: { name: string; aliases: string[] }, names: string[]): void {
    for (const name of names) {
      for (const other of this.entries)
        other.aliases = other.aliases.filter((alias) => !this.is(alias, name));
      if (!this.is(entry.name, name)) entry.aliases.push(name);
    }
  }

  /** Whether it is possible. */
  apply(step: Step): boolean {
    const entry = this.find(step.name);
    const other = this.find(step.other);
    switch (step.action) {
      case 'create':
        if (entry) return false;
        this.entries.push({ name: step.name, aliases: [] });
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
        this.giveNames(other, [...entry.aliases, entry.name]);
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

const defaults = { now: '2026-01-01T00:00:00.000Z', newId: () => newId() };

async function apply(writer: CatalogueWriter, kind: ListKind, step: Step): Promise<void> {
  const find = (name: string) => findEntry(writer, kind, name);
  const noAliases = { addAliases: [], removeAliases: [] };
  const edit = { removeCategories: [], removeCharacters: [], reset: [], create: false };
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
      await removeEntry(writer, await find(step.name), { block: false, now: defaults.now });
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
            if (isPossible) await apply(writer, kind, step);
            else await assert.rejects(apply(writer, kind, step));
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

  async function compare(box: ReturnType<typeof sandbox>, model: Model): Promise<void> {
    await using snapshot = await openSnapshot(box.config);
    const entries: SavedEntry[] = await Array.fromAsync(snapshot.entries(model.kind as Kind));
    const summary = (list: { name: string; aliases: string[] }[]) =>
      list.map(({ name, aliases }) => [name, ...aliases.toSorted()].join()).sort();
    assert.deepEqual(summary(entries), summary(model.entries));
    for (const name of ['a', 'A', 'b', 'c', 'd', 'D']) {
      const [found] = await matchEntries(snapshot, model.kind, name);
      assert.equal(found?.name, model.find(name)?.name);
    }
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

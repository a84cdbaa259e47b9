/** The queue between the two phases of an import. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { after, test } from 'node:test';
import { Spool } from '../../src/import/prepare/prepared-pictures.ts';
import { temporaryFolder } from '../support/workspace.ts';

const { TMPDIR } = process.env;
process.env.TMPDIR = temporaryFolder();
after(() => {
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
});

for (const [where, count] of [
  ['memory', 10],
  ['a temporary file', 3000],
] as const) {
  test(`returns what was added, in order, from ${where}`, async () => {
    await using spool = new Spool<{ index: number; text: string }>();
    assert.ok(spool.isEmpty);
    // Characters that some readers take for the end of a line.
    const text = `\n\r\u2028\u0085"${'x'.repeat(4000)}`;
    await spool.add(Array.from({ length: count }, (_, index) => ({ index, text })));
    assert.ok(!spool.isEmpty);
    assert.deepEqual(readdirSync(tmpdir()), [], 'a killed process would leave nothing');
    for (let round = 0; round < 2; round++) {
      const items = (await Array.fromAsync(spool.items())).flat();
      assert.deepEqual(
        items.map(({ item }) => item.index),
        Array.from({ length: count }, (_, index) => index),
      );
      assert.ok(items.every(({ item, size }) => item.text === text && size > 4000));
    }
  });
}

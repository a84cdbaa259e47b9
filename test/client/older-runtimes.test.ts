/** The client where newer globals are missing, one by one and all at once: no filter is lost, and calls end as elsewhere. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { atDepth } from '../support/depth.ts';
import { newerGlobals, removalOf } from '../support/newer-globals.ts';

const script = join(import.meta.dirname, 'older-runtime.ts');
const missing = [
  ...newerGlobals,
  ...['AbortSignal.prototype.reason', 'Array.prototype.at', 'globalThis.performance', 'globalThis.crypto'],
];
const removals: Record<string, string> = { nothing: '', 'all of them': removalOf(missing) };
for (const name of atDepth(missing.slice(0, 1), missing)) removals[name] = removalOf([name]);
// That of React Native knows only objects.
removals['URLSearchParams of pairs'] = `globalThis.URLSearchParams = class extends URLSearchParams {
  constructor(pairs) { super(Object.entries(pairs).map(([name, value]) => [name, String(value)])) }
}`;

/** What the calls of the script returned and requested. */
async function callWithout(removal: string) {
  const { stdout } = await promisify(execFile)(process.execPath, [script, removal]);
  return JSON.parse(stdout);
}

test('a runtime without newer globals sends the same requests, and calls end in the same way', async () => {
  const id = '00000000-0000-4000-8000-000000000001';
  const address = 'https://example.org/api';
  const unknown = /^TypeError: Unknown option "category"\. Did you mean "categories"\?/;
  for (const [name, removal] of Object.entries(removals)) {
    const { ends, requested } = await callWithout(removal);
    assert.deepEqual(
      requested,
      [
        `${address}/image/random?nsfw=sfw&exclude=a & b,#c&minWidth=1`,
        `${address}/image/random?nsfw=sfw&seed=some&limit=25`,
        `${address}/artist/${id}`,
      ],
      name,
    );
    const aborted = /reason|all/.test(name) ? 'AbortError: The call was aborted.' : 'enough';
    assert.match(ends.splice(5, 1)[0], unknown, name);
    assert.deepEqual(
      ends,
      [[], { done: true }, {}, aborted, aborted, `${address}/image/random/file?nsfw=sfw`],
      name,
    );
  }
});

/** A server that cannot limit pipelining, because Node has changed, says so when it starts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPipeliningLimited } from '../../src/http/pipeline.ts';
import { until } from '../support/until.ts';
import { newFolder } from '../support/workspace.ts';
import { serve } from '../support/zukan/program.ts';

test('this Node lets us limit pipelining', async () => {
  assert.equal(await isPipeliningLimited(), true);
});

/** As if Node kept its parser to itself. */
const hideParser = `import { Duplex } from 'node:stream';
  Object.defineProperty(Duplex.prototype, 'parser', { get() {}, set() {} });`;

test('a server warns on a Node that does not', async () => {
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(hideParser)}`;
  await using server = await serve({ DATA_DIR: newFolder('zukan-'), NODE_OPTIONS });
  await until('it warns', () => server.output().includes('does not let zukan limit pipelined requests'));
});

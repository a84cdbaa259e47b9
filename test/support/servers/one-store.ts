/** Tests of what does not depend on the store. */
import { test } from 'node:test';
import { atDepth } from '../depth.ts';
import { type Engine, sqlite } from './engines.ts';

/** Declares a test on SQLite, and in `npm run test:all` on the other stores too. */
export function testOnOneStore(engine: Engine): (name: string, body: () => Promise<void>) => void {
  return engine === sqlite || atDepth(false, true) ? (name, body) => void test(name, body) : () => {};
}

/** A caller that never disconnects, for tests that use a catalogue directly. */
import type { Caller } from '../../../src/catalogue/catalogue.ts';

export const caller: Caller = { client: 'client', signal: new AbortController().signal };

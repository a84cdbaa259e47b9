/** A clock that is ahead of the files that a test writes: an import reads a file again that was written a moment ago. */
import { after, mock } from 'node:test';

/** Until the tests of the file have run. */
export function setClockAhead(now = Date.now() + 60_000): void {
  mock.timers.enable({ apis: ['Date'], now });
  after(() => mock.timers.reset());
}

/** Waiting for a condition instead of for a time. */
import { setTimeout } from 'node:timers/promises';

/** Only ends a test that would hang. */
const DEADLINE_MS = 60_000;
/** Looking takes processor time, often on both sides of a connection. So it gets rarer the longer it takes. */
const [FIRST_PAUSE_MS, MAX_PAUSE_MS] = [5, 80];

export async function until(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  for (let pause = FIRST_PAUSE_MS; !(await isTrue()); pause = Math.min(MAX_PAUSE_MS, pause * 1.3)) {
    if (performance.now() > deadline) throw new Error(`Timed out waiting until ${what}`);
    await setTimeout(pause);
  }
}

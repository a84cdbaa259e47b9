/** Waiting for a condition instead of for a time. */
import { setTimeout } from 'node:timers/promises';

/** Only ends a test that would hang. */
const DEADLINE_MS = 60_000;

export async function until(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`Timed out waiting until ${what}`);
    await setTimeout(10);
  }
}

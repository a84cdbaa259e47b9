/** Waits for a condition. The deadline only ends a test that hangs; no test depends on how long something takes. */
import { setTimeout } from 'node:timers/promises';

const DEADLINE_MS = 60_000;
const RETRY_MS = 5;

export async function waitFor(
  isTrue: () => boolean | Promise<boolean>,
  what = 'the condition',
): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`waited ${DEADLINE_MS} ms for ${what}`);
    await setTimeout(RETRY_MS);
  }
}

/** What the process really holds. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes on the heap after a collection. */
export function heldMemory(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

/** Measures the memory in use. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes on the heap after a garbage collection. */
export function heldMemory(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** Starts the program that makes a thumbnail. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { getCompileCacheDir } from 'node:module';
import { extname } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** The same file is JavaScript in the package. */
const program = fileURLToPath(new URL(`./make-thumbnail${extname(import.meta.url)}`, import.meta.url));

/** Others wait meanwhile, so a decoder that hangs is ended. */
const TIMEOUT_MS = 60_000;

/** Undefined if the picture cannot be used, takes too much memory, or has no thumbnail of this size. */
export async function makeInProcess(original: Buffer, size: number): Promise<Buffer | undefined> {
  const child = spawn(process.execPath, [program, String(size)], {
    stdio: ['pipe', 'pipe', 'ignore'],
    ...{ timeout: TIMEOUT_MS, killSignal: 'SIGKILL' },
    env: { ...process.env, NODE_COMPILE_CACHE: getCompileCacheDir() ?? '' },
  });
  const ended = once(child, 'close');
  // The program may end without reading everything.
  child.stdin.on('error', () => {});
  child.stdin.end(original);
  const [bytes, [status]] = await Promise.all([buffer(child.stdout), ended]);
  return status === 0 && bytes.length > 0 ? bytes : undefined;
}

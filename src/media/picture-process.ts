/** Starts the program that decodes a picture. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { getCompileCacheDir } from 'node:module';
import { extname } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { deserialize } from 'node:v8';

/** The same file is JavaScript in the package. */
const program = fileURLToPath(new URL(`./decode-picture${extname(import.meta.url)}`, import.meta.url));

interface ProcessOptions {
  maxMemory: number;
  /** A decoder that takes longer is ended. */
  timeoutMs?: number;
}

/** Returns what the program writes, or a problem if the program fails. */
export async function decodeInProcess<Result>(
  bytes: Buffer,
  thumbnailSizes: readonly number[],
  { maxMemory, timeoutMs = 0 }: ProcessOptions,
): Promise<Result | { problem: string }> {
  const child = spawn(
    process.execPath,
    [program, String(bytes.length), String(maxMemory), thumbnailSizes.join()],
    {
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      env: { ...process.env, NODE_COMPILE_CACHE: getCompileCacheDir() ?? '' },
    },
  );
  const ended = once(child, 'close');
  // The program may end without reading everything.
  child.stdin.on('error', () => {});
  child.stdin.end(bytes);
  const [output, [status, signal]] = await Promise.all([buffer(child.stdout), ended]);
  if (status === 0) return deserialize(output);
  return { problem: `the decoder ended with ${signal ?? `status ${status}`}` };
}

/** Starting the program for a measurement, as a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const main = join(import.meta.dirname, '../src/main.ts');

export interface Server {
  origin: string;
  stop(): Promise<void>;
}

export async function startServer(dataDir: string): Promise<Server> {
  const child = start(['serve'], dataDir);
  const [chunk] = await once(child.stdout as NodeJS.ReadableStream, 'data');
  const origin = /http:\/\/\S+/.exec(String(chunk))?.[0] ?? '';
  return {
    origin,
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'close');
    },
  };
}

/** Runs a command to its end and gives its standard output. */
export async function command(parameters: string[], dataDir: string): Promise<string> {
  const child = start(parameters, dataDir);
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`zukan ${parameters.join(' ')} ended with ${status}`);
  return output.trim();
}

function start(parameters: string[], dataDir: string): ChildProcess {
  const env = { ...process.env, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent', RATE_LIMIT: 'off' };
  return spawn(process.execPath, [main, ...parameters], { env, stdio: ['ignore', 'pipe', 'inherit'] });
}

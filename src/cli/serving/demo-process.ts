/** The program that fills the catalogue with the demo: gets the configuration from its parent, and reports the progress. */
import type { Config } from '../../config/config.ts';
import { explainError } from '../terminal/errors.ts';
import { fillWithDemo } from './fill-with-demo.ts';

// Ctrl-C reaches the whole group of processes. The parent decides what ends.
process.on('SIGINT', () => {});
/** The parent wants this to end, or has ended itself. */
const stopping = new AbortController();
process.once('disconnect', () => stopping.abort());

process.once('message', async (config: Config) => {
  try {
    const onProgress = (done: number) => process.connected && process.send?.(done);
    await fillWithDemo(config, { onProgress, signal: stopping.signal });
    process.exit(0);
  } catch (error) {
    if (!stopping.signal.aborted) console.error(`zukan: ${explainError(error as Error, config)}`);
    process.exit(1);
  }
});

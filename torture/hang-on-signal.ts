/** Preloaded into a server (`--import`). SIGUSR2 makes one of its threads hang. */
import { isMainThread } from 'node:worker_threads';
import { hangThread } from '../test/support/zukan/hang-thread.ts';

if (isMainThread) process.on('SIGUSR2', () => void hangThread());

/**
 * Hooks that run when all test files of the process have finished. scripts/test.ts loads this module before the files; a
 * file that runs alone is the whole process.
 */
import { AsyncResource } from 'node:async_hooks';
import { after } from 'node:test';

export const atEnd = AsyncResource.bind(after);

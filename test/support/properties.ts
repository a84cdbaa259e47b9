/**
 * `npm test` repeats the same inputs of properties, so that it fails only for what was changed; `npm run test:all` looks for
 * new ones, and says the seed of a failure. scripts/test.ts loads this module before the files.
 */
import fc from 'fast-check';
import { atDepth } from './depth.ts';

fc.configureGlobal(atDepth({ seed: 1 }, {}));

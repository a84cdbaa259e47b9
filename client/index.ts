/** The typed client for Node and browsers: what `zukan-client` and `zukan/client` export. */
export { ZukanError } from './error.ts';
export type * from './options.ts';
export type * from './types.ts';
export { Zukan } from './zukan.ts';

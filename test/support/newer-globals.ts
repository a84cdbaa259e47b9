/** What runtimes of the last years lack: Safari 16, Chrome 112 and React Native, for example. */
export const newerGlobals = [
  ...['URLSearchParams.prototype.size', 'URL.canParse', 'URL.parse', 'Object.hasOwn', 'Object.groupBy'],
  ...[
    'AbortSignal.prototype.throwIfAborted',
    'AbortSignal.any',
    'Promise.withResolvers',
    'globalThis.Iterator',
  ],
];

/** As code for another process or page. */
export const removalOf = (names: readonly string[]): string =>
  names.map((name) => `delete ${name};`).join(' ');

/** Makes a folder look as on disks of macOS and Windows: a file is found by its name in any case. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, dirname, join, sep } from 'node:path';
import { mock } from 'node:test';

type Methods = Record<string, (path: unknown, ...rest: unknown[]) => unknown>;

/** Call the result to end it. */
export function ignoreCase(folder: string): () => void {
  const { readdirSync } = fs;
  const listed = (path: string): string => {
    if (!path.startsWith(folder + sep)) return path;
    const [parent, name] = [listed(dirname(path)), basename(path)];
    const names = fs.existsSync(parent) ? readdirSync(parent) : [];
    const other = names.find((one) => one.toLowerCase() === name.toLowerCase());
    return join(parent, names.includes(name) ? name : (other ?? name));
  };
  const redirect = (methods: object, name: string) => {
    const original = (methods as Methods)[name] as Methods[string];
    return mock.method(methods as Methods, name, (path: unknown, ...rest: unknown[]) =>
      original.call(methods, typeof path === 'string' ? listed(path) : path, ...rest),
    );
  };
  const redirected = [
    ...['lstatSync', 'statSync'].map((name) => redirect(fs, name)),
    ...['open', 'readdir', 'realpath', 'stat'].map((name) => redirect(fs.promises, name)),
  ];
  syncBuiltinESMExports();
  return () => {
    for (const { mock } of redirected) mock.restore();
    syncBuiltinESMExports();
  };
}

/**
 * Makes this process fail where Windows, and file systems such as exFAT, do:
 *
 * - Only a handle that was opened for writing can be synced, so that no folder can.
 * - A file that SQLite has open cannot be removed.
 * - The first rename over a file fails, as while a virus scanner reads it.
 * - There are no hard links. Every file has the mode 777, which cannot be changed.
 */
import fs, { type PathLike, type Stats } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { resolve, sep } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

type Method = (this: unknown, ...parameters: unknown[]) => unknown;

/** Until the result is disposed of. It has counts of what failed. */
export function emulateWindows(): Disposable & { failures: Map<string, number> } {
  const failures = new Map<string, number>();
  const fail = (code: string, syscall: string, path: unknown): never => {
    failures.set(syscall, (failures.get(syscall) ?? 0) + 1);
    throw Object.assign(new Error(`${code}: ${syscall} '${path}'`), { code, syscall, path });
  };
  const undo: (() => void)[] = [];
  const replace = (module: object, name: string, wrap: (original: Method) => Method) => {
    const original = Reflect.get(module, name);
    Reflect.set(module, name, wrap(original));
    undo.push(() => Reflect.set(module, name, original));
  };

  replace(fs.promises, 'open', (open) => async (path, flags = 'r', ...rest) => {
    const handle = (await open(path, flags, ...rest)) as fs.promises.FileHandle;
    const isReadOnly = flags === 'r' || (typeof flags === 'number' && (flags & 3) === fs.constants.O_RDONLY);
    if (isReadOnly) handle.sync = handle.datasync = async () => fail('EPERM', 'fsync', path);
    return handle;
  });

  const databases = new Set<DatabaseSync>();
  for (const name of ['exec', 'prepare'])
    replace(
      DatabaseSync.prototype,
      name,
      (original) =>
        function (...parameters) {
          databases.add(this as DatabaseSync);
          return original.apply(this, parameters);
        },
    );
  const openPaths = () =>
    [...databases].flatMap((database) => (database.isOpen ? (database.location() ?? []) : []));

  const renamedOver = new Set<string>();
  const checks: Record<string, (...parameters: PathLike[]) => unknown> = {
    rm(path) {
      const removed = resolve(String(path));
      if (openPaths().some((open) => open === removed || open.startsWith(removed + sep)))
        fail('EBUSY', 'unlink', path);
    },
    rename(_from, to) {
      const target = resolve(String(to));
      if (renamedOver.has(target) || !fs.existsSync(target)) return;
      renamedOver.add(target);
      fail('EPERM', 'rename', to);
    },
    link: (_from, to) => fail('EPERM', 'link', to),
  };
  for (const [name, check] of Object.entries(checks)) {
    replace(fs.promises, name, (original) => async (...parameters) => {
      check(...(parameters as PathLike[]));
      return original(...parameters);
    });
    replace(fs, `${name}Sync`, (original) => (...parameters) => {
      check(...(parameters as PathLike[]));
      return original(...parameters);
    });
  }

  const withoutModes = (stats?: Stats) => stats && Object.assign(stats, { mode: stats.mode | 0o777 });
  for (const name of ['statSync', 'lstatSync', 'fstatSync'])
    replace(
      fs,
      name,
      (stat) =>
        (...parameters) =>
          withoutModes(stat(...parameters) as Stats | undefined),
    );
  replace(fs.promises, 'chmod', () => async (path) => fail('EPERM', 'chmod', path));

  syncBuiltinESMExports();
  return {
    failures,
    [Symbol.dispose]() {
      for (const restore of undo.reverse()) restore();
      syncBuiltinESMExports();
    },
  };
}

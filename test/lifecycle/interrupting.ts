/** Ctrl-C while an import reads pictures. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { after } from 'node:test';

let openings = Number.POSITIVE_INFINITY;
const { open } = fs.promises;
fs.promises.open = async (path, ...rest) => {
  if (String(path).includes('/pictures/') && --openings === 0) process.emit('SIGINT');
  return open(path, ...rest);
};
syncBuiltinESMExports();
after(() => {
  fs.promises.open = open;
  syncBuiltinESMExports();
});

/** It comes with this opening of a picture, if the work opens so many. */
export async function interruptAt<T>(opening: number, work: () => Promise<T>): Promise<T> {
  openings = opening;
  return work().finally(() => {
    openings = Number.POSITIVE_INFINITY;
  });
}

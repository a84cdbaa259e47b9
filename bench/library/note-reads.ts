/**
 * Preloaded into an import (`--import`). Writes each picture that is opened below READ_FOLDER to READ_LOG as a line, and at
 * the end the CPU time in milliseconds.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { READ_FOLDER = '', READ_LOG = '' } = process.env;
const log = fs.openSync(READ_LOG, 'a');
const { open } = fs.promises;
fs.promises.open = (path, ...rest) => {
  const text = String(path);
  if (text.startsWith(READ_FOLDER)) fs.writeSync(log, `${text.slice(READ_FOLDER.length + 1)}\n`);
  return open(path, ...rest);
};
syncBuiltinESMExports();
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  fs.writeSync(log, `cpu ${Math.round((user + system) / 1000)}\n`);
});

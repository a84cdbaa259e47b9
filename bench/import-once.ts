/** Imports a file and prints the duration and the CPU time in seconds, and the peak memory in bytes. Runs in its own process. */

import { readConfig } from '../src/config/config.ts';
import { importFiles } from '../test/support/zukan/import-files.ts';

const started = performance.now();
await importFiles(readConfig(process.env), process.argv.slice(2));
const seconds = (performance.now() - started) / 1000;
const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
console.log(JSON.stringify({ seconds, cpu: (userCPUTime + systemCPUTime) / 1e6, memory: maxRSS * 1024 }));

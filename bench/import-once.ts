/** Imports a file and prints the seconds it took and the most memory it held, in bytes. Run as a process of its own. */
import { importFiles } from '../src/commands/import.ts';
import { readConfig } from '../src/config/config.ts';

const started = performance.now();
await importFiles(readConfig(process.env), process.argv.slice(2));
const seconds = (performance.now() - started) / 1000;
console.log(JSON.stringify({ seconds, memory: process.resourceUsage().maxRSS * 1024 }));

#!/usr/bin/env node
/**
 * What `zukan` starts: looks at Node first, then runs the program. It is plain JavaScript that an old Node can read, so
 * that the person is told what is wrong instead of being shown a syntax error.
 */
import { existsSync, readFileSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const needed = Number(engines.node.replace('>=', ''));
const found = process.version.slice(1);

if (Number.parseInt(found, 10) < needed) {
  console.error(
    `zukan: needs Node ${needed} or newer, and this is Node ${found}: install a newer one (https://nodejs.org) and try again`,
  );
  process.exitCode = 1;
} else {
  // A checkout runs its TypeScript as it is. Node strips no types inside node_modules, so a package has it compiled.
  const source = new URL('../src/main.ts', import.meta.url);
  const isCheckout = existsSync(source);
  // What was stripped once is kept: from the second start on, the stripper and its 30 MB of memory are not needed. (Not in
  // the system's temporary folder, where anyone could have put something for us to run.)
  if (isCheckout)
    module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/zukan', import.meta.url)));
  import(isCheckout ? source.href : new URL('../dist/src/main.js', import.meta.url).href);
}

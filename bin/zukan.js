#!/usr/bin/env node
/**
 * Starts zukan if Node is new enough. This file is plain JavaScript that an old Node can parse, so that people see what is
 * wrong instead of a syntax error.
 */
import { existsSync, readFileSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const required = Number(engines.node.replace('>=', ''));
const current = process.version.slice(1);

if (Number.parseInt(current, 10) < required) {
  console.error(
    `zukan: needs Node ${required} or newer, but this is Node ${current}; install a newer version from https://nodejs.org`,
  );
  process.exitCode = 1;
} else {
  // A checkout runs its TypeScript directly. Node strips no types inside node_modules, so the package is compiled.
  const source = new URL('../src/main.ts', import.meta.url);
  const isCheckout = existsSync(source);
  // The cache holds stripped code: from the second start on, the type stripper and its 30 MB of memory are not needed. It
  // is not in the system's temporary folder, where any user could plant code for us to run.
  if (isCheckout)
    module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/zukan', import.meta.url)));
  import(isCheckout ? source.href : new URL('../dist/src/main.js', import.meta.url).href);
}

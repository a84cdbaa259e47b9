#!/usr/bin/env node
/**
 * Starts zukan if Node is new enough. This file is plain JavaScript that an old Node can parse, so that people see what is
 * wrong instead of a syntax error.
 */
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { isNewEnough, REQUIRED } from './required-node.js';

const CHECK_INTERVAL_MS = 250;
// A checkout runs its TypeScript directly. Node strips no types inside node_modules, so the package is compiled.
const source = new URL('../src/main.ts', import.meta.url);
const isCheckout = existsSync(source);

if (!isNewEnough(process.version)) {
  const linked = new URL('../node_modules/.bin/node', import.meta.url);
  const remedy = !isCheckout
    ? 'install a newer version from https://nodejs.org'
    : existsSync(linked) || existsSync(`${fileURLToPath(linked)}.exe`)
      ? 'run "npx zukan", which uses the one that npm ci found'
      : 'run "npm ci", which finds one, or says how to get one';
  console.error(
    `zukan: needs Node ${REQUIRED} or newer, but this is Node ${process.version.slice(1)}; ${remedy}`,
  );
  process.exitCode = 1;
} else {
  if (/^(start|npx)$/.test(process.env.npm_lifecycle_event ?? '')) endWithParent();
  // The cache holds stripped code: from the second start on, the type stripper and its 30 MB of memory are not needed. It
  // is not in the system's temporary folder, where any user could plant code for us to run.
  if (isCheckout)
    module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/zukan', import.meta.url)));
  import(isCheckout ? source.href : new URL('../src/main.js', import.meta.url).href);
}

/**
 * npm runs us in a shell, and passes SIGTERM on to the shell alone: it ends, and we would go on without a parent. Windows
 * never changes the parent, and has no such signals.
 */
function endWithParent() {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, CHECK_INTERVAL_MS).unref();
}

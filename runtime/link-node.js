/**
 * The install step: links a Node that starts here as node_modules/.bin/node, which npm's scripts, npx and services use. It is
 * the one of this workspace, or the one that runs npm if that is new enough. This is plain JavaScript, because it may run on
 * an older Node, and npm's shell differs between systems.
 *
 * Linux and Windows get Node 24: later ones need libatomic, which a minimal Debian lacks. For macOS, where nothing is missing,
 * the registry has only Node 26.
 *
 * The lockfile keeps the packages with Node in the node_modules of this workspace. In that of the checkout, npm would link
 * them itself, and run all install scripts, this one too, on a Node that may not start.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isNewEnough, REQUIRED } from '../bin/required-node.js';

const folder = dirname(fileURLToPath(import.meta.url));
const isWindows = process.platform === 'win32';
const file = isWindows ? 'node.exe' : 'node';
const link = join(folder, '../node_modules/.bin', file);
const { optionalDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const installed = Object.keys(optionalDependencies)
  .map((name) => join(folder, 'node_modules', name))
  .find(existsSync);
const own = installed && join(installed, 'bin', file);

// They take 70 MB, and nobody uses them.
if (installed)
  for (const part of ['include', 'share']) rmSync(join(installed, part), { recursive: true, force: true });

const tried = own && start(own);
if (!isUsable(start(link))) {
  // It may lead to one that is gone.
  rmSync(link, { force: true });
  if (isUsable(tried)) makeLink(own);
  else if (!isNewEnough(process.version)) explain();
  // Windows has no links from one disk to another for ordinary users. npm's scripts find the Node that runs npm without one.
  else if (!isWindows) makeLink(process.execPath);
}

function start(node) {
  return spawnSync(node, ['--version'], { encoding: 'utf8' });
}

function isUsable(ended) {
  return Boolean(ended) && ended.status === 0 && isNewEnough(ended.stdout);
}

function makeLink(node) {
  mkdirSync(dirname(link), { recursive: true });
  if (isWindows) linkSync(node, link);
  // Relative to the checkout, which may be moved.
  else symlinkSync(node === own ? relative(dirname(link), own) : node, link);
}

function explain() {
  const reason = tried
    ? `The one that npm installed does not start here (${tried.stderr || tried.error || tried.stdout})`
    : `npm has none for ${process.platform} on ${process.arch}`;
  const remedy = existsSync('/etc/alpine-release')
    ? 'run "apk add nodejs npm" on a release of Alpine that has it'
    : 'install it from https://nodejs.org or with the packages of your system';
  console.error(
    `zukan needs Node ${REQUIRED} or newer. ${reason.replace(/\s+/g, ' ')},\n` +
      `and npm runs on ${process.version}: ${remedy}, then run "npm ci" again.`,
  );
  process.exitCode = 1;
}

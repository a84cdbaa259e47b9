/**
 * Makes what a release consists of, in a folder: the packages of zukan and of its client, the licences of what zukan depends on
 * (SPDX), checksums of all, and what changed. `node scripts/release.ts <tag> <folder>`; the workflow publishes it.
 */
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import client from '../client/package.json' with { type: 'json' };
import zukan from '../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '..');

/** The section of a version. Throws if there is none: what is "Unreleased" has not been named after the version. */
export function changesOf(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m);
  const section = sections.find((text) => text.split(/\s/, 1)[0] === version);
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "${version}"`);
  return section.slice(section.indexOf('\n')).trim();
}

function release(tag: string, folder: string): void {
  for (const { name, version } of [zukan, client])
    if (tag !== `v${version}`) throw new Error(`the tag is ${tag}, but ${name} is version ${version}`);
  const changes = changesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), zukan.version);
  mkdirSync(folder, { recursive: true });
  npm(['run', 'package', '--', '--pack-destination', folder]);
  writeFileSync(join(folder, 'zukan.spdx.json'), npm(['sbom', '--omit', 'dev', '--sbom-format', 'spdx']));
  const sums = readdirSync(folder)
    .filter((name) => /\.(tgz|json)$/.test(name))
    .map((name) => `${hash('sha256', readFileSync(join(folder, name)))}  ${name}\n`);
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  writeFileSync(join(folder, 'CHANGES.md'), `${changes}\n`);
}

function npm(parameters: string[]): string {
  return execFileSync('npm', parameters, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

if (import.meta.main) {
  const [tag, folder] = process.argv.slice(2);
  if (!tag || !folder) throw new Error('usage: node scripts/release.ts <tag> <folder>');
  release(tag, resolve(folder));
}

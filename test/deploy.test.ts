/** The files that operators copy: the systemd unit, its settings, the Caddyfile and the Compose files. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import description from '../package.json' with { type: 'json' };
import { readConfig } from '../src/config/config.ts';
import { parseFile } from '../src/config/environment.ts';
import { findProgram, unless } from './support/servers/needs.ts';
import { temporaryFolder } from './support/workspace.ts';
import { runCommand } from './support/zukan/program.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8');
const settings = read('deploy/zukan.env');
const parseSettings = (text: string) => parseFile(text, 'deploy/zukan.env');

test('every setting of zukan.env exists and is valid, also those that are comments', () => {
  const active = parseSettings(settings);
  assert.equal(readConfig(active).dataDir, '/var/lib/zukan');
  const all = parseSettings(settings.replaceAll(/^#(?=[A-Z_]+=)/gm, ''));
  assert.ok(Object.keys(all).length > Object.keys(active).length);
  const known = new Set(Object.keys(readConfig(all).described));
  assert.deepEqual(
    Object.keys(all).filter((name) => !known.has(name)),
    [],
  );
});

/** The options of each section. The values of a filter, which may be repeated, are in one line. */
function parseUnit(text: string): Record<string, Record<string, string>> {
  const sections: Record<string, Record<string, string>> = {};
  let section: Record<string, string> | undefined;
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, name] = /^\[(\w+)\]$/.exec(line) ?? [];
    const [, option, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (name !== undefined) {
      section = {};
      sections[name] = section;
    } else {
      assert.ok(section && option !== undefined, line);
      assert.ok(option === 'SystemCallFilter' || !(option in section), line);
      section[option] = [section[option], value].filter(Boolean).join(' ');
    }
  }
  return sections;
}

test('the unit runs the server with these settings, in a folder that it may write to', () => {
  const unit = parseUnit(read('deploy/zukan.service'));
  assert.deepEqual(Object.keys(unit), ['Unit', 'Service', 'Install']);
  const { Service = {} } = unit;
  const [node, ...parameters] = Service.ExecStart?.split(' ') ?? [];
  assert.equal(node, '/opt/zukan/node_modules/.bin/node');
  const command = '/opt/zukan/bin/zukan.js --settings /etc/zukan.env';
  assert.deepEqual(parameters.slice(-4), [...command.split(' '), 'serve']);
  // cron looks for programs in /usr/bin and /bin only.
  const wrapper = `exec /usr/sbin/runuser -u zukan -- ${node} ${command} "$@"`;
  assert.ok(read('docs/publish.md').includes(wrapper), 'the wrapper reads the same file');
  assert.equal(parseSettings(settings).DATA_DIR, `/var/lib/${Service.StateDirectory}`);
  assert.equal(Service.ProtectSystem, 'strict');
  assert.equal(Service.NoNewPrivileges, 'yes');
  assert.equal(Service.MemoryDenyWriteExecute, undefined, 'V8 compiles code');
});

test('the unit is confined', {
  skip: unless(findProgram('systemd-analyze'), 'systemd', 'install it'),
}, () => {
  const unit = join(import.meta.dirname, '../deploy/zukan.service');
  // Fails above 2.0.
  execFileSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', unit], { stdio: 'pipe' });
});

test('Compose files limit memory, processes and temporary files', () => {
  type Service = Record<'mem_limit' | 'pids_limit' | 'tmpfs' | 'read_only', unknown>;
  for (const file of ['compose.yaml', 'compose.scale.yaml']) {
    const { services } = parse(read(file), { merge: true }) as { services: Record<string, Service> };
    for (const [name, service] of Object.entries(services)) {
      assert.ok(service.mem_limit && service.pids_limit, `${file}: ${name}`);
      if (service.read_only) assert.match(String(service.tmpfs), /^\/tmp:size=\d+m$/, name);
    }
  }
});

test('docs/publish.md uses every file', () => {
  const page = read('docs/publish.md');
  for (const file of readdirSync(join(import.meta.dirname, '../deploy')))
    assert.ok(page.includes(`deploy/${file}`), file);
});

test('Compose files and SECURITY.md name the current version', () => {
  const image = `zukan:${description.version}`;
  assert.equal(parse(read('compose.yaml')).services.zukan.image, image);
  assert.equal(parse(read('compose.scale.yaml'))['x-zukan'].image, image);
  const [, supported] = /^\| (\d+)\.x \| in its newest release \|$/m.exec(read('SECURITY.md')) ?? [];
  assert.equal(supported, description.version.split('.')[0]);
});

test('zukan config says what is wrong with the logo', async () => {
  const folder = temporaryFolder();
  const logo = join(folder, 'logo.svg');
  const config = (SITE_LOGO: string) => runCommand(['config'], { DATA_DIR: folder, SITE_LOGO });
  const missing = await config(logo);
  assert.deepEqual([missing.status, missing.output], [1, '']);
  assert.match(missing.errors, /SITE_LOGO: cannot read .*logo\.svg \(ENOENT\)/);
  writeFileSync(logo, 'no picture');
  assert.match((await config(logo)).errors, /SITE_LOGO: .*logo\.svg is not an SVG, PNG/);
  writeFileSync(logo, '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
  assert.equal((await config(logo)).status, 0);
});

/**
 * Follows docs/publish.md, from the text of the page, on a Debian that has nothing: `npm run test:guide`. cron makes the nightly
 * backup, a second machine restores it, a third one follows the page of the last release and is upgraded, and the README's
 * commands run where there is nothing but git and npm. The machines are those of systemd-nspawn: they install from the network
 * and have none after that. Needs Linux, root, git with the history, and debootstrap.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeTiny } from '../test/support/pictures/tiny.ts';
import { until } from '../test/support/until.ts';
import { newFolder, onDisk } from '../test/support/workspace.ts';

const root = join(import.meta.dirname, '..');
const { DEBIAN_MIRROR = 'http://deb.debian.org/debian', NODE_EXTRA_CA_CERTS } = process.env;
const SUITE = 'trixie';
const PICTURES = 3;
const folder = newFolder('zukan-guide-', onDisk);

const environment = [
  'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  'HOME=/root',
  'LANG=C.UTF-8',
  'DEBIAN_FRONTEND=noninteractive',
  `npm_config_registry=${run('npm', 'config', 'get', 'registry').trim()}`,
  ...(NODE_EXTRA_CA_CERTS ? ['NODE_EXTRA_CA_CERTS=/ca.pem'] : []),
];

function run(program: string, ...parameters: string[]): string {
  return execFileSync(program, parameters, { encoding: 'utf8', maxBuffer: 1e8 });
}

/** The blocks of commands below a heading of a page, as a reader would type them. */
function blocksOf(page: string, heading: string, version = 'HEAD'): string[] {
  const text = git('show', `${version}:${page}`);
  const pattern = new RegExp(`^## (?:\\d\\. )?${heading}\\n([\\s\\S]*?)(?=^## |(?![\\s\\S]))`, 'm');
  const [, section = ''] = pattern.exec(text) ?? [];
  const blocks = Array.from(section.matchAll(/```sh\n([\s\S]*?)```/g), ([, block = '']) =>
    block
      .replace('<address of the repository>', '/repository')
      .replace('<your name>', 'localhost')
      .replace('<tag>', 'next')
      .replace(/^ssh .* root@\S+ /m, ''),
  );
  assert.ok(blocks.length > 0, `${page}: ${heading}`);
  return blocks;
}

const git = (...parameters: string[]) => run('git', '-C', root, ...parameters);

/** A new machine like another one. */
function copyMachine(from: string, name: string): string {
  const machine = join(folder, name);
  run('cp', '--archive', '--reflink=auto', from, machine);
  return machine;
}

const nspawn = (machine: string, ...parameters: string[]) => [
  ...['--quiet', '--register=no', '--keep-unit', `--directory=${machine}`],
  `--bind-ro=${join(folder, 'repository')}:/repository`,
  ...(NODE_EXTRA_CA_CERTS ? [`--bind-ro=${NODE_EXTRA_CA_CERTS}:/ca.pem`] : []),
  ...parameters,
];

/** Runs a script on a machine that is not started. */
function install(machine: string, script: string, ...parameters: string[]): string {
  console.log(`# ${script.trim().replaceAll('\n', '\n# ')}`);
  const variables = environment.map((variable) => `--setenv=${variable}`);
  return run('systemd-nspawn', ...nspawn(machine, ...variables, ...parameters, 'sh', '-euc', script));
}

interface Machine {
  /** As root, where the first step ended. */
  sh(script: string): string;
  [Symbol.asyncDispose](): Promise<void>;
}

async function start(machine: string): Promise<Machine> {
  const parameters = nspawn(machine, '--private-network', '--boot', '--console=pipe');
  // A host with the old cgroups hides the new ones, the only ones that Debian 13 knows.
  const env = { ...process.env, SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: '1' };
  const child = spawn('systemd-nspawn', parameters, { env, stdio: 'ignore' });
  const children = () => readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim();
  const execute = (script: string) => {
    const [init = ''] = children().split(' ');
    const inside = ['--mount', '--uts', '--ipc', '--net', '--pid', '--cgroup', '--root'];
    const variables = [...environment, 'npm_config_offline=true'];
    const full = `cd /opt/zukan\n${script}`;
    return run('nsenter', `--target=${init}`, ...inside, 'env', '-i', ...variables, 'sh', '-euc', full);
  };
  await until('the machine has started', () => {
    try {
      return /running|degraded/.test(execute('systemctl is-system-running 2>&1 || true'));
    } catch {
      return false;
    }
  });
  const sh = (script: string) => {
    console.log(`# ${script.trim().replaceAll('\n', '\n# ')}`);
    return execute(script);
  };
  return {
    sh,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** Kept for the next run. */
function makeSystem(): string {
  const system = join(root, `node_modules/.cache/${SUITE}-systemd`);
  if (existsSync(system)) return system;
  const unfinished = `${system}.${process.pid}`;
  run('debootstrap', '--variant=minbase', '--include=systemd-sysv,dbus', SUITE, unfinished, DEBIAN_MIRROR);
  renameSync(unfinished, system);
  return system;
}

/** Types the blocks of commands below these headings, one after the other. */
function follow(machine: Machine, headings: string[], version?: string): void {
  for (const heading of headings) for (const block of blocksOf(page, heading, version)) machine.sh(block);
}

function followUpgrade(machine: Machine): void {
  follow(machine, ['Upgrade']);
  assert.equal(machine.sh('git describe --tags').trim(), 'next', 'the tag is not checked out');
}

const page = 'docs/publish.md';
const isReady =
  'curl --silent --retry 60 --retry-delay 1 --retry-connrefused http://127.0.0.1:3000/health/ready';

async function followTheGuide(): Promise<void> {
  const first = copyMachine(makeSystem(), 'first');
  for (let index = 0; index < PICTURES; index++)
    writeTiny(join(first, 'srv/pictures'), `cats/${index}.png`, index);
  for (const block of blocksOf(page, 'Install')) install(first, block);
  // Released after the installation.
  run('git', '-C', join(folder, 'repository'), 'tag', 'next');
  const second = copyMachine(first, 'second');
  const backup = 'var/backups/zukan';
  let stats: string;
  {
    await using machine = await start(first);
    follow(machine, ['Configure', 'Start']);
    assert.equal(JSON.parse(machine.sh(isReady)).status, 'ready');
    const [imports = '', studio = ''] = blocksOf(page, 'Import');
    machine.sh(imports);
    machine.sh(`${studio.trim()} >studio 2>&1 &`);
    const address = machine.sh("timeout 60 sh -c 'until grep -o http://.* studio; do sleep 1; done'");
    assert.match(machine.sh(`curl --silent --location --cookie-jar jar '${address.trim()}'`), /<html/);
    follow(machine, ['Go public']);
    const site = 'curl --silent --insecure --fail --retry 30 --retry-all-errors https://localhost';
    assert.match(machine.sh(`${site}/newest`), /<html/);
    assert.equal(JSON.parse(machine.sh(`${site}/api/stats`)).data.images.count, PICTURES);
    follow(machine, ['Back up']);
    const generations = () => machine.sh(`ls /${backup}/*`);
    const before = generations();
    machine.sh("sed -i 's/^15 3 /* * /' /etc/cron.d/zukan");
    machine.sh(
      `for _ in $(seq 180); do test "$(ls /${backup}/*)" = '${before.trim()}' || break; sleep 1; done`,
    );
    assert.notEqual(generations(), before, 'cron made no backup');
    machine.sh('rm /etc/cron.d/zukan');
    followUpgrade(machine);
    assert.equal(JSON.parse(machine.sh(isReady)).status, 'ready');
    stats = machine.sh('zukan stats --json');
  }
  run('cp', '--archive', join(first, backup), join(second, 'srv/backup'));
  await using machine = await start(second);
  follow(machine, ['Configure', 'Start']);
  machine.sh('zukan restore /srv/backup');
  machine.sh('zukan check');
  assert.equal(machine.sh('zukan stats --json'), stats);
}

/** From the last release, whose own page is followed first. */
async function upgrade(): Promise<void> {
  // It is the last commit that changed the version. This one may do that, too.
  const commits = git('log', '--format=%H', '-G^  "version":', '--', 'package.json').trim().split('\n');
  const release = commits.find((commit) => commit !== git('rev-parse', 'HEAD').trim());
  assert.ok(release, 'the last release is missing: fetch the history');
  const folder = copyMachine(makeSystem(), 'upgraded');
  for (let index = 0; index < PICTURES; index++)
    writeTiny(join(folder, 'srv/pictures'), `cats/${index}.png`, index);
  // What the upgrade installs comes from npm's cache.
  for (const block of blocksOf(page, 'Install'))
    install(folder, `${block.replaceAll('/opt/zukan', '/opt/next')}\nrm -r /opt/next; userdel zukan`);
  const checkout = `git clone --quiet /repository /opt/zukan && git -C /opt/zukan checkout --quiet ${release}`;
  for (const block of blocksOf(page, 'Install', release))
    install(folder, block.replace('git clone /repository /opt/zukan', checkout));
  await using machine = await start(folder);
  follow(machine, ['Configure'], release);
  // 1.0.0 does not say to wait until the server is ready.
  for (const block of blocksOf(page, 'Start', release)) machine.sh(block.replace(/^curl .*/m, isReady));
  assert.equal(JSON.parse(machine.sh(isReady)).status, 'ready');
  follow(machine, ['Back up'], release);
  const [imports = ''] = blocksOf(page, 'Import', release);
  machine.sh(imports);
  const { images } = JSON.parse(machine.sh('zukan stats --json'));
  assert.equal(images.count, PICTURES);
  // The changelog says to copy the unit and the command again.
  followUpgrade(machine);
  follow(machine, ['Configure']);
  machine.sh('systemctl daemon-reload && systemctl restart zukan');
  assert.equal(JSON.parse(machine.sh(isReady)).status, 'ready');
  assert.deepEqual(JSON.parse(machine.sh('zukan stats --json')).images, images);
  machine.sh('zukan check');
  machine.sh('zukan restore --check /var/backups/zukan');
}

/** On a Debian that has nothing but what the README asks for. */
function followTheReadme(): void {
  const machine = copyMachine(makeSystem(), 'readme');
  install(machine, 'apt-get update && apt-get install -y --no-install-recommends git npm');
  const [block = ''] = blocksOf('README.md', 'Start');
  const [setUp, begin] = block.split(' && npm start');
  assert.ok(begin !== undefined);
  install(machine, `cd /root\n${setUp}`);
  const get =
    "fetch('http://127.0.0.1:3000').then((page) => process.exit(page.ok ? 0 : 1), () => process.exit(1))";
  const script = `cd /root/zukan\nnpm start & until node -e "${get}"; do sleep 1; done`;
  install(machine, script, '--private-network');
}

try {
  run('git', 'clone', '--quiet', '--bare', root, join(folder, 'repository'));
  followTheReadme();
  await followTheGuide();
  await upgrade();
  console.log('1 passed, 0 failed');
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** `zukan.env`: what it may contain, where values come from, and names that are probably misspelt. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { ConfigError, describeConfig, readConfig } from '../src/config/config.ts';
import { findNear, parseFile, readSettings } from '../src/config/environment.ts';
import { character, codePoint } from './support/characters.ts';
import { temporaryFolder } from './support/workspace.ts';
import { runCommand } from './support/zukan/program.ts';

const known = Object.keys(describeConfig(readConfig({ DATABASE_URL: 'postgres://localhost/zukan' })));

function folderWith(text: string | Buffer, mode = 0o600): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'zukan.env'), text);
  chmodSync(join(folder, 'zukan.env'), mode);
  return folder;
}

test('reads names and values, comments and quotes', () => {
  const text = [
    '\u{feff}# a comment',
    '',
    'PORT=8080',
    '  export HOST = 0.0.0.0  ',
    'SITE_ACCENT=#2f6f8f',
    'SITE_NAME="Kura # 図鑑"  # the name',
    'LINK_KEYS=\'a "quoted" key of some length\'',
    'THUMBNAILS=480,960 # sizes',
    'REDIS_PREFIX=\r',
    '\t#PORT=1',
  ].join('\n');
  assert.deepEqual(parseFile(text), {
    PORT: '8080',
    HOST: '0.0.0.0',
    SITE_ACCENT: '#2f6f8f',
    SITE_NAME: 'Kura # 図鑑',
    LINK_KEYS: 'a "quoted" key of some length',
    THUMBNAILS: '480,960',
    REDIS_PREFIX: '',
  });
});

test('the error has every wrong line with its number, and no value', () => {
  const text = 'PORT=1\nhush\nPORT=hush\n=hush\nHOST="hush\nSITE_NAME="a" hush\n1A=hush\nLINK_KEYS=hush\x1b';
  assert.throws(
    () => parseFile(text),
    ({ message }: ConfigError) => {
      const places = message.split('\n').map((line) => line.split(' ').slice(0, 2).join(' '));
      assert.deepEqual(places, [
        ...['zukan.env:2: must', 'zukan.env:3: PORT', 'zukan.env:4: must', 'zukan.env:5: HOST'],
        ...['zukan.env:6: SITE_NAME', 'zukan.env:7: must', 'zukan.env:8: LINK_KEYS'],
      ]);
      return !message.includes('hush');
    },
  );
});

test('any value without quotes and control characters can be written in quotes', () => {
  const value = fc.string({ unit: character }).filter((text) => !/["\p{C}\u{fffd}]/u.test(text));
  fc.assert(fc.property(value, (text) => assert.equal(parseFile(`A="${text}" # "`).A, text)));
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), (text) => {
      try {
        parseFile(text);
      } catch (error) {
        assert.ok(error instanceof ConfigError);
      }
    }),
  );
});

test('the environment wins; an empty variable there counts as unset', () => {
  const folder = folderWith('PORT=8080\nHOST=0.0.0.0\nLOG_LEVEL=\n');
  const { environment, originOf, warnings } = readSettings({ PORT: '9090', HOST: ' ' }, folder);
  const config = readConfig(environment);
  assert.deepEqual([config.port, config.host, config.logLevel], [9090, '0.0.0.0', 'info']);
  assert.deepEqual(['PORT', 'HOST', 'LOG_LEVEL', 'WORKERS'].map(originOf), [
    ...['environment', 'zukan.env', 'default', 'default'],
  ]);
  assert.deepEqual(warnings, []);
});

test('without a file, the environment stays as it is', () => {
  const { environment, warnings } = readSettings({ PORT: '1', PATH: '/bin' }, temporaryFolder());
  assert.deepEqual([environment, warnings], [{ PORT: '1', PATH: '/bin' }, []]);
});

test('refuses a file that is none, is too large, or that everyone can change', {
  skip: !process.getuid,
}, () => {
  const read = (folder: string) => () => readSettings({}, folder);
  const withFolder = temporaryFolder();
  mkdirSync(join(withFolder, 'zukan.env'));
  assert.throws(read(withFolder), /zukan\.env: must be a file/);
  const withPipe = temporaryFolder();
  execFileSync('mkfifo', [join(withPipe, 'zukan.env')]);
  assert.throws(read(withPipe), /zukan\.env: must be a file/);
  assert.throws(read(folderWith('#'.repeat(65_537))), /at most 65536 bytes/);
  assert.throws(read(folderWith('PORT=1\n', 0o602)), /every user of this machine can change it/);
  assert.throws(read(folderWith(Buffer.from('SITE_NAME=\xff', 'latin1'))), /zukan\.env:1: SITE_NAME/);
});

test('warns about secrets that every user can read', { skip: !process.getuid }, () => {
  const warnings = (text: string, mode: number) => readSettings({}, folderWith(text, mode)).warnings;
  for (const line of ['LINK_KEYS=k', 'DATABASE_URL=postgres://me:x@db/zukan', 'AWS_SECRET_ACCESS_KEY=k'])
    assert.match(warnings(line, 0o644).join(), /can read its secrets; run "chmod 600/);
  assert.deepEqual(warnings('LINK_KEYS=k', 0o640), []);
  assert.deepEqual(warnings('PORT=1\nREDIS_URL=redis://cache', 0o644), []);
});

test('in the file, every unknown name is a warning', () => {
  const folder = folderWith('RATELIMIT=off\nNODE_OPTIONS=--x\nAWS_REGION=eu-west-1\nPORT=1\n');
  assert.deepEqual(readSettings({}, folder).warnings, [
    'zukan.env: RATELIMIT is unknown and ignored; did you mean RATE_LIMIT?',
    'zukan.env: NODE_OPTIONS is unknown and ignored',
  ]);
});

const near: [string, string][] = [
  ['RATELIMIT', 'RATE_LIMIT'],
  ['RATE_LIMT', 'RATE_LIMIT'],
  ['DATABSE_URL', 'DATABASE_URL'],
  ['DATABASE_ULR', 'DATABASE_URL'],
  ['rate_limit', 'RATE_LIMIT'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['DATADIR', 'DATA_DIR'],
  ['WORKER', 'WORKERS'],
  ['LINK_KEY', 'LINK_KEYS'],
];
test('in the environment, a name that is nearly known is a warning', () => {
  for (const [name, meant] of near) {
    assert.equal(findNear(name, known), meant, name);
    assert.deepEqual(readSettings({ [name]: '1' }, temporaryFolder()).warnings, [
      `the variable ${name} is ignored; did you mean ${meant}?`,
    ]);
  }
});

test('the usual variables of a system are no warning', () => {
  const usual = `PATH HOME HOSTNAME HOSTTYPE HOSTS PORTS SPORT PWD OLDPWD USER LOGNAME SHELL SHLVL TERM LANG LC_ALL TZ MAIL EDITOR
    PAGER DISPLAY TMPDIR TEMP COLUMNS LINES NODE_ENV NODE_OPTIONS NODE_PATH INIT_CWD npm_config_cache npm_lifecycle_event
    DATE_FORMAT FILE_NAME SITE_URL REDIS_HOST REDIS_PORT ZUKAN_PORT ZUKAN_SERVICE_HOST KUBERNETES_PORT LOG_FILE LOG_DIR
    POSTGRES_PASSWORD PGHOST PGPORT SSH_TTY XDG_DATA_DIRS XDG_DATA_HOME DATABASE_NAME DATABASE_HOST CACHE_DIR HTTP_PROXY`;
  const environment = Object.fromEntries(usual.split(/\s+/).map((name) => [name, '1']));
  assert.deepEqual(readSettings(environment, temporaryFolder()).warnings, []);
  // None of ours is near another one, so no name is suggested wrongly.
  for (const name of known) assert.equal(findNear(name, known), name);
});

test('zukan config says where each value comes from', async () => {
  const folder = folderWith('PORT=8080\nHOSTNAME=x\nLINK_KEYS=a-secret-key-of-some-length\n');
  const run = (...more: string[]) =>
    runCommand(['config', ...more], { HOST: '::1', 'RATE\x1bLIMIT': '1' }, '', folder);
  const table = await run();
  assert.match(
    table.output,
    /^variable +value +from\nHOST +::1 +environment\nPORT +8080 +zukan\.env\nWORKERS +\d+ +default\n/,
  );
  assert.ok(!table.output.includes('a-secret-key'));
  assert.match(table.errors, /^warning: zukan\.env: HOSTNAME is unknown and ignored\n/);
  assert.ok(!table.errors.includes('\x1b'));
  const { origins, ...values } = JSON.parse((await run('--json')).output);
  assert.deepEqual(Object.keys(origins), Object.keys(values));
  assert.deepEqual([values.PORT, origins.PORT, origins.HOST], ['8080', 'zukan.env', 'environment']);
});

test('a wrong file is a usage error of commands that need it, and --help works', async () => {
  const folder = folderWith('PORT\n');
  const { status, errors } = await runCommand(['stats'], {}, '', folder);
  assert.deepEqual(
    [status, errors],
    [2, 'zukan: invalid configuration\nzukan.env:1: must be NAME=value or a comment after #\n'],
  );
  assert.equal((await runCommand(['stats', '--help'], {}, '', folder)).status, 0);
});

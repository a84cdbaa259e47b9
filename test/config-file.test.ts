/** The settings file: how it is named, what it may contain, where values come from, and names that are probably misspelt. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { ConfigError, type Environment, readConfig } from '../src/config/config.ts';
import { findNear, parseFile, readSettings } from '../src/config/environment.ts';
import { character, codePoint } from './support/characters.ts';
import { temporaryFolder } from './support/workspace.ts';
import { main, NODE_COMPILE_CACHE, runCommand } from './support/zukan/program.ts';

const known = Object.keys(readConfig({ DATABASE_URL: 'postgres://localhost/zukan' }).described);

function fileWith(text: string | Buffer, mode = 0o600): string {
  const path = join(temporaryFolder(), 'zukan.env');
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

const read = (path?: string, environment: Environment = {}) =>
  readSettings(environment, path, temporaryFolder());

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
  assert.deepEqual(parseFile(text, 'file'), {
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
    () => parseFile(text, 'a/file'),
    ({ message }: ConfigError) => {
      const places = message.split('\n').map((line) => line.split(' ').slice(0, 2).join(' '));
      assert.deepEqual(places, [
        ...['a/file:2: must', 'a/file:3: PORT', 'a/file:4: must', 'a/file:5: HOST'],
        ...['a/file:6: SITE_NAME', 'a/file:7: must', 'a/file:8: LINK_KEYS'],
      ]);
      return !message.includes('hush');
    },
  );
});

test('any value without quotes and control characters can be written in quotes', () => {
  const value = fc.string({ unit: character }).filter((text) => !/["\p{C}\u{fffd}]/u.test(text));
  fc.assert(fc.property(value, (text) => assert.equal(parseFile(`A="${text}" # "`, '').A, text)));
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), (text) => {
      try {
        parseFile(text, '');
      } catch (error) {
        assert.ok(error instanceof ConfigError);
      }
    }),
  );
});

test('the environment wins; an empty variable there counts as unset', () => {
  const path = fileWith('PORT=8080\nHOST=0.0.0.0\nLOG_LEVEL=\n');
  const { environment, originOf, warnings } = read(path, { PORT: '9090', HOST: ' ' });
  const config = readConfig(environment);
  assert.deepEqual([config.port, config.host, config.logLevel], [9090, '0.0.0.0', 'info']);
  assert.deepEqual(['PORT', 'HOST', 'LOG_LEVEL', 'WORKERS'].map(originOf), [
    ...['environment', path, 'default', 'default'],
  ]);
  assert.deepEqual(warnings, []);
});

test('without a file, the environment stays as it is', () => {
  const { environment, warnings } = read(undefined, { PORT: '1', PATH: '/bin' });
  assert.deepEqual([environment, warnings], [{ PORT: '1', PATH: '/bin' }, []]);
});

test('the option names the file, and the variable where there is none', () => {
  const [byOption, byVariable] = [fileWith('PORT=1\n'), fileWith('PORT=2\n')];
  const port = (option: string | undefined, ZUKAN_SETTINGS: string) =>
    read(option, { ZUKAN_SETTINGS }).environment.PORT;
  assert.deepEqual([port(byOption, byVariable), port(undefined, byVariable)], ['1', '2']);
  assert.equal(port(undefined, ' '), undefined);
  for (const missing of ['', join(temporaryFolder(), 'none.env'), join(byOption, 'x')])
    assert.throws(() => read(missing, { ZUKAN_SETTINGS: byVariable }), /cannot be read \((ENOENT|ENOTDIR)\)/);
});

test('refuses a file that is none, is too large, or that everyone can change', {
  skip: !process.getuid,
}, () => {
  const refuses = (path: string, message: RegExp) => assert.throws(() => read(path), message);
  refuses(temporaryFolder(), /: must be a file/);
  const pipe = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  refuses(pipe, /pipe: must be a file/);
  refuses(fileWith('#'.repeat(65_537)), /at most 65536 bytes/);
  refuses(fileWith('PORT=1\n', 0o602), /every user of this machine can change it/);
  refuses(fileWith(Buffer.from('SITE_NAME=\xff', 'latin1')), /zukan\.env:1: SITE_NAME/);
});

test('warns about secrets that every user can read', { skip: !process.getuid }, () => {
  const warnings = (text: string, mode: number) => read(fileWith(text, mode)).warnings;
  for (const line of ['LINK_KEYS=k', 'DATABASE_URL=postgres://me:x@db/zukan', 'AWS_SECRET_ACCESS_KEY=k'])
    assert.match(warnings(line, 0o644).join(), /can read its secrets; run "chmod 600/);
  assert.deepEqual(warnings('LINK_KEYS=k', 0o640), []);
  assert.deepEqual(warnings('PORT=1\nREDIS_URL=redis://cache', 0o644), []);
});

test('in the file, every unknown name is a warning', () => {
  const path = fileWith('RATELIMIT=off\nNODE_OPTIONS=--x\nZUKAN_SETTINGS=x\nAWS_REGION=eu-west-1\nPORT=1\n');
  assert.deepEqual(read(path).warnings, [
    `${path}: RATELIMIT is unknown and ignored; did you mean RATE_LIMIT?`,
    `${path}: NODE_OPTIONS is unknown and ignored`,
    `${path}: ZUKAN_SETTINGS is unknown and ignored`,
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
  ['ZUKAN_SETTING', 'ZUKAN_SETTINGS'],
];
test('in the environment, a name that is nearly known is a warning', () => {
  for (const [name, meant] of near) {
    assert.deepEqual(read(undefined, { [name]: '1' }).warnings, [
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
  assert.deepEqual(read(undefined, environment).warnings, []);
  // None of ours is near another one, so no name is suggested wrongly.
  for (const name of known) assert.equal(findNear(name, known), name);
});

test('zukan config says where each value comes from', async () => {
  const path = fileWith('PORT=8080\nHOSTNAME=x\nLINK_KEYS=a-secret-key-of-some-length\n');
  const run = (...more: string[]) =>
    runCommand(['config', ...more], { HOST: '::1', 'RATE\x1bLIMIT': '1', ZUKAN_SETTINGS: path });
  const table = await run();
  const [, ...rows] = table.output.split('\n').map((line) => line.trim().split(/ {2,}/));
  assert.deepEqual(rows[0], ['HOST', '::1', 'environment']);
  assert.deepEqual(rows[1], ['PORT', '8080', path]);
  assert.equal(rows[2]?.[2], 'default');
  assert.ok(!table.output.includes('a-secret-key'));
  assert.equal(table.errors.split('\n')[0], `warning: ${path}: HOSTNAME is unknown and ignored`);
  assert.ok(!table.errors.includes('\x1b'));
  const { origins, ...values } = JSON.parse((await run('--json')).output);
  assert.deepEqual(Object.keys(origins), Object.keys(values));
  assert.deepEqual([values.PORT, origins.PORT, origins.HOST], ['8080', path, 'environment']);
});

test('--settings stands before or after the name of a command, and --help shows it', async () => {
  const path = fileWith('PORT=8080\n');
  for (const parameters of [
    ['--settings', path, 'config', '--json'],
    ['config', '--json', '--settings', path],
    ['config', `--settings=${path}`, '--json'],
  ])
    assert.equal(JSON.parse((await runCommand(parameters, {})).output).PORT, '8080');
  // A command in a command.
  assert.equal((await runCommand(['token', 'list', '--settings', `${path}.none`], {})).status, 2);
  for (const words of [[], ['serve'], ['token', 'list']])
    assert.match((await runCommand([...words, '--help'], {})).output, /--settings <file>/);
});

test('a wrong file is a usage error of commands that need it, and --help works', async () => {
  const path = fileWith('PORT\n');
  const { status, errors } = await runCommand(['stats', '--settings', path], {});
  assert.deepEqual(
    [status, errors],
    [2, `zukan: invalid configuration\n${path}:1: must be NAME=value or a comment after #\n`],
  );
  assert.equal((await runCommand(['stats', '--settings', path, '--help'], {})).status, 0);
});

test('a zukan.env in the current folder is not read, and one line says so unless it is named', async () => {
  const path = fileWith('PORT=8080\nAWS_WEB_IDENTITY_TOKEN_FILE=/root/.ssh/id_ed25519\n');
  const run = (parameters: string[], folder = dirname(path)) =>
    runCommand(['config', '--json', ...parameters], { DATA_DIR: temporaryFolder() }, '', folder);
  const ignored = await run([]);
  assert.equal(JSON.parse(ignored.output).PORT, '3000');
  assert.match(
    ignored.errors,
    /^warning: .*zukan\.env is no longer read; if it is yours, name it with --settings .*zukan\.env or ZUKAN_SETTINGS\n$/,
  );
  assert.equal((await run(['--settings', fileWith('')])).errors, ignored.errors);
  const linked = join(temporaryFolder(), 'link');
  symlinkSync(path, linked);
  for (const named of [path, linked]) {
    const { output, errors } = await run(['--settings', named]);
    assert.deepEqual([JSON.parse(output).PORT, errors], ['8080', '']);
  }
  const notRead = temporaryFolder();
  mkdirSync(join(notRead, 'zukan.env'));
  assert.equal((await run([], notRead)).errors, '');
});

test('commands run in a folder that they cannot read, and in one that is gone', {
  skip: process.platform !== 'linux',
}, async () => {
  const locked = 'chmod 0 "$PWD"';
  const backup = ['backup', '--quiet', join(temporaryFolder(), 'backup')];
  const data = { DATA_DIR: temporaryFolder() };
  await runCommand(['import', '-'], data);
  assert.match(await runWhere(locked, backup, data), /^backed up 0 images/);
  assert.match(
    await runWhere(locked, ['restore', '--check', ...backup.slice(2)], data),
    /^the backup is complete/,
  );
  const gone = 'rmdir "$PWD"';
  assert.match(await runWhere(gone, ['stats'], data), /images/);
  await assert.rejects(runWhere(gone, ['stats'], {}), {
    code: 1,
    stderr: 'zukan: the current folder no longer exists; change to another one\n',
  });
});

/** Runs zukan in a folder after it was spoilt. Root may read every folder unless it gives that up. */
async function runWhere(spoil: string, parameters: string[], environment: Environment): Promise<string> {
  const folder = temporaryFolder();
  const script = ['-c', `${spoil} && exec "$0" "$@"`, process.execPath, main, ...parameters];
  const [program, ...rest] =
    process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-all', 'sh', ...script] : ['sh', ...script];
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE, ...environment };
  try {
    return (await promisify(execFile)(program as string, rest, { cwd: folder, env })).stdout;
  } finally {
    if (existsSync(folder)) chmodSync(folder, 0o700);
  }
}

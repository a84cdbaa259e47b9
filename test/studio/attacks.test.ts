/** Nobody but the operator's own browser gets anything from the studio or changes anything through it. */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { readAllImports, root } from '../../scripts/imports.ts';
import { LocalAccess, newSecret } from '../../src/studio/access.ts';
import { keyed, sandbox } from '../support/catalogues/import.ts';
import { runCommand } from '../support/zukan/program.ts';
import { startService } from '../support/zukan/service.ts';
import { everyAddress, openStudio } from '../support/zukan/studio.ts';

const box = sandbox();
await box.import([keyed(1)]);
const studio = await openStudio(box.config);
const { host, port } = new URL(studio.origin);
const session = await studio.signIn();
const [id = ''] = await studio.ids();
const { catalogue } = (await studio.get('/data/session')).json;
const batch = (edit: object) =>
  JSON.stringify({ catalogue, user: '', edits: [{ id: `${id}-1`, base: 1, ids: [id], edit }] });
const edit = batch({ rating: 'nsfw' });
const change = (headers: Record<string, string>, body = edit) => studio.send('/change/images', headers, body);
const rating = async () => (await studio.summary([id])).ratings;

test('a secret opens one session and then works no more', async () => {
  const { pathname, search } = new URL(studio.newAddress());
  const first = await studio.send(pathname + search, { Host: host });
  assert.equal(first.status, 200);
  const cookie = String(first.headers['set-cookie']);
  assert.match(cookie, /; HttpOnly; SameSite=Strict; Path=\/$/);
  assert.match(first.text, /http-equiv="refresh" content="0;url=\/"/);
  const replayed = await studio.send(pathname + search, { Host: host });
  assert.equal(replayed.status, 403);
  assert.equal(replayed.headers['set-cookie'], undefined);
  assert.match(replayed.text, /works once/);
});

test('a new address replaces the one before', async () => {
  const [old, current] = [studio.newAddress(), studio.newAddress()].map((address) => new URL(address));
  assert.equal((await studio.send(`/open${old?.search}`, { Host: host })).status, 403);
  assert.equal((await studio.send(`/open${current?.search}`, { Host: host })).status, 200);
});

test('a wrong secret opens nothing', async () => {
  for (const path of ['/open', '/open?secret=', `/open?secret=${'A'.repeat(43)}`]) {
    const answer = await studio.send(path, { Host: host });
    assert.equal(answer.status, 403, path);
    assert.equal(answer.headers['set-cookie'], undefined);
  }
});

test('without a session there is no page, no data and no change', async () => {
  const { Cookie: cookie = '', ...anonymous } = session;
  assert.equal((await studio.send('/', anonymous)).status, 401);
  for (const { path, ...request } of everyAddress(id))
    assert.equal((await request.send(studio, anonymous)).status, 401, path);
  assert.equal((await change(anonymous)).status, 401);
  const [name] = cookie.split('=');
  for (const forged of [`${name}=`, `${name}=${'A'.repeat(43)}`, `${cookie}x`, `${name}=x; ${cookie}x`])
    assert.equal((await change({ ...anonymous, Cookie: forged })).status, 401, forged);
  assert.deepEqual(await rating(), { sfw: 1 });
});

test('a cookie of the same name from another program on this machine locks nobody out', async () => {
  const { Cookie: cookie = '' } = session;
  const [name] = cookie.split('=');
  const others = Array.from({ length: 100 }, (_, index) => `${name}=${String(index).padStart(43, 'x')}`).join(
    '; ',
  );
  for (const Cookie of [`${name}=x; ${cookie}`, `${cookie}; ${name}=`, `${others}; ${cookie}; ${others}`])
    assert.equal((await studio.send('/data/steps', { ...session, Cookie })).status, 200, Cookie);
});

test('a host name that someone pointed at this machine is refused, with a valid session too', async () => {
  for (const name of [
    'attacker.example',
    `attacker.example:${port}`,
    '127.0.0.1.attacker.example',
    '192.168.1.2',
    '@127.0.0.1',
  ])
    for (const path of ['/', '/data/images', studio.newAddress().slice(studio.origin.length)]) {
      const answer = await studio.send(path, { ...session, Host: name });
      assert.equal(answer.status, 421, `${name} ${path}`);
      assert.equal(answer.headers['set-cookie'], undefined);
    }
  assert.equal(
    (await change({ ...session, Host: 'attacker.example', Origin: 'http://attacker.example' })).status,
    421,
  );
  assert.deepEqual(await rating(), { sfw: 1 });
});

test('with --host, addresses are accepted and names of others are not', () => {
  const access = new LocalAccess('0.0.0.0', newSecret);
  for (const host of ['192.168.1.2:80', '[fe80::1]:80', 'localhost', '127.0.0.1:9'])
    assert.ok(access.isOwnHost({ host }), host);
  for (const host of ['attacker.example', '192.168.1.2.attacker.example', 'studio', ''])
    assert.ok(!access.isOwnHost({ host }), host);
  assert.ok(new LocalAccess('Studio.local', newSecret).isOwnHost({ host: 'studio.local:80' }));
  for (const loopback of ['127.0.0.1', '127.0.0.2', '::1', 'localhost']) {
    const local = new LocalAccess(loopback, newSecret);
    assert.ok(local.isOwnHost({ host: '[::1]:80' }) && local.isOwnHost({ host: '127.0.0.2' }), loopback);
    assert.ok(!local.isOwnHost({ host: '192.168.1.2:80' }), loopback);
  }
});

test('a tunnel on another port works', async () => {
  const tunnel = { ...session, Host: 'localhost:9000', Origin: 'http://localhost:9000' };
  assert.equal((await studio.send('/', tunnel)).status, 200);
  assert.equal((await studio.send('/data/summary', tunnel, JSON.stringify({ ids: [id] }))).status, 200);
});

test('a change from another origin is refused', async () => {
  const { Origin: _, ...withoutOrigin } = session;
  const foreign: Record<string, string>[] = [
    withoutOrigin,
    ...['https://attacker.example', 'null', `https://${host}`, `http://127.0.0.1:${Number(port) + 1}`].map(
      (origin) => ({ ...session, Origin: origin }),
    ),
    ...['cross-site', 'same-site'].map((site) => ({ ...session, 'Sec-Fetch-Site': site })),
  ];
  for (const headers of foreign)
    for (const path of ['/change/images', '/change/undo', '/change/trash/empty', '/data/summary'])
      assert.equal((await studio.send(path, headers, edit)).status, 403, JSON.stringify(headers));
  assert.deepEqual(await rating(), { sfw: 1 });
});

test('another site can neither read nor embed anything', async () => {
  for (const site of ['cross-site', 'same-site'])
    for (const path of ['/data/images', `/picture/${id}`, '/assets/main.js'])
      assert.equal((await studio.send(path, { ...session, 'Sec-Fetch-Site': site })).status, 403, path);
  const { headers } = await studio.get('/');
  assert.equal(headers['access-control-allow-origin'], undefined);
  assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
  assert.match(String(headers['content-security-policy']), /^default-src 'none';.*frame-ancestors 'none'/);
  assert.doesNotMatch(String(headers['content-security-policy']), /unsafe|\*/);
  assert.equal((await studio.send('/data/images', session, '', 'OPTIONS')).status, 405);
});

test('what a form can send is refused', async () => {
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/jsonx',
  ])
    assert.equal((await change({ ...session, 'Content-Type': type })).status, 403, type);
  const { 'Content-Type': _, ...untyped } = session;
  assert.equal((await change(untyped)).status, 403);
  assert.deepEqual(await rating(), { sfw: 1 });
});

test('a change cannot be made with GET', async () => {
  assert.equal((await studio.send('/change/images', session)).status, 404);
});

test('requests that the page would not send are refused', async () => {
  const bad = [
    ...['', '{', 'null', '[]', JSON.stringify({ catalogue, user: '', edits: [] })],
    ...[{ rating: 'none' }, { key: '../x' }].map(batch),
    edit.replace(`${id}-1`, id),
    edit.replace('"ids"', '"undoes":1,"ids"'),
  ];
  for (const body of bad)
    assert.equal((await studio.send('/change/images', session, body, 'POST')).status, 400, body);
  for (const change of [0, -1, 1.5, 2 ** 31, '1'])
    assert.equal((await studio.post('/change/undo', { change, isPreview: true })).status, 400);
  assert.equal((await studio.post('/data/names', { kind: 'category', names: ['a\0'] })).status, 400);
  const queries = ['rating=none', 'artist=x', 'run=0', 'rating=sfw&rating=sfw', 'edited=x', '__proto__=x'];
  for (const query of [...queries, 'unknown=', `category=${id}&`.repeat(101)])
    assert.equal((await studio.send(`/data/images?${query}`, session)).status, 400, query);
  for (const path of ['/constructor', '/__proto__', '/toString'])
    assert.equal((await studio.send(path, session)).status, 404, path);
  for (const path of ['/picture/../../etc/passwd', '/assets/..%2f..%2fpackage.json', '/data/nothing', '/%'])
    assert.ok([401, 404, 405].includes((await studio.send(path, session)).status), path);
  const large = await studio.send('/change/images', { ...session, 'Content-Length': '9000000' }, ' ', 'POST');
  assert.equal(large.status, 413);
});

test('the server of the API has nothing of it', async () => {
  const service = await startService(box.config);
  for (const path of [
    '/open?secret=x',
    '/data/images',
    '/change/images',
    `/picture/${id}`,
    '/assets/main.js',
  ])
    assert.equal((await service.get(path)).status, 404, path);
  const files = globSync(['src/server/**/*.ts', 'src/api/**/*.ts', 'src/http/**/*.ts'], { cwd: root });
  const imported = files.flatMap((file) => [...readAllImports(file)]);
  assert.deepEqual(
    imported.filter((file) => /src\/(studio|changes)\//.test(file)),
    [],
  );
});

test('the command refuses a wrong port and explains --host', async () => {
  const wrong = await runCommand(['studio', '--port', '70000'], box.environment);
  assert.equal(wrong.status, 2);
  assert.match(wrong.errors, /--port 70000: must be a number from 0 to 65535/);
  const help = await runCommand(['studio', '--help'], box.environment);
  assert.match(help.output, /--host <address>[\s\S]*anyone\s+who\s+can\s+reach\s+it\s+can\s+connect/);
});

/** Attacks on a studio that people sign in to from elsewhere. Tests call it as a trusted proxy would, or over its own HTTPS. */
import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { BlockList, connect } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, test } from 'node:test';
import { startStudio } from '../../src/cli/serving/studio.ts';
import { LocalAccess, newSecret } from '../../src/studio/access.ts';
import { endpoints, type Step } from '../../src/studio/contract.ts';
import { passwordsPath, readPeople, removePerson, setPassword } from '../../src/studio/passwords.ts';
import {
  Attempts,
  IDLE_MS,
  MAX_ALL_ATTEMPTS,
  MAX_ATTEMPTS,
  MAX_SESSION_MS,
  RemoteAccess,
  WINDOW_MS,
} from '../../src/studio/remote-access.ts';
import { createStudioServer, type StudioRoutes } from '../../src/studio/server.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { keyed, sandbox } from '../support/catalogues/import.ts';
import { certificate, privateKey } from '../support/zukan/certificate.ts';
import { runCommand } from '../support/zukan/program.ts';
import { everyAddress, sendRequest } from '../support/zukan/studio.ts';

const { request: httpsRequest } = process.getBuiltinModule('node:https');

type Headers = Record<string, string>;

const PASSWORD = 'correct horse battery';
/** So that tests take no time. The command has a test of its own. */
const CHEAP = 16;
const HOST = 'studio.example';
const ORIGIN = `https://${HOST}`;
const trust = (...addresses: string[]) => {
  const list = new BlockList();
  for (const address of addresses) list.addAddress(address);
  return list;
};

const box = sandbox();
await box.import([keyed(1)]);
const { dataDir } = box.config;
await setPassword(dataDir, 'anna', PASSWORD, CHEAP);
await setPassword(dataDir, 'ben', `${PASSWORD} 2`, CHEAP);

let now = 1_000_000_000_000;
const events: string[] = [];
const remote = { onEvent: (text: string) => events.push(text), clock: () => now };
const config = { ...box.config, trustedProxies: trust('127.0.0.1') };
const running = await startStudio(config, { host: '127.0.0.1', port: 0, remote });
after(() => running[Symbol.asyncDispose]());
const origin = new URL(running.newAddress()).origin;
const send = (
  path: string,
  headers: Headers = {},
  body: string | Buffer = '',
  method = body ? 'POST' : 'GET',
) => sendRequest(new URL(path, origin), headers, body, method);

/** What the proxy sends, of a new client each time. */
let clients = 0;
const proxied = (more: Headers = {}): Headers => {
  clients++;
  const client = `192.0.${clients >> 8}.${clients & 255}`;
  return { Host: HOST, 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': client, Origin: ORIGIN, ...more };
};
const formOf = (name: string, password: string) => new URLSearchParams({ name, password }).toString();
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const signIn = (name = 'anna', password = PASSWORD, more: Headers = {}) =>
  send('/sign-in', proxied({ ...FORM, ...more }), formOf(name, password));
const sessionOf = async (name?: string, password?: string, more?: Headers): Promise<Headers> => {
  const { status, headers } = await signIn(name, password, more);
  assert.equal(status, 303);
  const [cookie = ''] = String(headers['set-cookie']).split(';');
  return proxied({ Cookie: cookie, 'Content-Type': 'application/json' });
};
const isSignedIn = async (session: Headers) => {
  const { status } = await send('/data/steps', session);
  assert.ok(status === 200 || status === 401);
  return status === 200;
};
const statusOf = async (answer: Promise<{ status: number }>) => (await answer).status;

test('without a session, every address refuses, and the page is the form', async () => {
  const { Cookie: cookie = '' } = await sessionOf();
  const [name = ''] = cookie.split('=');
  const forged = [`${name}=`, `${name}=${newSecret()}`, `${cookie}x`, cookie.replace('__Host-', '')];
  for (const Cookie of ['', ...forged])
    for (const { path, ...address } of everyAddress(uuid(1, 1)))
      assert.equal((await address.send({ send }, proxied(Cookie ? { Cookie } : {}))).status, 401, path);
  const page = await send('/', proxied());
  assert.equal(page.status, 401);
  assert.match(page.text, /<form method="post" action="\/sign-in">/);
  assert.match(String(page.headers['content-security-policy']), /^default-src 'none';.*form-action 'self'/);
  assert.doesNotMatch(page.text, /script/);
  for (const path of [
    '/assets/../../package.json',
    '/assets/..%2f..%2fpackage.json',
    '/assets/studio-passwords.json',
  ])
    assert.equal(await statusOf(send(path, proxied())), 401, path);
  for (const path of ['/open', '/open?secret=', '/sign-in', '/sign-out'])
    assert.equal(await statusOf(send(path, proxied())), 401, path);
});

test('a person who signs in can do everything, under their name', async () => {
  const { status, headers } = await signIn();
  assert.deepEqual([status, headers.location], [303, '/']);
  assert.match(
    String(headers['set-cookie']),
    /^__Host-zukan-studio-\d+=[\w-]{43}; Secure; HttpOnly; SameSite=Strict; Path=\/$/,
  );
  const session = await sessionOf('ben', `${PASSWORD} 2`);
  assert.equal(await statusOf(send('/', session)), 200);
  assert.equal((await send('/data/session', session)).json.user, 'ben');
  const body = JSON.stringify({ kind: 'category', name: 'by ben' });
  const { text } = await send('/change/entry/create', session, body);
  assert.match(text, /"result"/);
  const { output } = await runCommand(['history'], box.environment);
  assert.match(output, /studio +ben +create the category by ben/);
  const firstStep = async (session: Record<string, string>) =>
    (await send('/data/steps', session)).json.steps[0]?.label;
  assert.equal(await firstStep(session), 'create the category by ben');
  assert.notEqual(await firstStep(await sessionOf('anna', PASSWORD)), 'create the category by ben');
});

test('a wrong password and an unknown name get the same answer after the same work', async () => {
  let hashes = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === 'SCRYPTREQUEST') hashes++;
    },
  }).enable();
  const answers = [];
  for (const [name, password] of [
    ['anna', 'wrong password'],
    ['nobody', PASSWORD],
    ['', ''],
    ['ben', PASSWORD],
  ] as const) {
    const { status, text, headers } = await signIn(name, password);
    const { date: _, ...others } = headers;
    answers.push(JSON.stringify([status, text, others, hashes]));
    hashes = 0;
  }
  hook.disable();
  assert.equal(new Set(answers).size, 1, answers.join('\n'));
  assert.match(answers[0] ?? '', /^\[403,.*The name or the password is wrong\..*,1\]$/);
});

test('a client that guesses has to wait, even with the right password; others do not', async () => {
  const client = { 'X-Forwarded-For': '198.51.100.1' };
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++)
    assert.equal(await statusOf(signIn('anna', `guess ${attempt}`, client)), 403);
  const refused = await signIn('anna', PASSWORD, client);
  assert.equal(refused.status, 429);
  assert.equal(refused.headers['retry-after'], String(WINDOW_MS / 1000));
  assert.equal(refused.headers['set-cookie'], undefined);
  assert.match(refused.text, /Too many attempts. Try again in 15 minutes/);
  // An address that the client invents is not the one that the proxy adds.
  const invented = { 'X-Forwarded-For': '203.0.113.9, 198.51.100.1' };
  assert.equal(await statusOf(signIn('anna', PASSWORD, invented)), 429);
  assert.equal(await statusOf(signIn()), 303);
  now += WINDOW_MS;
  assert.equal(await statusOf(signIn('anna', PASSWORD, client)), 303);
});

test('attempts are bounded by client and in all, within any window', () => {
  let time = 0;
  const attempts = new Attempts(() => time);
  for (let client = 0; client < MAX_ALL_ATTEMPTS; client++) {
    assert.equal(attempts.take(`client ${client}`), 0);
    time += 10;
  }
  assert.equal(attempts.take('another'), WINDOW_MS - time);
  attempts.forgive('client 3');
  assert.equal(attempts.take('another'), 0);
  time = WINDOW_MS - 1;
  assert.equal(attempts.take('yet another'), 1);
  time++;
  assert.equal(attempts.take('yet another'), 0);
});

test('somebody with a password cannot try those of others without end', async () => {
  const client = { 'X-Forwarded-For': '198.51.100.2' };
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    assert.equal(await statusOf(signIn('ben', `${PASSWORD} 2`, client)), 303);
    assert.equal(await statusOf(signIn('anna', `guess ${attempt}`, client)), 403);
  }
  assert.equal(await statusOf(signIn('anna', PASSWORD, client)), 429);
  now += WINDOW_MS;
});

test('few passwords are checked at once, and few wait', async () => {
  const folder = sandbox().config.dataDir;
  await setPassword(folder, 'anna', PASSWORD, 2 ** 13);
  const access = accessFor(folder);
  const replies = Array.from({ length: 15 }, (_, index) => {
    const request = incoming({ 'x-forwarded-for': `192.0.2.${index}` });
    request.end(formOf('anna', 'wrong'));
    return access.enter(request as unknown as IncomingMessage, new URL('https://studio/sign-in'));
  });
  const statuses = (await Promise.all(replies)).map((reply) => reply?.status);
  assert.deepEqual(
    [403, 429].map((status) => statuses.filter((other) => other === status).length),
    [10, 5],
  );
});

test('a form that is too large or too slow is not waited for', async () => {
  assert.equal(await statusOf(send('/sign-in', proxied(FORM), 'x'.repeat(5000))), 413);
  const endless = { ...proxied(FORM), 'Transfer-Encoding': 'chunked' };
  assert.equal(await statusOf(send('/sign-in', endless, 'x'.repeat(100_000))), 413);
  const slow = incoming({});
  slow.write('name=anna&');
  await assert.rejects(
    accessFor(dataDir, 1).enter(slow as unknown as IncomingMessage, new URL('https://studio/sign-in')),
    { status: 408 },
  );
});

test('without a session, no body is waited for, whatever the answer is', async () => {
  const { Origin: _, ...headers } = proxied({ 'Content-Length': '1000' });
  const json = { 'Content-Type': 'application/json', Origin: ORIGIN };
  const heads = [
    ['GET /', headers],
    ['GET /assets/style.css', headers],
    ['GET /assets/missing.css', headers],
    ['POST /sign-out', { ...headers, ...json }],
    ['POST /change/images', { ...headers, ...json }],
    ['POST /add/picture', { ...headers, ...json, 'Content-Type': 'application/octet-stream' }],
  ] as const;
  for (const [start, lines] of heads) {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    const fields = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`${start} HTTP/1.1\r\n${fields.join('')}\r\n`);
    const [head] = await once(socket, 'data');
    assert.match(String(head), /^Connection: close\r$/m, start);
    socket.resume();
    await once(socket, 'close');
  }
});

test('a client that does not read is not waited for without a session, and one with a session is', async () => {
  const access = new LocalAccess('127.0.0.1', newSecret);
  const answer = Promise.withResolvers<Step[]>();
  const asked = Promise.withResolvers<void>();
  const asset = async () => ({ type: 'text/css', text: ' '.repeat(30_000_000) });
  const steps = () => {
    asked.resolve();
    return answer.promise;
  };
  const routes = { asset, handlers: { '/data/steps': steps } } as unknown as StudioRoutes;
  const { server, listen } = createStudioServer(access, routes);
  const { port } = await listen({ host: '127.0.0.1', port: 0 });
  assert.ok(server.timeout > 0);
  const url = (path: string) => new URL(path, `http://127.0.0.1:${port}`);
  const opened = await sendRequest(url(`/open?secret=${access.issueSecret()}`), {}, '', 'GET');
  const Cookie = String(opened.headers['set-cookie']).split(';')[0] as string;
  server.timeout = 1000;
  const waiting = sendRequest(url('/data/steps'), { Cookie }, '', 'GET');
  await asked.promise;
  const closed = new Promise((resolve) =>
    server.once('connection', (socket) => socket.once('close', resolve)),
  );
  const client = connect(port, '127.0.0.1');
  client.write(`GET /assets/a.css HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  client.on('error', () => {});
  await closed;
  client.destroy();
  answer.resolve([]);
  assert.equal((await waiting).status, 200);
  server.close();
});

test('another site can neither sign somebody in nor use a session', async () => {
  const { Origin: _, ...withoutOrigin } = proxied();
  const foreign: Headers[] = [
    withoutOrigin,
    ...['https://attacker.example', 'null', `http://${HOST}`, `${ORIGIN}:8443`].map((Origin) =>
      proxied({ Origin }),
    ),
    ...['cross-site', 'same-site'].map((site) => proxied({ 'Sec-Fetch-Site': site })),
  ];
  const { Cookie = '' } = await sessionOf();
  for (const headers of foreign) {
    const tried = await send('/sign-in', { ...headers, ...FORM }, formOf('anna', PASSWORD));
    assert.deepEqual([tried.status, tried.headers['set-cookie']], [403, undefined], JSON.stringify(headers));
    assert.equal(await statusOf(send('/sign-out', { ...headers, Cookie }, '{}')), 403);
    for (const { path, ...address } of everyAddress(uuid(1, 1)))
      if (endpoints[path as keyof typeof endpoints]?.form === 'change')
        assert.equal((await address.send({ send }, { ...headers, Cookie })).status, 403, path);
  }
  const json = { ...proxied(), 'Content-Type': 'application/json' };
  assert.equal(
    await statusOf(send('/sign-in', json, JSON.stringify({ name: 'anna', password: PASSWORD }))),
    403,
  );
  const form = proxied({ ...FORM, Cookie });
  assert.equal(await statusOf(send('/change/trash/empty', form, 'x=y')), 403);
  assert.ok(await isSignedIn(proxied({ Cookie })));
});

test('without HTTPS there is nothing, whatever an untrusted client claims', async () => {
  const { 'X-Forwarded-Proto': _, ...plain } = await sessionOf();
  const claims: Headers[] = [plain, { ...plain, 'X-Forwarded-Proto': 'https, http' }];
  for (const headers of claims)
    for (const path of ['/', '/data/steps', '/assets/style.css'])
      assert.equal(await statusOf(send(path, headers)), 403, path);
  await using direct = await startStudio(
    { ...config, trustedProxies: trust('192.0.2.1') },
    { host: '127.0.0.1', port: 0, remote },
  );
  for (const path of ['/', '/data/steps', '/assets/style.css'])
    assert.equal((await sendRequest(new URL(path, direct.newAddress()), proxied(), '', 'GET')).status, 403);
  const tried = await sendRequest(
    new URL('/sign-in', direct.newAddress()),
    proxied(FORM),
    formOf('anna', PASSWORD),
    'POST',
  );
  assert.deepEqual([tried.status, tried.headers['set-cookie']], [403, undefined]);
});

test('signing in gives a new session, and ends the one before', async () => {
  const chosen = `__Host-zukan-studio-${new URL(origin).port}=${newSecret()}`;
  const first = await sessionOf('anna', PASSWORD, { Cookie: chosen });
  assert.notEqual(first.Cookie, chosen);
  assert.ok(!(await isSignedIn(proxied({ Cookie: chosen }))));
  const second = await sessionOf('anna', PASSWORD, { Cookie: first.Cookie as string });
  assert.deepEqual([await isSignedIn(first), await isSignedIn(second)], [false, true]);
});

test('a session ends when it is idle, after some hours, or when the person signs out', async () => {
  const idle = await sessionOf();
  now += IDLE_MS - 1;
  assert.ok(await isSignedIn(idle));
  now += IDLE_MS;
  assert.ok(!(await isSignedIn(idle)));
  const long = await sessionOf();
  for (let used = 0; used + IDLE_MS - 1 < MAX_SESSION_MS; used += IDLE_MS - 1) {
    assert.ok(await isSignedIn(long));
    now += IDLE_MS - 1;
  }
  now += IDLE_MS - 1;
  assert.ok(!(await isSignedIn(long)));
  const [left, stays] = [await sessionOf(), await sessionOf()];
  const out = await send('/sign-out', left, '{}');
  assert.equal(out.status, 200);
  assert.match(String(out.headers['set-cookie']), /=; Secure; .*; Max-Age=0$/);
  assert.deepEqual([await isSignedIn(left), await isSignedIn(stays)], [false, true]);
});

test('a new password ends the sessions of its person, and so does their removal', async () => {
  const [anna, ben] = [await sessionOf(), await sessionOf('ben', `${PASSWORD} 2`)];
  await setPassword(dataDir, 'anna', PASSWORD, CHEAP);
  assert.deepEqual([await isSignedIn(anna), await isSignedIn(ben)], [false, true]);
  await removePerson(dataDir, 'ben');
  assert.ok(!(await isSignedIn(ben)));
  assert.equal(await statusOf(signIn('ben', `${PASSWORD} 2`)), 403);
});

test('the operator sees who came, and no secret', async () => {
  const { Cookie = '' } = await sessionOf();
  await signIn('my secret password', 'x');
  const text = events.join('\n');
  assert.match(text, /^anna signed in from 192\.0\.\d+\.\d+$/m);
  assert.match(text, /^wrong name or password from /m);
  for (const secret of [PASSWORD, 'my secret password', Cookie.split('=')[1] as string])
    assert.ok(!text.includes(secret));
});

test('with a certificate, the studio speaks HTTPS itself', async () => {
  const tls = { cert: Buffer.from(certificate), key: Buffer.from(privateKey) };
  await using studio = await startStudio(box.config, {
    host: '127.0.0.1',
    port: 0,
    remote: { ...remote, tls },
  });
  const url = new URL(studio.newAddress());
  assert.equal(url.protocol, 'https:');
  const call = async (path: string, headers: Headers, body = '') => {
    const { hostname, port } = url;
    const options = { hostname, port, path, headers, ca: certificate, agent: false };
    const outgoing = httpsRequest({ ...options, method: body ? 'POST' : 'GET' });
    outgoing.end(body);
    const [response] = await once(outgoing, 'response');
    response.resume();
    return response;
  };
  const page = await call('/', {});
  assert.equal(page.statusCode, 401);
  assert.equal(page.headers['strict-transport-security'], 'max-age=31536000');
  const signedIn = await call('/sign-in', { ...FORM, Origin: url.origin }, formOf('anna', PASSWORD));
  assert.equal(signedIn.statusCode, 303);
  const Cookie = String(signedIn.headers['set-cookie']).split(';')[0] as string;
  assert.equal((await call('/data/steps', { Cookie })).statusCode, 200);
  await assert.rejects(sendRequest(new URL(`http://${url.host}/`), { Cookie }, '', 'GET'));
});

test('the command refuses to start without HTTPS or without a password, and says what to do', async () => {
  const empty = sandbox();
  const run = (environment: Headers, ...parameters: string[]) =>
    runCommand(['studio', '--remote', ...parameters], { ...empty.environment, ...environment });
  const bad = join(empty.config.dataDir, 'bad.pem');
  const proxy = { TRUSTED_PROXIES: '127.0.0.1' };
  const [cert, key] = [bad, bad];
  const cases: [Headers, string[], number, RegExp][] = [
    [{}, [], 2, /needs HTTPS: give --certificate and --key, or .*TRUSTED_PROXIES/s],
    [{}, ['--certificate', cert], 2, /--certificate and --key belong together/],
    [proxy, [], 1, /nobody could sign in yet; set a password with "zukan studio password <name>"/],
  ];
  for (const [environment, parameters, status, message] of cases) {
    const { status: found, errors } = await run(environment, ...parameters);
    assert.match(errors, message);
    assert.equal(found, status);
  }
  const local = await runCommand(['studio', '--key', key], empty.environment);
  assert.match(local.errors, /--certificate and --key are for --remote/);
  await setPassword(empty.config.dataDir, 'anna', PASSWORD, CHEAP);
  const missing = await run({}, '--certificate', cert, '--key', key);
  assert.match(missing.errors, /--certificate .*bad\.pem: cannot be read \(ENOENT\)/);
  writeFileSync(bad, 'no certificate');
  const invalid = await run({}, '--certificate', cert, '--key', key);
  assert.match(invalid.errors, /cannot be used: /);
});

test('a password is read from standard input, checked, and kept as a hash that only the owner can read', async () => {
  const { config, environment } = sandbox();
  const set = (name: string, input: string, ...more: string[]) =>
    runCommand(['studio', 'password', name, ...more], environment, input);
  assert.match((await set('anna', 'too short\n')).errors, /at least 12 characters/);
  assert.match((await set('anna', `${'x'.repeat(1001)}\n`)).errors, /at most 1000 bytes/);
  for (const name of ['', '-x', 'a\nb', 'x'.repeat(65), '<b>'])
    assert.equal((await set(name, `${PASSWORD}\n`)).status, 2, name);
  assert.deepEqual(readPeople(config.dataDir), []);
  assert.equal((await set(' anna ', `${PASSWORD}\n`)).status, 0);
  const path = passwordsPath(config.dataDir);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.ok(!readFileSync(path, 'utf8').includes(PASSWORD));
  const [person] = readPeople(config.dataDir);
  assert.deepEqual([person?.name, person?.cost], ['anna', 2 ** 15]);
  assert.equal((await set('ben', '', '--remove')).status, 1);
  assert.equal((await set('anna', '', '--remove')).status, 0);
  assert.deepEqual(readPeople(config.dataDir), []);
  writeFileSync(path, '[{"name":"anna"}]');
  assert.throws(() => readPeople(config.dataDir), /studio-passwords\.json is damaged; delete it/);
});

test('only one command at a time changes the passwords', async () => {
  const { config, environment } = sandbox();
  await setPassword(config.dataDir, 'anna', PASSWORD, CHEAP);
  const next = `${passwordsPath(config.dataDir)}.new`;
  writeFileSync(next, '');
  const removal = await runCommand(['studio', 'password', 'anna', '--remove'], environment);
  assert.equal(removal.status, 1);
  assert.match(
    removal.errors,
    /another command is changing the passwords; if none is running, delete .*\.new/,
  );
  await assert.rejects(setPassword(config.dataDir, 'ben', PASSWORD, CHEAP), /another command/);
  rmSync(next);
  assert.ok(await removePerson(config.dataDir, 'anna'));
  assert.deepEqual(
    readdirSync(config.dataDir).filter((name) => name.includes('passwords')),
    ['studio-passwords.json'],
  );
});

test('passwords that cannot be read are a message for the operator, and nobody else learns why', async () => {
  const session = await sessionOf();
  const path = passwordsPath(dataDir);
  const text = readFileSync(path);
  writeFileSync(path, '{');
  events.length = 0;
  for (const answer of [await signIn(), await signIn(), await send('/data/steps', session)]) {
    assert.equal(answer.status, 503);
    assert.ok(!answer.text.includes(dataDir));
  }
  assert.deepEqual(events, [
    `nobody can sign in: ${path} is damaged; delete it, and set the passwords again`,
  ]);
  writeFileSync(path, text);
  assert.equal(await statusOf(signIn()), 303);
});

function accessFor(folder: string, maxFormMs?: number): RemoteAccess {
  return new RemoteAccess({
    ...remote,
    ...(maxFormMs !== undefined && { maxFormMs }),
    hasTls: true,
    trustedProxies: trust('127.0.0.1'),
    people: () => readPeople(folder),
    newSecret,
  });
}

/** A request of the form whose body is still to come. */
function incoming(headers: Headers): PassThrough {
  const own = { host: HOST, origin: ORIGIN, 'content-type': FORM['Content-Type'], ...headers };
  return Object.assign(new PassThrough(), {
    method: 'POST',
    headers: own,
    socket: { remoteAddress: '127.0.0.1' },
  });
}

/** Who keeps a connection when there are too many, and a remote studio that somebody holds idle connections to. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Agent } from 'node:https';
import { connect, type Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { connect as tlsConnect } from 'node:tls';
import { startStudio } from '../../src/cli/serving/studio.ts';
import { type Person, setPassword } from '../../src/studio/passwords.ts';
import { Sessions } from '../../src/studio/remote-access.ts';
import { Connections } from '../../src/studio/server.ts';
import { keyed, sandbox } from '../support/catalogues/import.ts';
import { atDepth } from '../support/depth.ts';
import { until } from '../support/until.ts';
import { certificate, privateKey } from '../support/zukan/certificate.ts';

const { Agent: HttpsAgent, request: httpsRequest } = process.getBuiltinModule('node:https');

describe('too many connections', () => {
  function setUp(max: number, maxPerOwner: number) {
    const connections = new Connections(max, maxPerOwner);
    const dropped: string[] = [];
    const sockets = new Map<string, { destroy(): Socket }>();
    const endsOf = (name: string) => ({ remoteAddress: name, remotePort: 1, localAddress: 'here' });
    const fullName = (name: string) => `${name} 1 here`;
    return {
      open(name: string, owner: string | undefined, hasSession = false) {
        const socket = { destroy: () => dropped.push(name) as unknown as Socket };
        sockets.set(name, socket);
        connections.add(fullName(name), socket, owner);
        if (hasSession) connections.setSession(endsOf(name), true);
      },
      setSession: (name: string, has: boolean) => connections.setSession(endsOf(name), has),
      /** What happens when the connection has closed, perhaps late. */
      close(name: string) {
        const socket = sockets.get(name) as { destroy(): Socket };
        return () => connections.remove(fullName(name), socket);
      },
      dropped,
    };
  }

  test('of an address: its oldest without a session goes, and nobody else', () => {
    const { open, dropped } = setUp(100, 2);
    open('other', 'b');
    open('a0', 'a', true);
    for (const name of ['a1', 'a2', 'a3', 'a4']) open(name, 'a');
    assert.deepEqual(dropped, ['a1', 'a2']);
  });

  test('in all: the oldest without a session goes', () => {
    const { open, close, setSession, dropped } = setUp(4, 2);
    open('one', 'a', true);
    open('two', 'b');
    open('three', 'c', true);
    open('four', 'd');
    open('five', 'e');
    assert.deepEqual(dropped, ['two']);
    setSession('one', false);
    open('six', 'f');
    assert.deepEqual(dropped, ['two', 'one']);
    close('five')();
    open('seven', 'g');
    assert.deepEqual(dropped, ['two', 'one']);
  });

  test('in all: who has most makes room, and not who has one', () => {
    const { open, dropped } = setUp(5, 4);
    for (const [name, owner] of ['xb', 'one a', 'two a', 'three c', 'four a', 'five d'].map((text) =>
      text.split(' '),
    ))
      open(name as string, owner ?? 'b');
    assert.deepEqual(dropped, ['one']);
  });

  test('when all others have a session, the new one goes', () => {
    const { open, dropped } = setUp(3, 2);
    for (const name of ['one', 'two', 'three']) open(name, 'a', true);
    open('four', 'b');
    assert.deepEqual(dropped, ['four']);
  });

  test('those of a proxy are limited in all only', () => {
    const { open, dropped } = setUp(4, 2);
    for (const name of ['one', 'two', 'three', 'four', 'five']) open(name, undefined);
    assert.deepEqual(dropped, ['one']);
  });

  test('a name that is used again belongs to the new connection', () => {
    const { open, close, dropped } = setUp(2, 2);
    open('one', 'a');
    const closeFirst = close('one');
    open('one', 'a');
    closeFirst();
    open('two', 'b');
    open('three', 'c');
    assert.deepEqual(dropped, ['one']);
  });
});

test('a person who signs in again and again ends no session of others', () => {
  let secrets = 0;
  const sessions = new Sessions(
    () => 0,
    () => `secret ${secrets++}`,
  );
  const [anna, ben] = ['anna', 'ben'].map((name) => ({ name, cost: 16, salt: '', hash: name })) as [
    Person,
    Person,
  ];
  const people = [anna, ben];
  const own = sessions.start(anna);
  const all = Array.from({ length: 11 }, () => sessions.start(ben));
  assert.equal(sessions.find(own, people), anna);
  assert.deepEqual(
    all.map((secret) => sessions.find(secret, people)?.name),
    [undefined, ...all.slice(1).map(() => 'ben')],
  );
});

test('idle connections shut nobody out of the studio, nor keep anybody from signing in', async () => {
  const PASSWORD = 'correct horse battery';
  const { config, ...box } = sandbox();
  await box.import([keyed(1)]);
  await setPassword(config.dataDir, 'anna', PASSWORD, 16);
  const tls = { cert: Buffer.from(certificate), key: Buffer.from(privateKey) };
  const remote = { tls, onEvent() {} };
  const studio = await startStudio(config, { host: '127.0.0.1', port: 0, remote });
  after(() => studio[Symbol.asyncDispose]());
  const { hostname, port, origin } = new URL(studio.newAddress());
  /** Each in a connection of its own, unless there is an agent. */
  const call = async (
    path: string,
    headers: Record<string, string>,
    body = '',
    agent: Agent | false = false,
  ) => {
    const options = { hostname, port, path, headers, ca: certificate, agent };
    const outgoing = httpsRequest({ ...options, method: body ? 'POST' : 'GET' });
    outgoing.end(body);
    const [response] = await once(outgoing, 'response');
    response.resume();
    await once(response, 'end');
    const { statusCode, headers: received } = response;
    return { statusCode, headers: received, isReused: outgoing.reusedSocket };
  };
  const signIn = async () => {
    const form = new URLSearchParams({ name: 'anna', password: PASSWORD }).toString();
    const type = 'application/x-www-form-urlencoded';
    const response = await call('/sign-in', { 'Content-Type': type, Origin: origin }, form);
    assert.equal(response.statusCode, 303);
    return String(response.headers['set-cookie']).split(';')[0] as string;
  };

  const Cookie = await signIn();
  const page = new HttpsAgent({ keepAlive: true, maxSockets: 1 });
  after(() => page.destroy());
  const isPageServed = async (isReused: boolean) => {
    const response = await call('/data/steps', { Cookie }, '', page);
    assert.deepEqual([response.statusCode, response.isReused], [200, isReused]);
  };
  await isPageServed(false);
  const idle = new Set<Socket>();
  const keep = async (socket: Socket, opened: string) => {
    idle.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => idle.delete(socket));
    await once(socket, opened);
  };
  const hold = async (count: number) => {
    for (let opened = 0; opened < count; opened++) await keep(connect(Number(port), hostname), 'connect');
  };
  after(() => idle.forEach((socket) => void socket.destroy()));
  let opened = 0;
  // Each round signs in once more, and a person has ten sessions.
  for (let round = 0; round < atDepth(2, 8); round++) {
    const missing = 520 - idle.size;
    let isHolding = true;
    const holding = hold(missing).finally(() => (isHolding = false));
    // Every request is answered while they are opened again, in the connection of the page and in new ones.
    do {
      await isPageServed(true);
      assert.equal((await call('/data/steps', { Cookie })).statusCode, 200);
    } while (isHolding);
    await holding;
    opened += missing;
    await signIn();
    assert.equal((await call('/', { Cookie })).statusCode, 200);
  }
  assert.ok(opened > 800, 'those that were dropped were opened again');
  // Its request never comes.
  const silent = tlsConnect({ host: hostname, port: Number(port), ca: certificate }).resume();
  await keep(silent, 'secureConnect');
  await until('those that never say anything are closed', () => idle.size === 0);
});

/** Credentials of a bucket: where they come from, and when they are read again. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { S3Links } from '../../../src/media/s3/client.ts';
import {
  type Credentials,
  openCredentials,
  RefreshedCredentials,
} from '../../../src/media/s3/credentials.ts';
import { openBucket } from '../../../src/media/s3/files.ts';
import { startS3 } from '../../support/servers/s3.ts';
import { account } from '../../support/servers/s3-guard.ts';
import { temporaryFolder } from '../../support/workspace.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 1);
const folder = temporaryFolder();
const credentialsOf = (name: string, expires = START + 60 * MINUTE): Credentials => ({
  accessKeyId: `id-${name}`,
  secretAccessKey: `secret-${name}`,
  sessionToken: `token-${name}`,
  expires,
});

describe('refreshes', () => {
  /** Each load returns what `next` does. */
  function prepare(next: (call: number) => Credentials | Error) {
    const state = { now: START, calls: 0, failures: [] as string[] };
    const timers: { delay: number; elapse: () => void; isStopped: boolean }[] = [];
    const provider = new RefreshedCredentials({
      clock: () => state.now,
      onFailure: ({ message }) => state.failures.push(message),
      startTimer(delay, elapse) {
        const timer = { delay, elapse, isStopped: false };
        timers.push(timer);
        return () => {
          timer.isStopped = true;
        };
      },
      load: async () => {
        const result = next(++state.calls);
        if (result instanceof Error) throw result;
        return result;
      },
    });
    return { state, timers, provider };
  }

  test('once for many callers, ten minutes before they expire', async () => {
    const { state, provider } = prepare((call) => credentialsOf(`${call}`, START + call * 60 * MINUTE));
    const first = await Promise.all(Array.from({ length: 20 }, () => provider.get()));
    assert.equal(state.calls, 1);
    assert.equal(new Set(first).size, 1);
    state.now += 50 * MINUTE - 1;
    await provider.get();
    assert.equal(state.calls, 1);
    state.now += 1;
    // Those that are still valid are used until there are new ones.
    const second = await Promise.all(Array.from({ length: 20 }, () => provider.get()));
    assert.equal(state.calls, 2);
    assert.equal(second[0]?.accessKeyId, 'id-2');
    assert.equal((await provider.get()).accessKeyId, 'id-2');
  });

  test('again half a minute later while that fails or gives the same, and fails only when they have expired', async () => {
    const { state, provider } = prepare((call) =>
      call === 1 || call === 3
        ? credentialsOf('old')
        : call < 5
          ? new Error('away')
          : credentialsOf('new', START + 200 * MINUTE),
    );
    await provider.get();
    state.now += 50 * MINUTE;
    assert.equal((await provider.get()).accessKeyId, 'id-old');
    await provider.get();
    assert.equal(state.calls, 2);
    assert.deepEqual(state.failures, ['away']);
    state.now += MINUTE / 2;
    assert.equal((await provider.get()).accessKeyId, 'id-old');
    assert.equal(state.calls, 3);
    state.now = START + 60 * MINUTE;
    await assert.rejects(provider.get(), /away/);
    assert.equal((await provider.get()).accessKeyId, 'id-new');
  });

  test('in the background, until it is stopped', async () => {
    const { state, timers, provider } = prepare((call) =>
      credentialsOf(`${call}`, START + call * 60 * MINUTE),
    );
    await provider.get();
    const stop = provider.keepFresh();
    assert.deepEqual(
      timers.map(({ delay }) => delay),
      [50 * MINUTE],
    );
    state.now += 50 * MINUTE;
    await timers[0]?.elapse();
    assert.equal(provider.latest?.accessKeyId, 'id-2');
    assert.equal(timers[1]?.delay, 60 * MINUTE);
    stop();
    assert.equal(timers[1]?.isStopped, true);
    await timers[1]?.elapse();
    assert.equal(timers.length, 2);
  });
});

test('a request whose credentials are rejected is sent again with those of now', async () => {
  const s3 = await startS3();
  let valid = 'first';
  s3.fault = (_method, _url, headers) =>
    headers['x-amz-security-token'] === valid
      ? undefined
      : { status: 403, body: '<Error><Code>ExpiredToken</Code></Error>' };
  const path = join(folder, 'rotating');
  const write = () =>
    writeFileSync(
      path,
      `[default]\naws_access_key_id=${account.accessKeyId}\naws_secret_access_key=${account.secretAccessKey}\naws_session_token=${valid}\n`,
    );
  write();
  let now = START;
  const credentials = openCredentials({ from: 'file', path, profile: 'default' }, { clock: () => now });
  const files = openBucket({ ...s3.location, credentials }, folder, { retryDelay: 1 });
  assert.equal(await files.open('none'), undefined);
  valid = 'second';
  // Nobody has written the new ones yet.
  now += MINUTE / 10;
  await assert.rejects(files.open('none'), /403/);
  write();
  // They were read a moment ago.
  await assert.rejects(files.open('none'), /403/);
  now += MINUTE / 10;
  s3.requests.length = 0;
  assert.equal(await files.open('none'), undefined);
  assert.equal(s3.requests.length, 2);
  assert.equal(await files.open('none'), undefined);
  assert.equal(s3.requests.length, 3);
});

test('a link never outlives the credentials that signed it', async () => {
  const s3 = await startS3();
  // The server knows the time.
  const start = Math.floor(Date.now() / 1000) * 1000;
  const expires = start + 30 * MINUTE + 999;
  const provider = new RefreshedCredentials({
    load: async () => ({ ...account, sessionToken: 'a+/=', expires }),
  });
  await provider.get();
  const links = new S3Links({ ...s3.location, credentials: provider });
  const begins = start / 1000;
  for (const lifetime of [60, 30 * 60, 30 * 60 + 1, 604_800]) {
    const { url, expires: iso } = links.signer('', { begins, expires: begins + lifetime })({
      fileName: '',
      key: 'some/key.png',
    });
    const { searchParams } = new URL(url);
    assert.equal(Date.parse(iso), start + Math.min(lifetime, 30 * 60) * 1000);
    assert.equal(Number(searchParams.get('X-Amz-Expires')), Math.min(lifetime, 30 * 60));
    assert.equal(searchParams.get('X-Amz-Security-Token'), 'a+/=');
    // 404: the server accepts the signature.
    assert.equal((await fetch(url)).status, 404);
  }
});

// Credentials from files, and from real servers that speak the protocols of AWS.

type Answer = string | { status: number; headers?: Record<string, string> } | 'disconnect';

/** A server that answers with what `answer` returns. */
async function startServer(answer: (request: IncomingMessage, body: string) => Answer) {
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    requests.push(`${request.method} ${request.url}`);
    const answered = answer(request, body);
    if (answered === 'disconnect') request.socket.destroy();
    else if (typeof answered === 'string') response.end(answered);
    else response.writeHead(answered.status, answered.headers).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { origin: `http://127.0.0.1:${(server.address() as { port: number }).port}`, requests };
}

const answerOf = (name: string, expires = START + 60 * MINUTE) =>
  JSON.stringify({
    ...{
      Code: 'Success',
      AccessKeyId: `id-${name}`,
      SecretAccessKey: `secret-${name}`,
      Token: `token-${name}`,
    },
    Expiration: new Date(expires).toISOString(),
  });
const clock = () => START;

const machineAt = (endpoint: string) =>
  ({ from: 'machine', path: join(folder, 'none'), profile: 'default', endpoint }) as const;

describe('loads credentials from', () => {
  test('the role of an instance, with version 2 of its metadata service', async () => {
    const path = '/latest/meta-data/iam/security-credentials/';
    const { origin, requests } = await startServer(({ method, url, headers }) => {
      if (url === '/latest/api/token')
        return method === 'PUT' && headers['x-aws-ec2-metadata-token-ttl-seconds']
          ? 'session'
          : { status: 405 };
      if (headers['x-aws-ec2-metadata-token'] !== 'session') return { status: 401 };
      return url === path ? 'the role\n' : answerOf('instance');
    });
    const source = machineAt(origin);
    assert.deepEqual(await openCredentials(source, { clock }).get(), credentialsOf('instance'));
    assert.deepEqual(requests, ['PUT /latest/api/token', `GET ${path}`, `GET ${path}the%20role`]);
  });

  test('a container, with a token from a variable, or a file that is replaced', async () => {
    const seen: (string | undefined)[] = [];
    const { origin } = await startServer(({ headers }) => {
      seen.push(headers.authorization);
      return answerOf(`${seen.length}`, START + MINUTE);
    });
    const container = { from: 'container', url: `${origin}/v2?id=1` } as const;
    await openCredentials({ ...container, token: 'given', tokenFile: undefined }, { clock }).get();
    const tokenFile = join(folder, 'token');
    writeFileSync(tokenFile, 'first\n');
    let now = START;
    const provider = openCredentials({ ...container, token: undefined, tokenFile }, { clock: () => now });
    assert.equal((await provider.get()).accessKeyId, 'id-2');
    writeFileSync(tokenFile, 'second\n');
    now += MINUTE / 2;
    assert.equal((await provider.get()).accessKeyId, 'id-3');
    assert.deepEqual(seen, ['given', 'first', 'second']);
  });

  test('a web identity', async () => {
    const tokenFile = join(folder, 'identity');
    writeFileSync(tokenFile, 'a.b.c\n');
    let sent = new URLSearchParams();
    const { origin } = await startServer((_request, body) => {
      sent = new URLSearchParams(body);
      const { AccessKeyId, SecretAccessKey, Token, Expiration } = JSON.parse(answerOf('web'));
      return (
        `<R><Credentials><AccessKeyId>${AccessKeyId}</AccessKeyId><SecretAccessKey>${SecretAccessKey}</SecretAccessKey>` +
        `<SessionToken>${Token}</SessionToken><Expiration>${Expiration}</Expiration></Credentials></R>`
      );
    });
    const source = {
      from: 'webIdentity',
      tokenFile,
      role: 'arn:aws:iam::1:role/x',
      session: 'zukan',
      endpoint: origin,
    } as const;
    assert.deepEqual(await openCredentials(source, { clock }).get(), credentialsOf('web'));
    assert.deepEqual(Object.fromEntries(sent), {
      Action: 'AssumeRoleWithWebIdentity',
      Version: '2011-06-15',
      RoleArn: 'arn:aws:iam::1:role/x',
      RoleSessionName: 'zukan',
      WebIdentityToken: 'a.b.c',
    });
  });

  test('a file, which is read again every minute', async () => {
    const path = join(folder, 'credentials');
    const write = (id: string, more = '') =>
      writeFileSync(
        path,
        `# mine\n[default]\naws_access_key_id = ${id}\r\naws_secret_access_key=a=b\n${more}\n[ other ]\naws_access_key_id=x\n`,
      );
    write('one');
    let now = START;
    const provider = openCredentials({ from: 'file', path, profile: 'default' }, { clock: () => now });
    const plain = { secretAccessKey: 'a=b', sessionToken: undefined, expires: undefined };
    assert.deepEqual(await provider.get(), { accessKeyId: 'one', ...plain });
    write('two', 'aws_session_token = t\naws_expiration = 2026-01-01T00:20:00Z');
    now += MINUTE - 1;
    assert.equal((await provider.get()).accessKeyId, 'one');
    now += 1;
    const temporary = {
      accessKeyId: 'two',
      secretAccessKey: 'a=b',
      sessionToken: 't',
      expires: START + 20 * MINUTE,
    };
    assert.deepEqual(await provider.get(), temporary);
    assert.equal(provider.latest?.accessKeyId, 'two');
    // It is missing for a moment, while somebody writes it.
    writeFileSync(path, '');
    now += 15 * MINUTE;
    assert.equal((await provider.get()).accessKeyId, 'two');
    const other = openCredentials({ from: 'file', path, profile: 'other' });
    await assert.rejects(other.get(), /credentials has no profile "other"; set AWS_PROFILE/);
    write('three');
    await assert.rejects(other.get(), /the profile "other" in .*credentials lacks aws_access_key_id or/);
    chmodSync(path, 0o600);
    await assert.rejects(
      openCredentials({ from: 'file', path: join(folder, 'nowhere'), profile: 'x' }).get(),
      /ENOENT.*nowhere/,
    );
  });
});

describe('explains', () => {
  const answers: [string, () => Answer, RegExp][] = [
    ['a refusal', () => ({ status: 404 }), /\/creds responded 404$/],
    ['a broken server', () => ({ status: 500 }), /\/creds responded 500$/],
    ['no response', () => 'disconnect', /\/creds does not respond: /],
    [
      'a redirect',
      () => ({ status: 302, headers: { location: 'http://127.0.0.1:1/' } }),
      /\/creds responded 302$/,
    ],
    [
      'a cut response, without its secret',
      () => answerOf('x').slice(0, 70),
      /^[^{]*\/creds sent no valid credentials$/,
    ],
    ['missing fields', () => '{"AccessKeyId":"a","Code":"Failed"}', /\/creds sent no valid credentials$/],
    [
      'a bad date',
      () => answerOf('x').replace(/"Expiration":"[^"]*"/, '"Expiration":"x"'),
      /not a date and time/,
    ],
    ['a huge response', () => 'x'.repeat(100_000), /sent more than 65536 bytes/],
    ['expired credentials', () => answerOf('x', START), /the credentials have expired/],
  ];
  for (const [what, answer, message] of answers) {
    test(what, async () => {
      const { origin } = await startServer(answer);
      const source = {
        from: 'container',
        url: `${origin}/creds`,
        token: undefined,
        tokenFile: undefined,
      } as const;
      await assert.rejects(openCredentials(source, { clock }).get(), message);
    });
  }

  test('a machine without credentials', async () => {
    const { origin } = await startServer(() => ({ status: 404 }));
    const source = machineAt(origin);
    await assert.rejects(
      openCredentials(source).get(),
      /^Error: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or create .*none; this machine has no role either \(.*404\)$/,
    );
  });

  test('a server that is busy for a moment is asked again', async () => {
    let calls = 0;
    const { origin } = await startServer(() => (++calls < 3 ? { status: 503 } : answerOf('late')));
    const source = { from: 'container', url: origin, token: undefined, tokenFile: undefined } as const;
    assert.equal((await openCredentials(source, { clock }).get()).accessKeyId, 'id-late');
  });
});

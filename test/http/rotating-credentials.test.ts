/** A server whose credentials for S3 come from a service and rotate. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createCatalogue } from '../../src/server/engines.ts';
import { succeed } from '../support/catalogues/backup.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { startS3 } from '../support/servers/s3.ts';
import { account } from '../support/servers/s3-guard.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand } from '../support/zukan/program.ts';
import { configFor, startService } from '../support/zukan/service.ts';

const MINUTE = 60_000;
const folder = temporaryFolder();
const s3 = await startS3();
// The servers know the time.
let now = Date.now();
let calls = 0;
let isAway = false;
const service = createServer((request, response) => {
  if (isAway || request.headers.authorization !== 'let me in') {
    response.writeHead(403).end();
    return;
  }
  calls++;
  const { accessKeyId, secretAccessKey } = account;
  const expires = new Date(now + 30 * MINUTE).toISOString();
  const fields = { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token: `token-${calls}` };
  response.end(JSON.stringify({ ...fields, Expiration: expires }));
}).listen(0, '127.0.0.1');
await once(service, 'listening');
after(() => {
  service.close();
  service.closeAllConnections();
});
const environment = {
  DATA_DIR: join(folder, 'data'),
  THUMBNAILS: 'off',
  FILES_URL: s3.environment().FILES_URL as string,
  AWS_CONTAINER_CREDENTIALS_FULL_URI: `http://127.0.0.1:${(service.address() as { port: number }).port}/`,
  AWS_CONTAINER_AUTHORIZATION_TOKEN: 'let me in',
};

test('imports and links use temporary credentials, and new ones before they expire', async () => {
  writeTiny(join(folder, 'pictures'), '1.png', 1);
  await succeed(['import', '--quiet', join(folder, 'pictures')], environment);
  const config = configFor(folder, environment);
  // Asks once whose the bucket is.
  await createCatalogue(config);
  calls = 0;
  const server = await startService(config, { clock: () => now });
  const randomImage = async () => (await server.get('/api/image/random')).json.data[0];
  const started = now;
  const first = await randomImage();
  assert.equal(new URL(first.url).searchParams.get('X-Amz-Security-Token'), 'token-1');
  // The credentials last half an hour, links would last one.
  assert.equal(Date.parse(first.meta.expires), Math.floor((started + 30 * MINUTE) / 1000) * 1000);
  assert.equal((await fetch(first.url)).status, 200);

  now += 19 * MINUTE;
  assert.equal((await server.get('/health/ready')).json.status, 'ready');
  assert.equal((await randomImage()).meta.expires, first.meta.expires);
  now += 2 * MINUTE;
  assert.equal((await server.get('/health/ready')).json.status, 'ready');
  const second = await randomImage();
  assert.equal(new URL(second.url).searchParams.get('X-Amz-Security-Token'), 'token-2');
  assert.ok(Date.parse(second.meta.expires) > Date.parse(first.meta.expires));

  isAway = true;
  now += 29 * MINUTE;
  assert.equal((await server.get('/health/ready')).json.status, 'ready');
  now += 2 * MINUTE;
  const { json } = await server.get('/health/ready');
  assert.equal(json.status, 'degraded');
  assert.match(json.parts.files, /./);
  // The API works; its links say the truth.
  assert.ok(Date.parse((await randomImage()).meta.expires) <= now);
  isAway = false;
  now += 2000;
  assert.equal((await server.get('/health/ready')).json.status, 'ready');
  assert.equal(new URL((await randomImage()).url).searchParams.get('X-Amz-Security-Token'), 'token-3');
});

test('a server without credentials does not start, and says what to do', async () => {
  const { AWS_CONTAINER_AUTHORIZATION_TOKEN: _token, ...without } = environment;
  const { status, errors } = await runCommand(['serve'], { ...without, PORT: '0', LOG_LEVEL: 'silent' });
  assert.equal(status, 1);
  assert.match(errors, /^zukan: there are no credentials for FILES_URL: http:.* responded 403\n$/);
});

/**
 * A private S3 server on a free loopback port, stopped after the tests. s3rver stores the objects. A proxy in front of it
 * checks what s3rver does not (signatures, with the SDK's signer, and checksums of uploads) and injects faults.
 */
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createRequire } from 'node:module';
import { buffer } from 'node:stream/consumers';
import { after } from 'node:test';
import { fixedCredentials } from '../../../src/media/s3/credentials.ts';
import type { S3Location } from '../../../src/media/s3/files.ts';
import { temporaryFolder } from '../workspace.ts';
import { account, findRejection } from './s3-guard.ts';

/** What happens to a request instead of normal handling. */
export type Fault =
  /** No response. */
  | 'silence'
  /** Headers and one byte, then nothing. */
  | 'stall'
  | { status: number; body?: string; headers?: Record<string, string> }
  /** The bytes are replaced, before or after they are checked. */
  | { sent: Buffer }
  | { stored: Buffer }
  /** Headers to add to the response. */
  | { added: Record<string, string> };

export interface PrivateS3 {
  location: S3Location;
  /** The method and URL of each request. `aborted` follows when the client gives up after silence. */
  requests: string[];
  /** The variables that name the bucket, or what has this prefix in it. */
  environment(prefix?: string): Record<string, string>;
  /** Called for each request. */
  fault: (method: string, url: string, headers: IncomingHttpHeaders) => Fault | undefined;
}

export async function startS3(): Promise<PrivateS3> {
  const port = await startStorage();
  const s3: PrivateS3 = {
    location: {
      bucket: 'zukan',
      prefix: '',
      endpoint: '',
      region: account.region,
      credentials: fixedCredentials(account),
    },
    requests: [],
    environment: (prefix = '') => ({
      FILES_URL: `s3://zukan/${prefix}?endpoint=${s3.location.endpoint}&region=${account.region}`,
      AWS_ACCESS_KEY_ID: account.accessKeyId,
      AWS_SECRET_ACCESS_KEY: account.secretAccessKey,
    }),
    fault: () => undefined,
  };
  const server = createServer((incoming, outgoing) => {
    handle(s3, port, incoming, outgoing).catch((error) => outgoing.destroy(error));
  });
  s3.location.endpoint = `http://127.0.0.1:${await listen(server)}`;
  return s3;
}

async function startStorage(): Promise<number> {
  const S3rver = createRequire(import.meta.url)('s3rver');
  const storage = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    vhostBuckets: false,
    directory: temporaryFolder(),
    configureBuckets: [{ name: 'zukan' }],
  });
  const { port } = await storage.run();
  after(() => stop(storage.httpServer));
  return port;
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => stop(server));
  return (server.address() as { port: number }).port;
}

function stop(server: Server): void {
  server.close();
  server.closeAllConnections();
}

async function handle(s3: PrivateS3, port: number, incoming: IncomingMessage, outgoing: ServerResponse) {
  const { method = '', url = '' } = incoming;
  s3.requests.push(`${method} ${url}`);
  let body: Buffer = await buffer(incoming);
  const fault = s3.fault(method, url, incoming.headers);
  if (fault === 'silence') {
    outgoing.once('close', () => s3.requests.push('aborted'));
    return;
  }
  if (fault === 'stall') {
    outgoing.writeHead(206, { 'content-length': incoming.headers.range ? 10 : 0 }).write('a');
    return;
  }
  if (fault && 'status' in fault) {
    outgoing.writeHead(fault.status, fault.headers).end(fault.body);
    return;
  }
  if (fault && 'sent' in fault) body = fault.sent;
  const rejection = await findRejection(incoming, body);
  if (rejection) {
    const [status, code] = rejection;
    outgoing.writeHead(status, { 'content-type': 'application/xml' });
    outgoing.end(`<Error><Code>${code}</Code><Message>No.</Message></Error>`);
    return;
  }
  if (fault && 'stored' in fault) body = fault.stored;
  const headers = { ...incoming.headers, 'content-length': String(body.length) };
  const forwarded = request({ host: '127.0.0.1', port, method, path: url, headers });
  forwarded.end(body);
  outgoing.once('close', () => forwarded.destroy());
  const [response] = (await once(forwarded, 'response')) as [IncomingMessage];
  const added = fault && 'added' in fault ? fault.added : {};
  outgoing.writeHead(response.statusCode ?? 0, { ...response.headers, ...added });
  response.pipe(outgoing);
}

/**
 * A private S3 on a free port of the loopback, gone with the test: s3rver keeps the objects, and a front before it checks
 * what s3rver does not (signatures, with the SDK's own signer, and the digests of what is uploaded) and makes trouble
 * on demand.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { buffer } from 'node:stream/consumers';
import { after } from 'node:test';
import type { S3Location } from '../../src/media/s3/files.ts';
import { account, refusalOf } from './s3-guard.ts';
import { temporaryFolder } from './workspace.ts';

/** What happens to a request instead of what should. */
export type Trouble =
  | 'silence'
  /** Headers and a byte, and then nothing more. */
  | 'stall'
  | { status: number; body?: string; headers?: Record<string, string> }
  /** The bytes arrive as others, before or after they are checked. */
  | { sent: Buffer }
  | { stored: Buffer }
  /** The answer has these headers too. */
  | { answered: Record<string, string> };

export interface PrivateS3 {
  location: S3Location;
  /** Of every request that came: method and path with query. One that got silence is followed by `given up`. */
  requests: string[];
  /** Asked before each request is treated as it should be. */
  trouble: (method: string, url: string) => Trouble | undefined;
}

export async function startS3(): Promise<PrivateS3> {
  const port = await startStorage();
  const s3: PrivateS3 = {
    location: { bucket: 'zukan', prefix: '', endpoint: '', ...account },
    requests: [],
    trouble: () => undefined,
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
  const trouble = s3.trouble(method, url);
  if (trouble === 'silence') {
    outgoing.once('close', () => s3.requests.push('given up'));
    return;
  }
  if (trouble === 'stall') {
    outgoing.writeHead(206, { 'content-length': incoming.headers.range ? 10 : 0 }).write('a');
    return;
  }
  if (trouble && 'status' in trouble) {
    outgoing.writeHead(trouble.status, trouble.headers).end(trouble.body);
    return;
  }
  if (trouble && 'sent' in trouble) body = trouble.sent;
  const refusal = await refusalOf(incoming, body);
  if (refusal) {
    const [status, code] = refusal;
    outgoing.writeHead(status, { 'content-type': 'application/xml' });
    outgoing.end(`<Error><Code>${code}</Code><Message>No.</Message></Error>`);
    return;
  }
  if (trouble && 'stored' in trouble) body = trouble.stored;
  const headers = { ...incoming.headers, 'content-length': String(body.length) };
  const forwarded = request({ host: '127.0.0.1', port, method, path: url, headers });
  forwarded.end(body);
  outgoing.once('close', () => forwarded.destroy());
  const [answer] = (await once(forwarded, 'response')) as [IncomingMessage];
  const added = trouble && 'answered' in trouble ? trouble.answered : {};
  outgoing.writeHead(answer.statusCode ?? 0, { ...answer.headers, ...added });
  answer.pipe(outgoing);
}

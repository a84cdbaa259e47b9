/** A bare client: sends bytes as they are and reads responses strictly. Any HTTP library would correct both. */
import { connect, type Socket } from 'node:net';

export interface Answer {
  status: number;
  /** By name in lower case. Values of a repeated header are joined. */
  headers: Record<string, string | undefined>;
  bytes: Buffer;
}

/** Nothing may take longer, not even with a hung database. */
const TIMEOUT_MS = 20_000;
const HEAD_END = Buffer.from('\r\n\r\n');

/** Reads responses from a stream of bytes. */
export class ResponseReader {
  #rest: Buffer = Buffer.alloc(0);

  /** Whether bytes are left that are not a whole response. */
  get isPartial(): boolean {
    return this.#rest.length > 0;
  }

  push(chunk: Buffer): void {
    this.#rest = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
  }

  /** The next response if it is complete. Throws if it is not valid. Interim responses are skipped. */
  next(isHead: boolean): Answer | undefined {
    for (;;) {
      const end = this.#rest.indexOf(HEAD_END);
      if (end < 0) return undefined;
      const { status, headers } = parseHead(this.#rest.toString('latin1', 0, end));
      const start = end + HEAD_END.length;
      if (status < 200) {
        this.#rest = this.#rest.subarray(start);
        continue;
      }
      const length = isHead || status === 204 || status === 304 ? 0 : bodyLength(headers);
      if (this.#rest.length < start + length) return undefined;
      const bytes = this.#rest.subarray(start, start + length);
      this.#rest = this.#rest.subarray(start + length);
      return { status, headers, bytes };
    }
  }
}

function parseHead(head: string): Pick<Answer, 'headers' | 'status'> {
  const [first = '', ...lines] = head.split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
  if (!status) throw new Error(`not a status line: ${JSON.stringify(first.slice(0, 100))}`);
  const headers: Answer['headers'] = {};
  for (const line of lines) {
    const colon = line.indexOf(': ');
    if (colon < 1) throw new Error(`not a header: ${JSON.stringify(line.slice(0, 100))}`);
    const name = line.slice(0, colon).toLowerCase();
    const [value, previous] = [line.slice(colon + 2), headers[name]];
    headers[name] = previous === undefined ? value : `${previous}, ${value}`;
  }
  return { status, headers };
}

function bodyLength({ 'content-length': length }: Answer['headers']): number {
  if (length === undefined || !/^\d+$/.test(length)) throw new Error(`invalid Content-Length: ${length}`);
  return Number(length);
}

export class Connection {
  readonly #socket: Socket;
  readonly #reader = new ResponseReader();
  #isClosed = false;
  #wake = () => {};

  constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('data', (chunk: Buffer) => {
      this.#reader.push(chunk);
      this.#wake();
    });
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => {
      this.#isClosed = true;
      this.#wake();
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  send(text: string): void {
    this.#socket.write(text, 'latin1');
  }

  /** Closes this side. */
  end(): void {
    this.#socket.end();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** The next response; undefined if the server closes the connection first. Throws if it is invalid or does not come. */
  async receive(isHead: boolean): Promise<Answer | undefined> {
    const deadline = performance.now() + TIMEOUT_MS;
    for (;;) {
      const answer = this.#reader.next(isHead);
      if (answer) return answer;
      if (this.#isClosed && this.#reader.isPartial)
        throw new Error('the connection was closed within a response');
      if (this.#isClosed) return undefined;
      if (performance.now() > deadline) throw new Error(`no response within ${TIMEOUT_MS / 1000} s`);
      await this.waitForData(TIMEOUT_MS);
    }
  }

  /** Waits until something arrives or the connection is closed, but no longer than this. */
  waitForData(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Sends one request after the other, on a new connection when the last one has ended. */
export class Client {
  readonly #port: number;
  #connection: Connection | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  async send(text: string, isHead = false): Promise<Answer | undefined> {
    if (this.#connection?.isClosed) this.#connection = undefined;
    this.#connection ??= new Connection(this.#port);
    this.#connection.send(text);
    const answer = await this.#connection.receive(isHead);
    if (!answer || answer.headers.connection === 'close') this.close();
    return answer;
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}

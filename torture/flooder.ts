/** Hostile clients. */
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Random } from './random.ts';
import type { Target } from './servers.ts';

export function request(path: string, client = '10.0.0.1'): string {
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: ${client}\r\n\r\n`;
}

export const closed = (socket: Socket) =>
  socket.destroyed
    ? Promise.resolve()
    : new Promise<void>((resolve) => socket.once('close', () => resolve()));

/** The hostile clients of one flood. */
export class Flooder {
  readonly random: Random;
  readonly #target: Target;
  readonly #connections: number;
  readonly #deadline: number;
  readonly #sockets = new Set<Socket>();

  constructor(target: Target, random: Random, connections: number, deadline: number) {
    this.#target = target;
    this.random = random;
    this.#connections = connections;
    this.#deadline = deadline;
  }

  isOver(): boolean {
    return performance.now() > this.#deadline;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Opens the connections, all at once or with a pause, sends the text on each and reads nothing. */
  async hold(text: string, pauseMs = 0): Promise<void> {
    for (let number = 0; number < this.#connections; number++) {
      this.#connect().write(text);
      if (pauseMs > 0) await setTimeout(pauseMs);
    }
    await this.#untilOver();
  }

  /** Uses one connection after the other, so many at a time, with a pause between them. */
  async repeat(pauseMs: number, use: (socket: Socket) => Promise<void>): Promise<void> {
    const client = async () => {
      while (!this.isOver()) {
        const socket = this.#connect();
        await Promise.race([use(socket), this.#untilOver()]);
        socket.destroy();
        await setTimeout(pauseMs);
      }
    };
    await Promise.all(Array.from({ length: this.#connections }, client));
  }

  /** A client on each connection, which sends one request per second, and reads the responses. */
  async pace(nextPath: (random: Random) => string): Promise<void> {
    const clients = this.#connections;
    const sockets = Array.from({ length: clients }, () => this.#connect().resume());
    const startedAt = performance.now();
    for (let number = 0; !this.isOver(); number++) {
      const address = `10.1.${(number % clients) >> 8}.${(number % clients) & 255}`;
      sockets[number % clients]?.write(request(nextPath(this.random), address));
      await setTimeout(Math.max(0, startedAt + ((number + 1) * 1000) / clients - performance.now()));
    }
  }

  /** The path of a file, from the API. */
  async fileLink(): Promise<string> {
    const headers = { 'X-Forwarded-For': '10.2.0.1' };
    const response = await fetch(`${this.#target.origin}/api/image/random?limit=1&categories=file`, {
      headers,
    });
    const { data } = (await response.json()) as { data: [{ url: string }] };
    const { pathname, search } = new URL(data[0].url);
    return pathname + search;
  }

  #connect(): Socket {
    const socket = connect(this.#target.port, '127.0.0.1').pause();
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.#sockets.delete(socket));
    return socket;
  }

  #untilOver(): Promise<unknown> {
    return setTimeout(Math.max(0, this.#deadline - performance.now()));
  }
}

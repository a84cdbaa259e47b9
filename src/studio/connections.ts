/** Connections without a session can neither use up all connections nor keep others from getting in. */
import type { BlockList, Server, Socket } from 'node:net';
import { ownerOf } from '../access/clients.ts';

const MAX_CONNECTIONS = 500;
/**
 * Without a session, of an address or the /64 network of an IPv6 address. Behind it may be somebody else, whose new connection has
 * time for its first request until so many more have come.
 */
const MAX_PER_OWNER = 200;

interface Connection {
  socket: Pick<Socket, 'destroy'>;
  /** Undefined: a proxy's, which has many clients. */
  owner: string | undefined;
  hasSession: boolean;
}

type Ends = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress'>;

/** With TLS, a request has another socket than its connection, with the same ends. */
const nameOf = ({ remoteAddress, remotePort, localAddress }: Ends) =>
  `${remoteAddress} ${remotePort} ${localAddress}`;

export class Connections {
  readonly #max: number;
  readonly #maxPerOwner: number;
  /** The oldest first. */
  readonly #open = new Map<string, Connection>();

  constructor(max = MAX_CONNECTIONS, maxPerOwner = MAX_PER_OWNER) {
    this.#max = max;
    this.#maxPerOwner = maxPerOwner;
  }

  watch(server: Server, proxies: BlockList): void {
    server.on('connection', (socket) => {
      const name = nameOf(socket);
      socket.once('close', () => this.remove(name, socket));
      this.add(name, socket, ownerOf(socket, proxies));
    });
  }

  /** If the owner has too many without a session, its oldest goes; if there are too many in all, the oldest of whoever has most. */
  add(name: string, socket: Connection['socket'], owner: string | undefined): void {
    this.#open.set(name, { socket, owner, hasSession: false });
    const without = [...this.#open].filter(([, { hasSession }]) => !hasSession);
    const byOwner = Map.groupBy(without, ([, connection]) => connection.owner);
    const own = byOwner.get(owner) ?? [];
    if (owner !== undefined && own.length > this.#maxPerOwner) this.#drop(own);
    else if (this.#open.size > this.#max)
      this.#drop([...byOwner.values()].reduce((most, other) => (other.length > most.length ? other : most)));
  }

  #drop([first]: [string, Connection][]): void {
    if (!first) return;
    const [name, { socket }] = first;
    this.#open.delete(name);
    socket.destroy();
  }

  /** Whether the latest request had a session. */
  setSession(socket: Ends, hasSession: boolean): void {
    const connection = this.#open.get(nameOf(socket));
    if (connection) connection.hasSession = hasSession;
  }

  /** Another connection may have the name by now. */
  remove(name: string, socket: Connection['socket']): void {
    if (this.#open.get(name)?.socket === socket) this.#open.delete(name);
  }
}

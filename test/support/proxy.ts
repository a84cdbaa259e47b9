/** A way to a server that can be watched, cut, and made to swallow everything. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { after } from 'node:test';

export interface Proxy {
  port: number;
  /** From now on nothing comes through, in either direction, and nobody is told. */
  isSilent: boolean;
  /** Called with what clients send, after it was sent on. */
  onSent: (bytes: Buffer) => void;
  /** Breaks all connections. */
  cut(): void;
}

export async function startProxy(target: number): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    client.on('data', (bytes: Buffer) => {
      if (proxy.isSilent) return;
      upstream.write(bytes);
      proxy.onSent(bytes);
    });
    upstream.on('data', (bytes) => {
      if (!proxy.isSilent) client.write(bytes);
    });
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => {
      if (!proxy.isSilent) client.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: Proxy = {
    port: (server.address() as { port: number }).port,
    isSilent: false,
    onSent: () => {},
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
  after(() => {
    proxy.cut();
    server.close();
  });
  return proxy;
}

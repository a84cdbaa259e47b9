/** A TCP proxy that can be observed, cut, or made to swallow all traffic. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { after } from 'node:test';

export interface Proxy {
  port: number;
  /** Drops all data in both directions without closing connections. */
  isSilent: boolean;
  /** Called with data from clients after it was forwarded. */
  onSent: (bytes: Buffer) => void;
  /** Closes all connections. */
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

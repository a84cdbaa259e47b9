/** Ports that several threads listen on. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { Address } from '../http/server/server.ts';

/** False on systems without SO_REUSEPORT that distributes connections, such as macOS and Windows. */
export async function canSharePorts(): Promise<boolean> {
  try {
    await close(await listen({ host: '127.0.0.1', port: 0, reusePort: true }));
    return true;
  } catch {
    return false;
  }
}

/**
 * Reserves a port until the threads listen on it; 0 picks a free one. Fails if another process listens there: without this
 * check, the threads would share the port with it.
 */
export async function reservePort({ host, port }: Address) {
  if (port > 0) await close(await listen({ host, port }));
  const server = await listen({ host, port, reusePort: true });
  // Nobody expects an answer before the threads listen.
  server.on('connection', (socket) => socket.destroy());
  const reserved: Address = { host, port: (server.address() as AddressInfo).port, reusePort: true };
  return { address: reserved, release: () => close(server) };
}

async function listen(address: Address): Promise<Server> {
  const server = createServer().listen(address);
  await once(server, 'listening');
  return server;
}

async function close(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}

/** Ports that several threads listen on. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
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

/** Fails if another process listens on the port: without this check, the threads would share the port with it. */
export async function refusePortInUse({ host, port }: Address): Promise<void> {
  if (port > 0) await close(await listen({ host, port }));
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

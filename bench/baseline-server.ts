/** The baseline: a bare `node:http` server that sends a constant body of the given size. Runs in its own process. */
import { createServer } from 'node:http';

const body = Buffer.alloc(Number(process.argv[2]), 'x');
const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length };
const server = createServer((_request, response) => {
  response.writeHead(200, headers);
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as { port: number };
  console.log(`http://127.0.0.1:${port}`);
});
process.once('SIGTERM', () => process.exit(0));

import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Returns a port of 127.0.0.1 that nothing listens on. It is below the ports that systems give to connections, and to servers
 * that ask for any port. So nobody gets it before the test uses it, or while a test restarts its server.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    // Browsers refuse to connect to 10080.
    const port = 11_000 + Math.floor(Math.random() * 20_000);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch {
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}

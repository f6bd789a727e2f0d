import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An HTTP server of a test, on 127.0.0.1. */
export interface HttpServer {
  port: number;
  url: string;
  /** Closes all connections, and waits until the server is closed. */
  stop(): Promise<void>;
}

/** Starts an HTTP server. Without a port, the system chooses a free one. */
export async function listen(handler: RequestListener, port = 0): Promise<HttpServer> {
  const server = createServer(handler).listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    url: `http://127.0.0.1:${address.port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

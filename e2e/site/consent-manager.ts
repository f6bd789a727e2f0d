import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A fake consent manager: an HTTP server on its own origin. */
export interface ConsentManager {
  url: string;
  /** The requested paths. Each path is followed by the referrer, if there is one. */
  requests: string[];
  /** Makes all following HTTP requests fail. */
  fail(): void;
  stop(): Promise<void>;
}

const QUEUE = `window.consentHeard = [];
  const waiting = window.consentQueue;
  window.consentQueue = { push: (command) => window.consentHeard.push(command) };
  for (const command of waiting) window.consentQueue.push(command);`;
const BOOT = `window.consentBooted = document.currentScript.dataset.consentId;`;

export async function startConsentManager(): Promise<ConsentManager> {
  const scripts: Record<string, string> = { '/queue.js': QUEUE, '/boot.js': BOOT };
  const requests: string[] = [];
  let broken = false;
  const server = createServer((request, response) => {
    requests.push(`${request.url} ${request.headers.referer ?? ''}`.trim());
    const script = broken ? undefined : scripts[request.url ?? ''];
    response.setHeader('content-type', 'text/javascript; charset=utf-8');
    response.setHeader('cache-control', 'no-store');
    response.setHeader('cross-origin-resource-policy', 'cross-origin');
    response.statusCode = script === undefined ? 500 : 200;
    response.end(script);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    fail() {
      broken = true;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

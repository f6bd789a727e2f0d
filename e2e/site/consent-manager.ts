import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A consent manager on an origin of its own, which answers over HTTP as a real one would. */
export interface ConsentManager {
  url: string;
  /** What it was asked for: path, and the referring address where the browser told one. */
  asked: string[];
  /** From now on it is out of order. */
  breaks(): void;
  stop(): Promise<void>;
}

const QUEUE = `window.consentHeard = [];
  const waiting = window.consentQueue;
  window.consentQueue = { push: (command) => window.consentHeard.push(command) };
  for (const command of waiting) window.consentQueue.push(command);`;
const BOOT = `window.consentBooted = document.currentScript.dataset.consentId;`;

export async function startConsentManager(): Promise<ConsentManager> {
  const scripts: Record<string, string> = { '/queue.js': QUEUE, '/boot.js': BOOT };
  const asked: string[] = [];
  let broken = false;
  const server = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers.referer ?? ''}`.trim());
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
    asked,
    breaks() {
      broken = true;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

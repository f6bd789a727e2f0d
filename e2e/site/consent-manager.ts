import { type HttpServer, listen } from './http-server.ts';

/** A fake consent manager: an HTTP server on its own origin. */
export interface ConsentManager extends HttpServer {
  /** The requested paths. Each path is followed by the referrer, if there is one. */
  requests: string[];
  /** Makes all following HTTP requests fail. */
  fail(): void;
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
  const server = await listen((request, response) => {
    requests.push(`${request.url} ${request.headers.referer ?? ''}`.trim());
    const script = broken ? undefined : scripts[request.url ?? ''];
    response.setHeader('content-type', 'text/javascript; charset=utf-8');
    response.setHeader('cache-control', 'no-store');
    response.setHeader('cross-origin-resource-policy', 'cross-origin');
    response.statusCode = script === undefined ? 500 : 200;
    response.end(script);
  });
  return {
    ...server,
    requests,
    fail() {
      broken = true;
    },
  };
}

import { type BrowserContext, expect } from '@playwright/test';

declare global {
  interface Window {
    reportViolation(text: string): void;
  }
}

/**
 * The console messages of the browser and of the screens for a status from 400 to 499. Tests assert expected statuses
 * themselves.
 */
const REFUSAL = /^Failed to (load resource|perform request).* status (of )?4\d\d/;

/**
 * Observes a browser context. The returned function fails if a page violated its content security policy, threw an
 * exception, logged an error, or sent an HTTP request to another origin.
 */
export async function guard(context: BrowserContext, origin: string): Promise<() => void> {
  const problems: string[] = [];
  await context.exposeFunction('reportViolation', (text: string) => {
    problems.push(`content security policy: ${text}`);
  });
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      window.reportViolation(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
    });
  });
  context.on('weberror', (error) => problems.push(`thrown: ${error.error().message}`));
  context.on('console', (message) => {
    if (message.type() === 'error' && !REFUSAL.test(message.text())) {
      problems.push(`console: ${message.text()}`);
    }
  });
  context.on('request', (request) => {
    const url = new URL(request.url());
    const inside = url.origin === origin || url.protocol === 'data:' || url.protocol === 'blob:';
    if (!inside) problems.push(`request to another origin: ${request.url()}`);
  });
  return () => expect(problems).toEqual([]);
}

import type { IncomingHttpHeaders } from 'node:http';
import { expect } from '@playwright/test';
import { Webhook } from 'standardwebhooks';
import { test } from '../fixtures.ts';
import { join, newPerson } from '../site/accounts.ts';
import { listen } from '../site/http-server.ts';
import { startSite } from '../site/site.ts';

interface Delivery {
  body: string;
  headers: Record<string, string>;
}

function flat(headers: IncomingHttpHeaders): Record<string, string> {
  const pairs = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return Object.fromEntries(pairs);
}

// security: WH-2
test('the reference library verifies the webhooks of a registration', async ({
  database,
  mail,
}) => {
  const deliveries: Delivery[] = [];
  const receiver = await listen(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    deliveries.push({ body, headers: flat(request.headers) });
    response.writeHead(204).end();
  });
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const hook = `[[webhooks]]\nurl = "${receiver.url}/hook"\nsecret = "${secret}"\n`;
  const site = await startSite(database, mail, {}, hook);
  try {
    await join(site, newPerson());
    await expect.poll(() => deliveries.length).toBeGreaterThanOrEqual(2);
    const library = new Webhook(secret);
    for (const { body, headers } of deliveries) {
      expect(library.verify(body, headers)).toEqual(JSON.parse(body));
      expect(() => library.verify(`${body} `, headers)).toThrow();
    }
    const types = deliveries.map(({ body }) => JSON.parse(body).type).sort();
    expect(types).toEqual(['account.created', 'account.verified']);
  } finally {
    await site.stop();
    await receiver.stop();
  }
});

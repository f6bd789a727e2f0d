import { generateKeyPairSync, type JsonWebKey, sign } from 'node:crypto';
import type { BrowserContext } from '@playwright/test';
import { test as base, expect } from '../fixtures.ts';
import { type SampleAppScreen, sampleAppScreen } from '../screens/sample-app.ts';
import { API } from '../site/accounts.ts';
import { listen } from '../site/http-server.ts';
import { freePort, Program } from '../site/program.ts';
import { SampleApp } from '../site/sample-app.ts';

interface Demo {
  site: Program;
  app: SampleApp;
  /** The secret of the authenticator app of the demo user `twostep`. */
  key: string | undefined;
  /** Opens the sample application in a new browser. */
  visit: () => Promise<SampleAppScreen>;
}

const test = base.extend<{ demo: Demo }>({
  demo: async ({ browser }, use) => {
    const site = await Program.start({}, 'demo');
    const contexts: BrowserContext[] = [];
    try {
      const app = await SampleApp.ofDemo(site);
      const key = site.output.match(/app of twostep: enter the key ([A-Z2-7]+)/)?.[1];
      const visit = async () => {
        const context = await browser.newContext();
        contexts.push(context);
        const screen = sampleAppScreen(await context.newPage(), app.origin);
        await screen.open();
        return screen;
      };
      await use({ site, app, key, visit });
      for (const context of contexts) await context.close();
      await app.stop();
    } finally {
      await site.stop();
    }
  },
});

test('the sample application of the demo signs in and out with the account', async ({
  demo,
  expectAccessible,
}) => {
  const screen = await demo.visit();
  const { page } = screen;
  await expect(screen.welcome).toBeVisible();
  await expectAccessible(page);

  await screen.signInAs('verified');
  const atSite = () => page.request.get(`${demo.site.origin}${API}/users/me`);
  const me = await (await atSite()).json();
  await expect(screen.fact('Username')).toHaveText('verified');
  await expect(screen.fact('Email')).toHaveText('verified@demo.example');
  await expect(screen.fact('Level')).toHaveText('aal1');
  await expect(screen.fact('Account ID')).toHaveText(me.id);
  await expectAccessible(page);

  await screen.signOut.click();
  await expect(screen.signedOut).toBeVisible();
  await expectAccessible(page);
  expect((await atSite()).status()).toBe(401);
  await screen.open();
  await expect(screen.welcome).toBeVisible();
  expect(demo.app.log).toBe('');
});

test('the sample application shows the level of a sign-in with a second step', async ({ demo }) => {
  const screen = await demo.visit();
  await screen.signInAs('twostep', demo.key);
  await expect(screen.fact('Level')).toHaveText('aal2');
});

// security: OP-11
test('a sign-out of the account ends its session at the sample application, and no other', async ({
  demo,
}) => {
  const [screen, other] = [await demo.visit(), await demo.visit()];
  await screen.signInAs('verified');
  await other.signInAs('twostep', demo.key);
  const answer = await screen.page.request.post(`${demo.site.origin}${API}/logout`);
  expect(answer.status()).toBe(204);
  await expect(async () => {
    await screen.open();
    await expect(screen.welcome).toBeVisible({ timeout: 100 });
  }).toPass();
  await other.open();
  await expect(other.hello('twostep')).toBeVisible();
});

test('a response signs in once, and only the browser that asked', async ({ demo }) => {
  const screen = await demo.visit();
  const response = screen.page.waitForRequest((request) => request.url().includes('/callback?'));
  await screen.signInAs('verified');
  const url = (await response).url();
  for (const one of [await demo.visit(), screen]) {
    const page = await one.page.goto(url);
    expect(page?.status()).toBe(400);
    await expect(one.problem).toContainText('no sign-in of this browser is under way');
  }
  await screen.open();
  await expect(screen.hello('verified')).toBeVisible();
  for (const secret of new URL(url).searchParams.values()) {
    if (secret !== `${demo.site.origin}/account`) expect(demo.app.log).not.toContain(secret);
  }
});

test('a wrong response is a sentence, without its markup', async ({ demo, expectAccessible }) => {
  const screen = await demo.visit();
  const markup = '<img src=x>';
  for (const [changes, sentence] of [
    [{ error: markup }, `the provider refuses it (${markup})`],
    [{ state: 'wrong', code: 'a' }, "the provider's response fails a check"],
    [{ iss: 'https://stranger.example', code: 'a' }, "the provider's response fails a check"],
    [{ code: 'unknown' }, 'the provider refuses it (invalid_grant)'],
  ] as const) {
    const options = { maxRedirects: 0 };
    const request = await screen.page.request.get(`${demo.app.origin}/sign-in`, options);
    const state = new URL(request.headers().location ?? '').searchParams.get('state') ?? '';
    const iss = `${demo.site.origin}/account`;
    const query = new URLSearchParams({ state, iss, ...changes });
    const page = await screen.page.goto(`${demo.app.origin}/callback?${query}`);
    expect(page?.status()).toBe(400);
    await expect(screen.problem).toHaveText(`The sign-in did not work: ${sentence}.`);
    await expect(screen.page.locator('img')).toHaveCount(0);
  }
  await expectAccessible(screen.page);
  expect(demo.app.log).toContain('/callback: ');
});

test('a logout token counts with the right signature and claims alone', async () => {
  const [issuer, stranger] = [keyPair(), keyPair()];
  const provider = await Provider.start(issuer.jwk);
  const app = await provider.app();
  const post = async (logout_token: string) => {
    const body = new URLSearchParams({ logout_token });
    return (await fetch(`${app.origin}/backchannel-logout`, { method: 'POST', body })).status;
  };
  const now = Math.floor(Date.now() / 1000);
  const right = {
    ...{ iss: provider.issuer, aud: 'app', sid: 'session', iat: now, exp: now + 60, jti: 'id' },
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  };
  expect(await post(issuer.token(right))).toBe(200);
  for (const wrong of [
    { iss: 'https://stranger.example' },
    { aud: 'another' },
    { sid: undefined },
    { exp: now },
    { exp: undefined },
    { iat: undefined },
    { jti: undefined },
    { nonce: 'nonce' },
    { events: {} },
    { events: undefined },
  ]) {
    expect(await post(issuer.token({ ...right, ...wrong })), JSON.stringify(wrong)).toBe(400);
  }
  expect(await post(issuer.token(right, { typ: 'JWT' }))).toBe(400);
  expect(await post(issuer.token(right, { kid: 'another' }))).toBe(400);
  expect(await post(issuer.token(right, { alg: 'none' }))).toBe(400);
  expect(await post(stranger.token(right))).toBe(400);
  for (const token of ['', 'no-token', 'a.b.c']) expect(await post(token)).toBe(400);
  expect(await post('x'.repeat(20_000))).toBe(413);
  await app.stop();
  await provider.stop();
});

test('a provider that cannot be reached is a sentence, and the cause is in the log', async ({
  request: browser,
}) => {
  const provider = await Provider.start(keyPair().jwk);
  const app = await provider.app();
  const request = await browser.get(`${app.origin}/sign-in`, { maxRedirects: 0 });
  const state = new URL(request.headers().location ?? '').searchParams.get('state') ?? '';
  await provider.stop();
  const query = new URLSearchParams({ state, code: 'the-code' });
  const answer = await browser.get(`${app.origin}/callback?${query}`);
  expect(answer.status()).toBe(502);
  expect(await answer.text()).toContain('did not work: the provider cannot be reached.');
  expect(app.log).toMatch(/^\/callback: fetch failed: .*ECONNREFUSED/);
  for (const secret of [state, 'the-code', 'the-secret']) expect(app.log).not.toContain(secret);
  await app.stop();
});

/** A fake provider with metadata and one signing key, for tokens that the account site never sends. */
class Provider {
  private constructor(
    readonly issuer: string,
    readonly stop: () => Promise<void>,
  ) {}

  static async start(jwk: JsonWebKey): Promise<Provider> {
    const port = await freePort();
    const issuer = `http://127.0.0.1:${port}`;
    const keys = [{ ...jwk, kid: 'key', alg: 'RS256', use: 'sig' }];
    const [jwks_uri, endpoint] = [`${issuer}/jwks`, `${issuer}/endpoint`];
    const endpoints = { authorization_endpoint: endpoint, token_endpoint: endpoint };
    const { stop } = await listen(({ url }, response) => {
      response.setHeader('content-type', 'application/json');
      const metadata = { issuer, jwks_uri, ...endpoints };
      response.end(JSON.stringify(url === '/jwks' ? { keys } : metadata));
    }, port);
    return new Provider(issuer, stop);
  }

  /** Starts the sample application as a client. */
  async app(): Promise<SampleApp> {
    const ORIGIN = `http://127.0.0.1:${await freePort()}`;
    const client = { CLIENT_ID: 'app', CLIENT_SECRET: 'the-secret' };
    return SampleApp.start({ ISSUER: this.issuer, ...client, ORIGIN });
  }
}

/** Returns a signing key of a provider, and a function that signs tokens with RS256. */
function keyPair(): { jwk: JsonWebKey; token: (claims: object, header?: object) => string } {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  return {
    jwk: publicKey.export({ format: 'jwk' }),
    token: (claims, header = {}) => {
      const all = { alg: 'RS256', kid: 'key', typ: 'logout+jwt', ...header };
      const signed = `${encoded(all)}.${encoded(claims)}`;
      return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
    },
  };
}

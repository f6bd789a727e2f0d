import { createHmac } from 'node:crypto';
import { expect } from '@playwright/test';
import * as openid from 'openid-client';
import { CALLBACK, POST_LOGOUT_ADDRESS, SECRET } from './provider.ts';
import type { RelyingParty, SignedIn } from './relying-party.ts';

/** The input of a module: an application, and a person with a session at the provider. */
export interface ModuleContext {
  party: RelyingParty;
  issuer: string;
  /** Whether a page of the provider asks for a sign-in on behalf of the application. */
  isForm(text: string): boolean;
  /** Returns the application with other credentials or another signature algorithm. */
  other(options: { id?: string; alg?: string; auth?: openid.ClientAuth }): Promise<RelyingParty>;
  /** Returns the same application in a browser without a session. */
  stranger(): Promise<RelyingParty>;
}

/** A module of the OpenID conformance suite as a test, or the reason why it does not apply. */
type Module = ((trial: ModuleContext) => Promise<void>) | string;

const succeeds =
  (changes: Readonly<Record<string, string>>) =>
  async ({ party }: ModuleContext): Promise<void> => {
    const { claims } = await party.signIn(changes);
    expect(claims.sub).toMatch(/^[0-9a-f-]{36}$/);
  };

/** Returns the error that the application gets. */
const fails =
  (changes: Readonly<Record<string, string>>, error: string) =>
  async ({ party, issuer }: ModuleContext): Promise<void> => {
    const { url } = await party.request(changes);
    const { searchParams } = (await party.open(url)).url;
    expect(searchParams.get('error')).toBe(error);
    expect(searchParams.get('state')).toBe(url.searchParams.get('state'));
    expect(searchParams.get('iss')).toBe(issuer);
  };

async function userInfo(party: RelyingParty, scope: string): Promise<openid.UserInfoResponse> {
  const { tokens, claims } = await party.signIn({ scope });
  return openid.fetchUserInfo(party.config, tokens.access_token, claims.sub);
}

/** A person without a session signs in at the form, and the application gets the response. */
const signsInAtForm =
  (changes: Readonly<Record<string, string>>) =>
  async ({ stranger, isForm }: ModuleContext): Promise<void> => {
    await signInAgain(await stranger(), changes, isForm);
  };

/** Expects the sign-in form, and expects that the sign-in continues to the application. */
async function signInAgain(
  party: RelyingParty,
  changes: Readonly<Record<string, string>>,
  isForm: ModuleContext['isForm'],
): Promise<openid.IDToken> {
  const { url, pending } = await party.request(changes);
  const form = await party.open(url);
  expect(isForm(form.text)).toBe(true);
  await party.login();
  const { claims } = await party.exchange((await party.open(form.url)).url, pending);
  return claims;
}

/** Returns the time of the last sign-in, after waiting until the sign-in is at least this many seconds old. */
async function signInTime({ claims }: SignedIn, age: number): Promise<number> {
  const time = claims.auth_time ?? Number.NaN;
  await expect.poll(() => Math.floor(Date.now() / 1000) - time).toBeGreaterThanOrEqual(age);
  return time;
}

/** Exchanges a refresh token, and returns its successor. */
async function refreshes(party: RelyingParty): Promise<string> {
  await party.login();
  const first = await party.signIn({ scope: 'openid offline_access', prompt: 'consent' });
  const used = first.tokens.refresh_token ?? '';
  const next = await openid.refreshTokenGrant(party.config, used);
  const { iss, sub, aud, auth_time } = first.claims;
  expect(next.claims()).toMatchObject({ iss, sub, aud, auth_time });
  expect(next.claims()?.iat).toBeGreaterThanOrEqual(first.claims.iat);
  expect(next.access_token).not.toBe(first.tokens.access_token);
  const token = next.refresh_token ?? '';
  expect(token).toMatch(/^[\x20-\x7e]+$/);
  expect(token).not.toBe(used);
  await openid.fetchUserInfo(party.config, next.access_token, sub);
  return token;
}

const PROFILE = ['locale', 'preferred_username', 'sub', 'updated_at', 'zoneinfo'];

/** Expects that a second use of an authorization code is refused and ends the tokens of the first use. */
async function codeReuse({ party }: ModuleContext): Promise<void> {
  const { url, pending } = await party.request();
  const callback = (await party.open(url)).url;
  const { tokens, claims } = await party.exchange(callback, pending);
  await expect(party.exchange(callback, pending)).rejects.toMatchObject({ error: 'invalid_grant' });
  const again = openid.fetchUserInfo(party.config, tokens.access_token, claims.sub);
  await expect(again).rejects.toMatchObject({ status: 401 });
}

async function sendsUserInfo(party: RelyingParty, inBody: boolean): Promise<void> {
  const { tokens, claims } = await party.signIn();
  const endpoint = party.config.serverMetadata().userinfo_endpoint ?? '';
  const answer = await fetch(endpoint, {
    method: 'POST',
    ...(inBody
      ? { body: new URLSearchParams({ access_token: tokens.access_token }) }
      : { headers: { authorization: `Bearer ${tokens.access_token}` } }),
  });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ sub: claims.sub });
}

const BASIC: Readonly<Record<string, Module>> = {
  'oidcc-server': async ({ party, issuer }) => {
    const { claims } = await party.signIn();
    expect(claims).toMatchObject({ iss: issuer, aud: 'wiki', acr: 'aal1', amr: ['pwd'] });
    expect(claims.auth_time).toEqual(expect.any(Number));
  },
  'oidcc-response-type-missing': fails({ response_type: '' }, 'invalid_request'),
  'oidcc-idtoken-signature': async ({ other }) => {
    for (const [id, alg] of [
      ['avatar', 'ES256'],
      ['stream', 'EdDSA'],
    ] as const) {
      const { claims } = await (await other({ id, alg, auth: openid.None() })).signIn();
      expect(claims.aud).toBe(id);
    }
  },
  'oidcc-idtoken-unsigned': 'not offered: every ID token is signed',
  'oidcc-userinfo-get': async ({ party }) => {
    const info = await userInfo(party, 'openid');
    expect(Object.keys(info)).toEqual(['sub']);
  },
  'oidcc-userinfo-post-header': ({ party }) => sendsUserInfo(party, false),
  'oidcc-userinfo-post-body': ({ party }) => sendsUserInfo(party, true),
  'oidcc-ensure-request-without-nonce-succeeds-for-code-flow': succeeds({ nonce: '' }),
  'oidcc-scope-profile': async ({ party }) => {
    const info = await userInfo(party, 'openid profile');
    expect(Object.keys(info)).toEqual(expect.arrayContaining(PROFILE));
    expect(info).not.toHaveProperty('email');
  },
  'oidcc-scope-email': async ({ party }) => {
    const info = await userInfo(party, 'openid email');
    expect(info).toMatchObject({ email: expect.stringContaining('@'), email_verified: true });
  },
  'oidcc-scope-address': succeeds({ scope: 'openid address' }),
  'oidcc-scope-phone': succeeds({ scope: 'openid phone' }),
  'oidcc-scope-all': async ({ party }) => {
    const info = await userInfo(party, 'openid profile email address phone');
    for (const name of ['birthdate', 'address', 'phone_number'])
      expect(info).not.toHaveProperty(name);
  },
  'oidcc-alternate-happy-flow': async ({ party }) => {
    const { url, pending } = await party.request({ scope: 'email openid' });
    url.search = new URLSearchParams([...url.searchParams].reverse()).toString();
    const { tokens, claims } = await party.exchange((await party.open(url)).url, pending);
    const info = await openid.fetchUserInfo(party.config, tokens.access_token, claims.sub);
    expect(info).toMatchObject({ email: expect.stringContaining('@'), email_verified: true });
  },
  'oidcc-display-page': signsInAtForm({ display: 'page' }),
  'oidcc-display-popup': signsInAtForm({ display: 'popup' }),
  'oidcc-prompt-login': async ({ party, isForm }) => {
    const first = await party.signIn();
    const time = await signInTime(first, 1);
    const claims = await signInAgain(party, { prompt: 'login' }, isForm);
    expect(claims.sub).toBe(first.claims.sub);
    expect(claims.auth_time).toBeGreaterThan(time);
  },
  'oidcc-prompt-none-not-logged-in': async (trial) =>
    fails({ prompt: 'none' }, 'login_required')({ ...trial, party: await trial.stranger() }),
  'oidcc-prompt-none-logged-in': succeeds({ prompt: 'none' }),
  'oidcc-max-age-1': async ({ party, isForm }) => {
    const time = await signInTime(await party.signIn(), 2);
    const claims = await signInAgain(party, { max_age: '1' }, isForm);
    expect(claims.auth_time).toBeGreaterThan(time);
    expect(claims.auth_time).toBeGreaterThan(Date.now() / 1000 - 60);
  },
  'oidcc-max-age-10000': async ({ party }) => {
    const first = (await party.signIn()).claims;
    const { claims } = await party.signIn({ max_age: '10000' });
    expect(claims.auth_time).toBe(first.auth_time);
  },
  'oidcc-ensure-request-with-unknown-parameter-succeeds': succeeds({ extra: 'foobar' }),
  'oidcc-id-token-hint': async ({ party }) => {
    const { tokens, claims } = await party.signIn();
    const hinted = await party.signIn({ prompt: 'none', id_token_hint: tokens.id_token ?? '' });
    expect(hinted.claims.sub).toBe(claims.sub);
  },
  'oidcc-login-hint': signsInAtForm({ login_hint: 'somebody@example.com' }),
  'oidcc-ui-locales': signsInAtForm({ ui_locales: 'se de' }),
  'oidcc-claims-locales': succeeds({ claims_locales: 'se de' }),
  'oidcc-ensure-request-with-acr-values-succeeds': succeeds({ acr_values: '1 2' }),
  'oidcc-codereuse': codeReuse,
  'oidcc-codereuse-30seconds': 'the same rule at another time: the clock test is in tests/oidc',
  'oidcc-ensure-registered-redirect-uri': async ({ party }) => {
    const { url } = await party.request({ redirect_uri: `${CALLBACK}/other` });
    const page = await party.open(url);
    expect(page.status).toBe(400);
    expect(page.url.pathname).toBe(url.pathname);
  },
  'oidcc-ensure-post-request-succeeds': async ({ party }) => {
    const { url, pending } = await party.request();
    const form = Object.fromEntries(url.searchParams);
    const { url: callback } = await party.open(url.origin + url.pathname, form);
    await party.exchange(callback, pending);
  },
  'oidcc-server-client-secret-post': async ({ other }) => {
    await (await other({ auth: openid.ClientSecretPost(SECRET) })).signIn();
  },
  'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported': fails(
    { request_uri: 'https://localhost:3999/request.jwt' },
    'request_uri_not_supported',
  ),
  'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported': fails(
    { request: 'eyJhbGciOiJub25lIn0.e30.' },
    'request_not_supported',
  ),
  'oidcc-ensure-request-object-with-redirect-uri': fails(
    { request: 'eyJhbGciOiJub25lIn0.e30.' },
    'request_not_supported',
  ),
  'oidcc-claims-essential': succeeds({ claims: '{"userinfo":{"name":{"essential":true}}}' }),
  'oidcc-refresh-token': async ({ party, other }) => {
    await refreshes(party);
    const second = await other({ id: 'stream', alg: 'EdDSA', auth: openid.None() });
    const foreign = openid.refreshTokenGrant(party.config, await refreshes(second));
    await expect(foreign).rejects.toMatchObject({ error: 'invalid_grant' });
  },
  'oidcc-ensure-request-with-valid-pkce-succeeds': succeeds({}),
};

interface LogoutRequest {
  hint?: (token: string) => string | undefined;
  post_logout_redirect_uri?: string | undefined;
  state?: string | undefined;
}

/** The page that states that the person is signed out. openid.spec.ts checks this page in a browser. */
const SIGNED_OUT = '/account/?signed_out=1';

/** The expected sign-out: at once, with the URL to which the browser is redirected, or after a confirmation. */
const logout =
  (request: LogoutRequest, expected: string | 'question') =>
  async (trial: ModuleContext): Promise<void> => {
    const { party, issuer } = trial;
    const { tokens } = await party.signIn();
    const { hint = (token) => token, ...rest } = request;
    const given = { id_token_hint: hint(tokens.id_token ?? ''), ...rest };
    const entries = Object.entries(given).filter(([, value]) => value !== undefined);
    const url = new URL(`${issuer}/oidc/logout`);
    for (const [name, value] of entries) url.searchParams.set(name, String(value));
    const { url: end } = await party.open(url);
    if (expected === 'question') {
      expect(end.pathname).toBe('/account/sign-out');
      // The page does not redirect to a URL of the application.
      expect(end.searchParams.has('post_logout_redirect_uri')).toBe(false);
      expect((await party.browser.get('/account/account-api/users/me')).status()).toBe(200);
      await party.browser.post('/account/account-api/logout');
    } else {
      expect(end.href).toBe(new URL(expected, url).href);
    }
    expect((await party.browser.get('/account/account-api/users/me')).status()).toBe(401);
    await fails({ prompt: 'none' }, 'login_required')(trial);
  };

const base64url = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');

/** Returns the same token without a signature. */
const unsigned = (token: string) => `${base64url({ alg: 'none' })}.${token.split('.')[1]}.`;

/** Returns a token with the same claims and a signature of the application. */
const forged = (token: string) => {
  const signed = `${base64url({ alg: 'HS256', typ: 'JWT' })}.${token.split('.')[1]}`;
  return `${signed}.${createHmac('sha256', SECRET).update(signed).digest('base64url')}`;
};
const without = () => undefined;

const RP_INITIATED_LOGOUT: Readonly<Record<string, Module>> = {
  'oidcc-rp-initiated-logout-discovery-endpoint-verification': async ({ party, issuer }) => {
    expect(party.config.serverMetadata().end_session_endpoint).toBe(`${issuer}/oidc/logout`);
  },
  'oidcc-rp-initiated-logout': logout(
    { post_logout_redirect_uri: POST_LOGOUT_ADDRESS, state: 'a b&c' },
    `${POST_LOGOUT_ADDRESS}?state=a+b%26c`,
  ),
  'oidcc-rp-initiated-logout-bad-post-logout-redirect-uri': logout(
    { post_logout_redirect_uri: `${POST_LOGOUT_ADDRESS}/other` },
    SIGNED_OUT,
  ),
  'oidcc-rp-initiated-logout-modified-id-token-hint': logout(
    { hint: unsigned, post_logout_redirect_uri: POST_LOGOUT_ADDRESS },
    'question',
  ),
  'oidcc-rp-initiated-logout-no-id-token-hint': logout(
    { hint: without, post_logout_redirect_uri: POST_LOGOUT_ADDRESS },
    'question',
  ),
  'oidcc-rp-initiated-logout-no-params': logout({ hint: without }, 'question'),
  'oidcc-rp-initiated-logout-no-post-logout-redirect-uri': logout({}, SIGNED_OUT),
  'oidcc-rp-initiated-logout-no-state': logout(
    { post_logout_redirect_uri: POST_LOGOUT_ADDRESS },
    POST_LOGOUT_ADDRESS,
  ),
  'oidcc-rp-initiated-logout-only-state': logout({ hint: without, state: 'x' }, 'question'),
  'oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri': logout(
    { post_logout_redirect_uri: `${POST_LOGOUT_ADDRESS}?more=1` },
    SIGNED_OUT,
  ),
  'oidcc-rp-initiated-logout-bad-id-token-hint': logout(
    { hint: forged, post_logout_redirect_uri: POST_LOGOUT_ADDRESS },
    'question',
  ),
};

const BACK_CHANNEL: Readonly<Record<string, Module>> = {
  'oidcc-backchannel-logout-discovery-endpoint-verification': async ({ party }) => {
    expect(party.config.serverMetadata()).toMatchObject({
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    });
  },
  'oidcc-backchannel-rp-initiated-logout':
    'tests/oidc/backchannel.rs: a receiver checks the tokens',
};

const CONFIG: Readonly<Record<string, Module>> = {
  'oidcc-discovery-endpoint-verification': async ({ party, issuer }) => {
    const metadata = party.config.serverMetadata();
    expect(metadata.issuer).toBe(issuer);
    expect(metadata.response_types_supported).toEqual(['code']);
    const jwks = await (await fetch(metadata.jwks_uri ?? '')).json();
    for (const key of jwks.keys) expect(key).not.toHaveProperty('d');
    expect(jwks.keys.map(({ alg }: { alg: string }) => alg).sort()).toEqual([
      'ES256',
      'EdDSA',
      'RS256',
    ]);
  },
};

/** The certification plans of the OpenID Foundation, by the names of their modules. The client is npm openid-client. */
export const PLANS: Readonly<Record<string, Readonly<Record<string, Module>>>> = {
  'oidcc-basic-certification-test-plan': BASIC,
  'oidcc-rp-initiated-logout-certification-test-plan': RP_INITIATED_LOGOUT,
  'oidcc-backchannel-rp-initiated-logout-certification-test-plan': BACK_CHANNEL,
  'oidcc-config-certification-test-plan': CONFIG,
};

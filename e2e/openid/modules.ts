import { expect } from '@playwright/test';
import * as openid from 'openid-client';
import { CALLBACK, POST_LOGOUT_ADDRESS, SECRET } from './provider.ts';
import type { RelyingParty } from './relying-party.ts';

/** The input of a module: an application, and a person with a session at the provider. */
export interface ModuleContext {
  party: RelyingParty;
  issuer: string;
  /** Whether a page of the provider asks for a sign-in on behalf of the application. */
  isForm(text: string): boolean;
  /** The application with other credentials or another signature. */
  other(options: { id?: string; alg?: string; auth?: openid.ClientAuth }): Promise<RelyingParty>;
  /** The same application in a browser without a session. */
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

/** The error that the application gets. */
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

const PROFILE = ['locale', 'preferred_username', 'sub', 'updated_at', 'zoneinfo'];

/** A second use of a code is refused, and ends what the first one has produced. */
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

/** The plan `oidcc-basic-certification-test-plan`. */
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
  'oidcc-ensure-other-scope-order-succeeds': succeeds({ scope: 'email openid' }),
  'oidcc-display-page': succeeds({ display: 'page' }),
  'oidcc-display-popup': succeeds({ display: 'popup' }),
  'oidcc-prompt-login': async ({ party, isForm }) => {
    const before = (await party.signIn()).claims;
    const { url, pending } = await party.request({ prompt: 'login' });
    const form = await party.open(url);
    expect(isForm(form.text)).toBe(true);
    await party.login();
    const { claims } = await party.exchange((await party.open(form.url)).url, pending);
    expect(claims.sub).toBe(before.sub);
    expect(claims.auth_time).toBeGreaterThanOrEqual(before.auth_time ?? Number.NaN);
  },
  'oidcc-prompt-none-not-logged-in': async (trial) =>
    fails({ prompt: 'none' }, 'login_required')({ ...trial, party: await trial.stranger() }),
  'oidcc-prompt-none-logged-in': succeeds({ prompt: 'none' }),
  'oidcc-max-age-1': async ({ party, isForm }) => {
    const { url, pending } = await party.request({ max_age: '1' });
    await expect.poll(async () => isForm((await party.open(url)).text)).toBe(true);
    const form = await party.open(url);
    await party.login();
    await party.exchange((await party.open(form.url)).url, pending);
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
  'oidcc-login-hint': succeeds({ login_hint: 'somebody@example.com' }),
  'oidcc-ui-locales': succeeds({ ui_locales: 'se de' }),
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
  'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported': fails(
    { request: 'eyJhbGciOiJub25lIn0.e30.' },
    'request_not_supported',
  ),
  'oidcc-ensure-request-object-with-redirect-uri': fails(
    { request: 'eyJhbGciOiJub25lIn0.e30.' },
    'request_not_supported',
  ),
  'oidcc-claims-essential': succeeds({ claims: '{"userinfo":{"name":{"essential":true}}}' }),
  'oidcc-refresh-token': async ({ party }) => {
    const { tokens, claims } = await party.signIn({ scope: 'openid offline_access' });
    const next = await openid.refreshTokenGrant(party.config, tokens.refresh_token ?? '');
    expect(next.refresh_token).not.toBe(tokens.refresh_token);
    expect(next.claims()?.sub ?? claims.sub).toBe(claims.sub);
    await openid.fetchUserInfo(party.config, next.access_token, claims.sub);
  },
  'oidcc-ensure-request-with-valid-pkce-succeeds': succeeds({}),
};

interface LogoutRequest {
  hint?: (token: string) => string | undefined;
  post_logout_redirect_uri?: string | undefined;
  state?: string | undefined;
}

/** Whether the browser is signed out at once, and where it is led. Anything else asks. */
const logout =
  (request: LogoutRequest, expected: string | 'question') =>
  async ({ party, issuer }: ModuleContext): Promise<void> => {
    const { tokens } = await party.signIn();
    const { hint = (token) => token, ...rest } = request;
    const given = { id_token_hint: hint(tokens.id_token ?? ''), ...rest };
    const entries = Object.entries(given).filter(([, value]) => value !== undefined);
    const url = new URL(`${issuer}/oidc/logout`);
    for (const [name, value] of entries) url.searchParams.set(name, String(value));
    const { url: end } = await party.open(url);
    const me = await party.browser.get('/account/account-api/users/me');
    if (expected === 'question') {
      expect(end.pathname).toBe('/account/sign-out');
      expect(me.status()).toBe(200);
    } else {
      expect(end.href).toBe(new URL(expected, url).href);
      expect(me.status()).toBe(401);
    }
  };

const modified = (token: string) => `${token.slice(0, -8)}AAAAAAAA`;
const without = () => undefined;

/** The plan `oidcc-rp-initiated-logout-certification-test-plan`. */
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
    '/account/',
  ),
  'oidcc-rp-initiated-logout-modified-id-token-hint': logout(
    { hint: modified, post_logout_redirect_uri: POST_LOGOUT_ADDRESS },
    'question',
  ),
  'oidcc-rp-initiated-logout-no-id-token-hint': logout(
    { hint: without, post_logout_redirect_uri: POST_LOGOUT_ADDRESS },
    'question',
  ),
  'oidcc-rp-initiated-logout-no-params': logout({ hint: without }, 'question'),
  'oidcc-rp-initiated-logout-no-post-logout-redirect-uri': logout({}, '/account/'),
  'oidcc-rp-initiated-logout-no-state': logout(
    { post_logout_redirect_uri: POST_LOGOUT_ADDRESS },
    POST_LOGOUT_ADDRESS,
  ),
  'oidcc-rp-initiated-logout-only-state': logout({ hint: without, state: 'x' }, 'question'),
  'oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri': logout(
    { post_logout_redirect_uri: `${POST_LOGOUT_ADDRESS}?more=1` },
    '/account/',
  ),
  'oidcc-rp-initiated-logout-bad-id-token-hint': logout(
    { hint: () => 'no-token', post_logout_redirect_uri: POST_LOGOUT_ADDRESS },
    'question',
  ),
};

/** The plan `oidcc-backchannel-rp-initiated-logout-certification-test-plan`. */
const BACK_CHANNEL: Readonly<Record<string, Module>> = {
  'oidcc-backchannel-discovery-endpoint-verification': async ({ party }) => {
    expect(party.config.serverMetadata()).toMatchObject({
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    });
  },
  'oidcc-backchannel-rp-initiated-logout':
    'tests/oidc/backchannel.rs: a receiver checks the tokens',
};

/** The plan `oidcc-config-certification-test-plan`. */
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
  'oidcc-basic': BASIC,
  'oidcc-rp-initiated-logout': RP_INITIATED_LOGOUT,
  'oidcc-backchannel': BACK_CHANNEL,
  'oidcc-config': CONFIG,
};

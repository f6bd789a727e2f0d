import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import type { APIRequestContext } from '@playwright/test';
import Provider, { type Configuration, type KoaContextWithOIDC } from 'oidc-provider';
import { listen } from '../site/http-server.ts';
import { freePort } from '../site/program.ts';
import { CALLBACK, POST_LOGOUT_ADDRESS, SECRET } from './provider.ts';

const SCOPES = 'openid profile email offline_access';
const FORM = 'Who are you?';
/** Tells the sign-in page of the reference provider that the person has signed in. */
const COOKIE = 'person';

/** Another implementation of a provider, npm oidc-provider, with one person and the clients of our tests. */
export class Reference {
  private constructor(
    readonly issuer: string,
    readonly stop: () => Promise<void>,
  ) {}

  static async start(): Promise<Reference> {
    const port = await freePort();
    const issuer = `http://localhost:${port}`;
    const provider = new Provider(issuer, configuration());
    const answer = provider.callback();
    const { stop } = await listen(async (request, response) => {
      const url = new URL(request.url ?? '', issuer);
      if (!url.pathname.startsWith('/interaction/')) {
        await answer(request, response);
      } else if (request.method === 'POST') {
        response.setHeader('set-cookie', `${COOKIE}=1; Path=/interaction`);
        response.end();
      } else if (request.headers.cookie?.includes(`${COOKIE}=1`)) {
        response.setHeader('set-cookie', `${COOKIE}=; Path=/interaction; Max-Age=0`);
        const login = { accountId: PERSON.sub, acr: 'aal1', amr: ['pwd'] };
        // The provider answers `prompt=consent` with the consent of the person.
        await provider.interactionFinished(request, response, { login, consent: {} });
      } else {
        response.end(FORM);
      }
    }, port);
    return new Reference(issuer, stop);
  }

  /** Makes the next sign-in page in this browser succeed without a question. */
  signsIn(browser: APIRequestContext): () => Promise<void> {
    return async () => {
      await browser.post(`${this.issuer}/interaction/login`);
    };
  }

  isForm(text: string): boolean {
    return text === FORM;
  }
}

/** The kinds of tokens and records with a lifetime. */
const TOKEN_KINDS = [
  'AccessToken',
  'AuthorizationCode',
  'Grant',
  'IdToken',
  'Interaction',
  'RefreshToken',
  'Session',
];
const LIFETIME = 600;

const PERSON = {
  sub: randomUUID(),
  preferred_username: 'ada',
  locale: 'en',
  zoneinfo: 'Europe/Berlin',
  updated_at: 1_700_000_000,
  email: 'ada@example.com',
  email_verified: true,
};

function configuration(): Configuration {
  const shared = {
    redirect_uris: [CALLBACK],
    post_logout_redirect_uris: [POST_LOGOUT_ADDRESS],
    require_auth_time: true,
  };
  const open = { ...shared, token_endpoint_auth_method: 'none' as const };
  return {
    clients: [
      {
        ...shared,
        client_id: 'wiki',
        client_secret: SECRET,
        grant_types: ['authorization_code', 'refresh_token'],
      },
      { ...open, client_id: 'avatar', id_token_signed_response_alg: 'ES256' },
      {
        ...open,
        client_id: 'stream',
        id_token_signed_response_alg: 'EdDSA',
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    jwks: { keys: keys() },
    enabledJWA: { idTokenSigningAlgValues: ['RS256', 'ES256', 'EdDSA'] },
    // Only a cookie with `SameSite=None` is part of a POST from another site.
    cookies: { keys: [randomUUID()], long: { sameSite: 'none' } },
    responseTypes: ['code'],
    pkce: { required: () => false },
    claims: {
      openid: ['sub', 'acr', 'amr'],
      profile: ['preferred_username', 'locale', 'zoneinfo', 'updated_at'],
      email: ['email', 'email_verified'],
    },
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
    findAccount: (_, accountId) => ({ accountId, claims: () => PERSON }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    loadExistingGrant: grant,
    // The default of oidc-provider would accept `offline_access` only with a consent screen.
    issueRefreshToken: async (_, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    enableHttpPostMethods: true,
    ttl: Object.fromEntries(TOKEN_KINDS.map((kind) => [kind, LIFETIME])),
    renderError(context, { error }) {
      context.body = error;
    },
  };
}

/** Applications of the site need no consent. */
async function grant({ oidc }: KoaContextWithOIDC) {
  const { client, session, provider } = oidc;
  if (!client || !session?.accountId) return undefined;
  const known = session.grantIdFor(client.clientId);
  if (known) return provider.Grant.find(known);
  const { clientId } = client;
  const granted = new provider.Grant({ clientId, accountId: session.accountId });
  granted.addOIDCScope(SCOPES);
  await granted.save();
  return granted;
}

function keys() {
  const pairs = [
    ['RS256', generateKeyPairSync('rsa', { modulusLength: 2048 })],
    ['ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
    ['EdDSA', generateKeyPairSync('ed25519')],
  ] as const;
  return pairs.map(([alg, { privateKey }]: readonly [string, { privateKey: KeyObject }]) => ({
    ...privateKey.export({ format: 'jwk' }),
    alg,
    use: 'sig',
  }));
}

import type { APIRequestContext } from '@playwright/test';
import * as openid from 'openid-client';
import { CALLBACK, POST_LOGOUT_ADDRESS, SECRET } from './provider.ts';

type Parameters = Readonly<Record<string, string>>;

/** The last page after all redirects: a URL of the application, or a page of the provider. */
interface LoadedPage {
  url: URL;
  /** The status of the response. Zero at a URL of the application, because such a URL is not fetched. */
  status: number;
  text: string;
}

/** The state of an application between its request and the response. */
interface PendingRequest {
  verifier: string | undefined;
  state: string;
  nonce: string | undefined;
}

export interface SignedIn {
  tokens: Awaited<ReturnType<typeof openid.authorizationCodeGrant>>;
  claims: openid.IDToken;
}

/** An application that uses npm openid-client, and the browser of a person. */
export class RelyingParty {
  private constructor(
    readonly config: openid.Configuration,
    readonly browser: APIRequestContext,
    /** Signs the person in at the provider. */
    readonly login: () => Promise<void>,
  ) {}

  static async at(
    issuer: string,
    browser: APIRequestContext,
    login: () => Promise<void>,
    { id = 'wiki', alg = 'RS256', auth = openid.ClientSecretBasic(SECRET) } = {},
  ): Promise<RelyingParty> {
    const metadata = { id_token_signed_response_alg: alg };
    // Signatures are verified although the tokens come from the provider itself.
    const execute = [openid.allowInsecureRequests, openid.enableNonRepudiationChecks];
    const config = await openid.discovery(new URL(issuer), id, metadata, auth, { execute });
    return new RelyingParty(config, browser, login);
  }

  /** Opens a URL and follows redirects. */
  async open(address: string | URL, form?: Parameters): Promise<LoadedPage> {
    let url = new URL(address);
    for (let count = 0; count < 10; count++) {
      if ([CALLBACK, POST_LOGOUT_ADDRESS].some((own) => url.href.startsWith(own)))
        return { url, status: 0, text: '' };
      const options = { maxRedirects: 0, failOnStatusCode: false };
      const answer =
        form && count === 0
          ? await this.browser.post(url.href, { ...options, form: { ...form } })
          : await this.browser.get(url.href, options);
      const { location } = answer.headers();
      if (!location) return { url, status: answer.status(), text: await answer.text() };
      url = new URL(location, url);
    }
    throw new Error(`the redirects do not end: ${url}`);
  }

  /** Sends an authorization request. An empty value removes a parameter. */
  async request(changes: Parameters = {}): Promise<{ url: URL; pending: PendingRequest }> {
    const verifier = openid.randomPKCECodeVerifier();
    const all: Parameters = {
      redirect_uri: CALLBACK,
      scope: 'openid profile email',
      state: openid.randomState(),
      nonce: openid.randomNonce(),
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...changes,
    };
    const given = Object.entries(all).filter(([, value]) => value !== '');
    const url = openid.buildAuthorizationUrl(this.config, Object.fromEntries(given));
    for (const [name, value] of Object.entries(changes)) {
      if (value === '') url.searchParams.delete(name);
    }
    const pending = {
      verifier: all.code_challenge === '' ? undefined : verifier,
      state: all.state ?? '',
      nonce: all.nonce === '' ? undefined : all.nonce,
    };
    return { url, pending };
  }

  async exchange(callback: URL, { verifier, state, nonce }: PendingRequest): Promise<SignedIn> {
    const tokens = await openid.authorizationCodeGrant(this.config, callback, {
      ...(verifier ? { pkceCodeVerifier: verifier } : {}),
      ...(nonce ? { expectedNonce: nonce } : {}),
      expectedState: state,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!claims) throw new Error('there is no ID token');
    return { tokens, claims };
  }

  /** Signs a person with a session at the provider in to the application, up to the tokens. */
  async signIn(changes: Parameters = {}): Promise<SignedIn> {
    const { url, pending } = await this.request(changes);
    const { url: callback, status, text } = await this.open(url);
    if (status !== 0)
      throw new Error(`the browser stays at ${callback}, ${status}: ${text.slice(0, 200)}`);
    return this.exchange(callback, pending);
  }
}

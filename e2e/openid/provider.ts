import { createHash } from 'node:crypto';
import type { Settings } from '../site/program.ts';

export const SECRET = 'a-secret-of-the-wiki';

/** The URLs of the applications. No server listens at these URLs, because the tests do not follow the redirect. */
export const CALLBACK = 'http://localhost:3999/callback';
export const POST_LOGOUT_ADDRESS = 'http://localhost:3999/bye';

/** The settings of a provider that lets one person sign in from many browsers. */
export const PROVIDER_SETTINGS: Settings = {
  ACCOUNT_OIDC__ENABLED: 'true',
  ACCOUNT_SECURITY__NEW_DEVICE: 'off',
  ACCOUNT_SECURITY__MAX_DEVICES: '1000',
};

export const SECRET_SHA256 = createHash('sha256').update(SECRET).digest('hex');
const addresses = `redirect_uris = ["${CALLBACK}"]\npost_logout_redirect_uris = ["${POST_LOGOUT_ADDRESS}"]`;
/** The applications: one with a secret, and public ones with the other signature algorithms. */
export const CLIENTS = `
[[oidc.clients]]
id = "wiki"
name = "Couch Wiki"
secret_sha256 = "${SECRET_SHA256}"
${addresses}
scopes = ["openid", "profile", "email", "offline_access"]
pkce = "optional"

[[oidc.clients]]
id = "avatar"
name = "Avatar Maker"
${addresses}
id_token_alg = "ES256"

[[oidc.clients]]
id = "stream"
name = "Couch Stream"
${addresses}
scopes = ["openid", "profile", "email", "offline_access"]
id_token_alg = "EdDSA"
`;

// A client of the OpenID Connect provider: sign-in, sign-out at both ends, and back-channel logout.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as openid from 'openid-client';

process.on('uncaughtException', (error) => {
  log('the sample application cannot go on', error);
  process.exit(1);
});
const { ISSUER, CLIENT_ID, CLIENT_SECRET, ORIGIN } = process.env;
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const PAGE = readFileSync(new URL('page.html', import.meta.url), 'utf8');
const STYLE = readFileSync(new URL('style.css', import.meta.url));
// Browsers count the redirect to the provider as a target of the form for the sign-out.
const TARGETS = `form-action 'self' ${new URL(ISSUER).origin}; frame-ancestors 'none'`;
const POLICY = `default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; ${TARGETS}`;
const SIGN_IN = '<p><a class="button" href="/sign-in">Sign in</a></p>';
const WELCOME = 'This application has no passwords. It signs people in with their account.';
const FLAGS = `Path=/; HttpOnly; SameSite=Lax${ORIGIN.startsWith('https:') ? '; Secure' : ''}`;
// Programs that call the application in a loop must not fill the memory.
const [MAX_BODY_BYTES, MAX_SESSIONS] = [16_384, 1000];

// Without TLS, as in the demo, only the signature shows that an ID token is the provider's.
const execute = [openid.enableNonRepudiationChecks];
if (ISSUER.startsWith('http:')) execute.push(openid.allowInsecureRequests);
const metadata = { id_token_signed_response_alg: 'RS256' };
const client = [new URL(ISSUER), CLIENT_ID, metadata, openid.ClientSecretBasic(CLIENT_SECRET)];
const config = await openid.discovery(...client, { execute, timeout: 10 });
const keys = createRemoteJWKSet(new URL(config.serverMetadata().jwks_uri));

/** By cookie: `pending`, the values that the provider's response must match, or `person`. */
const sessions = new Map();

const routes = {
  'GET /': showHome,
  'GET /sign-in': signIn,
  'GET /callback': finishSignIn,
  'POST /sign-out': signOut,
  'GET /signed-out': () => page('Signed out', 'You are signed out here and at your account.'),
  'POST /backchannel-logout': endSession,
  'GET /style.css': () => ({ body: STYLE, headers: { 'content-type': 'text/css' } }),
};

function showHome({ session }) {
  if (!session?.person) return page('Welcome', WELCOME);
  const { preferred_username: name, email, acr, sub } = session.person;
  const facts = { Username: name, Email: email, Level: acr, 'Account ID': sub };
  const row = ([term, fact]) => `<dt>${term}</dt><dd>${escaped(fact)}</dd>`;
  const more = `<dl>${Object.entries(facts).map(row).join('')}</dl>
    <form method="post" action="/sign-out"><button class="button">Sign out</button></form>
    <p>A sign-out here ends the session of the account, and a sign-out there ends this one. The
    <a href="${ISSUER}/settings/security">connected apps</a> of the account list this application.</p>`;
  return page(`Hello, ${name}`, 'You are signed in with your account.', more);
}

async function signIn() {
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()];
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: `${ORIGIN}/callback`,
    scope: 'openid profile email',
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
    nonce: expectedNonce,
  });
  return redirect(url.href, { pending: { pkceCodeVerifier, expectedState, expectedNonce } });
}

async function finishSignIn({ request, cookie, session }) {
  if (!session?.pending) throw new Error('no sign-in of this browser is under way');
  // A response counts once.
  sessions.delete(cookie);
  const response = new URL(ORIGIN + request.url);
  const tokens = await openid.authorizationCodeGrant(config, response, session.pending);
  const claims = tokens.claims();
  const info = await openid.fetchUserInfo(config, tokens.access_token, claims.sub);
  return redirect('/', { person: { ...info, ...claims, idToken: tokens.id_token } });
}

/** Here, then at the provider. Other sites cannot do it: the cookie is `SameSite`. */
function signOut({ cookie, session }) {
  if (!session?.person) return redirect('/');
  sessions.delete(cookie);
  const post_logout_redirect_uri = `${ORIGIN}/signed-out`;
  const parameters = { id_token_hint: session.person.idToken, post_logout_redirect_uri };
  return redirect(openid.buildEndSessionUrl(config, parameters).href);
}

/** OpenID Connect Back-Channel Logout 1.0 sections 2.6 to 2.8. */
async function endSession({ request }) {
  if (!(request.headers['content-length'] <= MAX_BODY_BYTES)) return { status: 413 };
  const token = new URLSearchParams(await text(request)).get('logout_token') ?? '';
  const requiredClaims = ['iat', 'exp', 'jti', 'sid'];
  const expected = { issuer: ISSUER, audience: CLIENT_ID, typ: 'logout+jwt', requiredClaims };
  const { payload } = await jwtVerify(token, keys, { ...expected, algorithms: ['RS256'] });
  if (!payload.events?.[LOGOUT_EVENT] || 'nonce' in payload) return { status: 400 };
  for (const [cookie, { person }] of sessions)
    if (person?.sid === payload.sid) sessions.delete(cookie);
  return { status: 200 };
}

function redirect(location, session) {
  if (!session) return { status: 303, headers: { location } };
  const cookie = randomBytes(32).toString('base64url');
  if (sessions.size >= MAX_SESSIONS) sessions.delete(sessions.keys().next().value);
  sessions.set(cookie, session);
  return { status: 303, headers: { location, 'set-cookie': `sample_app=${cookie}; ${FLAGS}` } };
}

function page(heading, sentence, more = SIGN_IN, status = 200) {
  const role = status < 400 ? '' : ' role="alert"';
  const slots = { HEADING: escaped(heading), CONTENT: `<p${role}>${escaped(sentence)}</p>${more}` };
  const body = PAGE.replace(/HEADING|CONTENT/g, (slot) => slots[slot]);
  const headers = { 'content-type': 'text/html', 'content-security-policy': POLICY };
  return { status, headers, body };
}

const escaped = (value) => String(value ?? '').replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

function showProblem(path, error) {
  log(path, error);
  const isUnreachable = error.message === 'fetch failed' || error.code === 'OAUTH_TIMEOUT';
  let cause = "the provider's response fails a check";
  if (isUnreachable) cause = 'the provider cannot be reached';
  if (error.constructor === Error) cause = error.message; // An error of this file.
  if (error.error) cause = `the provider refuses it (${error.error})`;
  const sentence = `The sign-in did not work: ${cause}.`;
  return page('Not signed in', sentence, SIGN_IN, isUnreachable ? 502 : 400);
}

/** The messages of the libraries contain no secrets; other properties of their errors may. */
function log(subject, error) {
  const causes = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) causes.push(cause.message);
  process.stderr.write(`${subject}: ${causes.join(': ')}\n`);
}

createServer(async (request, response) => {
  const path = request.url.split('?')[0];
  const cookie = /(?:^|; )sample_app=([^;]+)/.exec(request.headers.cookie ?? '')?.[1];
  const route = routes[`${request.method} ${path}`] ?? (() => ({ status: 404 }));
  const handled = (async () => route({ request, cookie, session: sessions.get(cookie) }))();
  const { status, headers, body } = await handled.catch((error) => showProblem(path, error));
  response.setHeader('cache-control', 'no-store').setHeader('x-content-type-options', 'nosniff');
  response.writeHead(status ?? 200, headers).end(body);
}).listen(Number(new URL(ORIGIN).port), '127.0.0.1');

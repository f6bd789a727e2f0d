import { type Answer, COMMON_ANSWERS, type State } from './state.ts';

const API = '/account/account-api';
const NO_SESSION: Answer = { status: 401, code: 'unauthenticated' };
/** The API calls that the gallery sends to the real server. */
const FORWARDED = /^GET \/(translations\/|config)/;

/** The response of the fake server; null sends the request to the real server. */
export async function answerOf(
  state: State,
  request: Request,
  region: string,
  lang: string,
): Promise<Response | null> {
  const { pathname } = new URL(request.url);
  if (!pathname.startsWith(API)) return null;
  const call = `${request.method} ${pathname.slice(API.length)}`;
  const answer = state.answers?.[call];
  if (answer) return respond(answer);
  if (call.startsWith('GET /ui/')) return fragmentOf(call.slice('GET /ui/'.length), region, lang);
  if (FORWARDED.test(call)) return null;
  if (call === 'GET /age-refusals') return respond({ body: { blocked: false } });
  if (call === 'POST /age-refusals') return respond({ status: 204 });
  return call === 'GET /users/me'
    ? respond(NO_SESSION)
    : respond({ status: 404, code: 'not_found' });
}

/** The header or footer of the region, regardless of the gallery's host. */
async function fragmentOf(part: string, region: string, lang: string): Promise<Response> {
  const query = new URLSearchParams({ region });
  const headers = { 'Accept-Language': lang };
  // The browser cache is not used, because a cached fragment may be in the language of the previous screen.
  return native(`/account/dev/gallery/part/${part}?${query}`, { headers, cache: 'no-store' });
}
const native = window.fetch.bind(window);

async function respond(answer: Answer): Promise<Response> {
  if (answer === 'never') return new Promise(() => undefined);
  if (answer === 'offline') throw new TypeError('Failed to fetch');
  if (typeof answer === 'string') return respond(COMMON_ANSWERS[answer]);
  if ('code' in answer) return respondWithError(answer);
  const { status = 200, body, headers = {} } = answer;
  return new Response(status === 204 ? null : JSON.stringify(body ?? {}), { status, headers });
}

function respondWithError(answer: Extract<Answer, { code: string }>): Response {
  const { status, code, fields, body, headers = {} } = answer;
  const detail = fields ? { fields: mapValues(fields, messageOf) } : messageOf(code);
  return Response.json({ ...body, code, detail, ...(fields && { fields }) }, { status, headers });
}

/** Returns the message of an error code in the page's language. */
function messageOf(code: string): string {
  const boot = document.getElementById('boot')?.textContent ?? '{}';
  const words: Readonly<Record<string, string>> = JSON.parse(boot).translations?.error ?? {};
  return words[code] ?? code;
}

function mapValues(record: Readonly<Record<string, string>>, change: (text: string) => string) {
  return Object.fromEntries(Object.entries(record).map(([key, text]) => [key, change(text)]));
}

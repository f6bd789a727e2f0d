import type { Answer, State } from './state.ts';

const API = '/account/account-api';
const NOBODY: Answer = { status: 401, code: 'unauthenticated' };
/** What the server itself is asked for. */
const REAL = /^GET \/(translations\/|config)/;

/** What the fake server says; null leaves it to the real one. */
export async function answerOf(
  state: State,
  asked: Request,
  region: string,
  lang: string,
): Promise<Response | null> {
  const { pathname } = new URL(asked.url);
  if (!pathname.startsWith(API)) return null;
  const call = `${asked.method} ${pathname.slice(API.length)}`;
  const answer = state.answers?.[call];
  if (answer) return give(answer);
  if (call.startsWith('GET /ui/')) return partOf(call.slice('GET /ui/'.length), region, lang);
  if (REAL.test(call)) return null;
  if (call === 'GET /age-refusals') return give({ body: { blocked: false } });
  if (call === 'POST /age-refusals') return give({ status: 204 });
  return call === 'GET /users/me' ? give(NOBODY) : give({ status: 404, code: 'not_found' });
}

/** Header and footer as the region has them, whatever the host of the gallery. */
async function partOf(part: string, region: string, lang: string): Promise<Response> {
  const query = new URLSearchParams({ region });
  const headers = { 'Accept-Language': lang };
  return native(`/account/dev/gallery/part/${part}?${query}`, { headers });
}
const native = window.fetch.bind(window);

async function give(answer: Answer): Promise<Response> {
  if (answer === 'never') return new Promise(() => undefined);
  if (answer === 'offline') throw new TypeError('Failed to fetch');
  if ('code' in answer) return refuse(answer);
  const { status = 200, body, headers = {} } = answer;
  return new Response(status === 204 ? null : JSON.stringify(body ?? {}), { status, headers });
}

function refuse(answer: Extract<Answer, { code: string }>): Response {
  const { status, code, fields, body, headers = {} } = answer;
  const detail = fields ? { fields: mapValues(fields, errorMessageOf) } : errorMessageOf(code);
  return Response.json({ ...body, code, detail, ...(fields && { fields }) }, { status, headers });
}

/** The sentence of a code in the language of the page. */
function errorMessageOf(code: string): string {
  const boot = document.getElementById('boot')?.textContent ?? '{}';
  const words: Readonly<Record<string, string>> = JSON.parse(boot).translations?.error ?? {};
  return words[code] ?? code;
}

function mapValues(record: Readonly<Record<string, string>>, change: (text: string) => string) {
  return Object.fromEntries(Object.entries(record).map(([key, text]) => [key, change(text)]));
}

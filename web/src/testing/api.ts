import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import type { Config } from '../api/config';
import { LANGUAGES } from '../languages';

const BASE = 'http://localhost/account/account-api';

export const config: Config = {
  region: {
    id: 'test',
    brand: 'Couch & Moon',
    locale: 'en-US',
    timezone: 'America/New_York',
    environment: 'dev',
    country_code: null,
    analytics: { brand: null, region: null, language: null },
    migration_zip: 'us',
    migration_form: 'full',
    links: {
      terms: '/legal/us/terms-of-use',
      privacy: '/legal/us/privacy',
      contact: null,
      avatar_creator: null,
      episodes: null,
      random_episode: null,
    },
  },
  languages: [...LANGUAGES],
  default_language: 'en',
  age: { registration: 17, migration: 18, attempts: 3 },
  security: {
    common_passwords: 'advise',
    second_factor_trust_days: 30,
    second_factor_reset_days: 7,
    deletion_grace_days: 14,
  },
  passkeys: { enabled: true, offer: true },
  signed_in_home: '/',
  app: 'wiki',
};

/** The signed-in user of most tests. */
export const ada = { id: '1', email: 'ada@example.com', username: 'ada1815' };

/** The security settings of an account without a second factor, a passkey or a pending reset. */
export const security = {
  aal: 1,
  passkeys: 0,
  passkey_on_this_site: false,
  marketing_consent: false,
  second_factor: false,
  recovery_codes_left: 0,
  second_factor_reset_at: null,
};

/** The default handlers of the mocked API: there is no session and no signed-in device. */
export const api = setupServer(
  http.get(`${BASE}/users/me`, () => refusal(401, 'unauthenticated', 'Please sign in first.')),
  http.post(`${BASE}/link-address`, () => ok({ email: 'ada@example.com' })),
  http.post(`${BASE}/undo-credential/details`, () => ok({ change: null })),
  http.get(`${BASE}/age-refusals`, () => ok({ blocked: false })),
  http.post(`${BASE}/age-refusals`, () => new HttpResponse(null, { status: 204 })),
  http.get(`${BASE}/security`, () => ok(security)),
  http.get(`${BASE}/connected-apps`, () => ok({ apps: [] })),
  http.get(`${BASE}/devices`, () => ok({ devices: [] })),
  http.get(`${BASE}/ui/:part`, ({ params }) => HttpResponse.html(`<p>the ${params.part}</p>`)),
);

interface Call {
  body: unknown;
  url: URL;
  headers: Headers;
}

/** Mocks an API path with a response for each request; the last response is repeated. Returns the requests. */
export function answer(
  method: 'get' | 'post' | 'put' | 'patch' | 'delete',
  path: string,
  ...makes: (() => Response | Promise<Response>)[]
): Call[] {
  const calls: Call[] = [];
  api.use(
    http[method](BASE + path, async ({ request }) => {
      const text = await request.text();
      const body = text === '' ? null : JSON.parse(text);
      calls.push({ body, url: new URL(request.url), headers: request.headers });
      const make = makes[calls.length - 1] ?? makes.at(-1);
      return make?.();
    }),
  );
  return calls;
}

export function ok(body: object, status = 200): Response {
  return HttpResponse.json(body, { status });
}

export function refusal(
  status: number,
  code: string,
  detail: string | object,
  headers: Record<string, string> = {},
  more: object = {},
): Response {
  return HttpResponse.json({ ...more, code, detail }, { status, headers });
}

export const networkError = (): Response => HttpResponse.error();

/** A response that stays pending until the test calls `arrive`. */
export function pendingResponse(): {
  response: Promise<Response>;
  arrive: (response: Response) => void;
} {
  let arrive: (response: Response) => void = () => undefined;
  const response = new Promise<Response>((resolve) => {
    arrive = resolve;
  });
  return { response, arrive };
}

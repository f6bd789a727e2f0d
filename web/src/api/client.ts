import { acceptsCookies } from '../browser/saved-choice';
import { currentLanguage, type TextKey } from '../i18n/texts';
import type { Words } from '../languages';
import type { components, paths } from './schema';

const API_PATH = '/account/account-api';
/** The timeout exceeds the longest response time of the server, including the server setting `password.queue_wait`. */
export const REQUEST_TIMEOUT_MS = 30_000;

/** The error codes of the API, which are the keys of the messages under `error` in `locales/*.json`. */
export type ErrorCode = keyof Words['error'];

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
/** The paths of the OpenAPI document that have the HTTP method `M`. */
type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P][M] extends object ? P : never;
}[keyof paths];
type Content<T> = T extends { content: { 'application/json': infer Body } } ? Body : undefined;
type Success<T> = T extends { responses: infer R }
  ? Content<R[keyof R & (200 | 201 | 202 | 204)]>
  : undefined;

type Empty = Record<never, never>;
type Texts = Record<string, string>;
type ParametersIn<T, Place extends 'path' | 'query'> = T extends {
  parameters: { [In in Place]?: infer Values extends object };
}
  ? [Values] extends [never]
    ? Empty
    : { [Name in keyof Values]: `${Values[Name] & (string | number)}` }
  : Empty;
type Parameters<T> = ParametersIn<T, 'path'> & ParametersIn<T, 'query'>;
/** The argument is optional unless the API call has a required parameter. */
type ParametersArgument<Given> = keyof Given extends never
  ? []
  : Empty extends Given
    ? [parameters?: Given]
    : [parameters: Given];
type BodyArguments<T> = T extends { requestBody: infer R extends object }
  ? [body: Content<R>, ...ParametersArgument<Parameters<T>>]
  : keyof Parameters<T> extends never
    ? []
    : [body: undefined, ...ParametersArgument<Parameters<T>>];

type Schemas = components['schemas'];

/** The fields that only an error response with the error code `Code` has. */
type DataOf<Code> = Code extends Schemas['ErrorData']['code']
  ? Extract<Schemas['ErrorData'], { code: Code }>
  : unknown;

/** The body of an error response. */
export type Refusal<Code = unknown> = Schemas['Problem'] & DataOf<Code>;

export type ProofMethod = Schemas['ProofMethod'];

/** The error for a response with a status above 399, or with a body that reports a failure. */
export class ApiFailure extends Error {
  constructor(
    readonly status: number,
    readonly refusal: Refusal | null,
    readonly needsMigration = false,
    /** The `Retry-After` header in seconds (RFC 9110, section 10.2.3). */
    readonly retryAfter: number | null = null,
  ) {
    super(`Failed to perform request, received status ${status}`);
  }
}

/** A failure of a browser API, for example WebAuthn. The server was not involved. */
export class BrowserFailure extends Error {
  constructor(
    name: string,
    /** The translation key of the message. */
    readonly text: TextKey,
  ) {
    super(`The browser failed: ${name}`);
  }
}

/** A script of this page is missing on the server, because a new release has replaced it. Only a reload helps. */
export class OutOfDate extends Error {}

/** The error for an HTTP request that got no response from the network or the server. */
export class Unreachable extends Error {}

/** The exceptions that `fetch` throws if there is no response (Fetch standard). All other exceptions are bugs. */
const NETWORK_EXCEPTIONS = ['TypeError', 'AbortError', 'TimeoutError', 'NetworkError'];

/** Awaits a response or the body of a response. Throws `Unreachable` if nothing arrives. */
async function awaitArrival<Value>(answer: Promise<Value>): Promise<Value> {
  try {
    return await answer;
  } catch (cause) {
    const { name, message } = cause as Error;
    throw NETWORK_EXCEPTIONS.includes(name) ? new Unreachable(message, { cause }) : cause;
  }
}

/** Returns whether a request failed with the error code `code`. */
export function isRefusal<Code extends ErrorCode>(
  failure: unknown,
  code: Code,
): failure is ApiFailure & { refusal: Refusal<Code> } {
  return failure instanceof ApiFailure && failure.refusal?.code === code;
}

// The functions below throw `Unreachable` if there is no response, and `ApiFailure` for a status above 399.

export function get<P extends PathOf<'get'>>(
  path: P,
  ...[parameters]: ParametersArgument<Parameters<paths[P]['get']>>
): Promise<Success<paths[P]['get']>> {
  return send('GET', path, undefined, parameters);
}

/** The requests of a sign-in, which end with a session cookie. */
type SignInPath =
  | '/login'
  | '/login/second-factor'
  | '/passkeys/sign-in'
  | '/passkeys/sign-in/options';

/** Sends a request of a sign-in. Sends nothing if the browser blocks cookies, because it would lose the session. */
export async function postSignIn<P extends SignInPath>(
  path: P,
  body: Content<paths[P]['post']['requestBody']>,
): Promise<Success<paths[P]['post']>> {
  if (!acceptsCookies()) throw new BrowserFailure('CookiesBlocked', 'sign_in.cookies_blocked');
  return send('POST', path, body);
}

export function post<P extends Exclude<PathOf<'post'>, SignInPath>>(
  path: P,
  ...[body = {}, parameters]: BodyArguments<paths[P]['post']>
): Promise<Success<paths[P]['post']>> {
  return send('POST', path, body, parameters);
}

export function put<P extends PathOf<'put'>>(
  path: P,
  ...[body]: BodyArguments<paths[P]['put']>
): Promise<Success<paths[P]['put']>> {
  return send('PUT', path, body);
}

export function patch<P extends PathOf<'patch'>>(
  path: P,
  ...[body, parameters]: BodyArguments<paths[P]['patch']>
): Promise<Success<paths[P]['patch']>> {
  return send('PATCH', path, body, parameters);
}

export function del<P extends PathOf<'delete'>>(
  path: P,
  ...[parameters]: ParametersArgument<Parameters<paths[P]['delete']>>
): Promise<Success<paths[P]['delete']>> {
  return send('DELETE', path, undefined, parameters);
}

export interface DownloadedFile {
  name: string;
  content: Blob;
}

export async function getFile(path: PathOf<'get'>): Promise<DownloadedFile> {
  const response = await request(path, { method: 'GET' });
  const disposition = response.headers.get('content-disposition') ?? '';
  const name = /filename="([^"]+)"/.exec(disposition)?.[1] ?? 'download';
  return { name, content: await awaitArrival(response.blob()) };
}

async function send<Result>(
  method: string,
  template: string,
  body: object | undefined,
  parameters: Texts = {},
): Promise<Result> {
  // Parameters that are not in the path are appended as a query.
  const query = new URLSearchParams(parameters);
  const path = template.replace(/{(\w+)}/g, (_, name) => {
    const value = query.get(name) ?? '';
    query.delete(name);
    return encodeURIComponent(value);
  });
  const search = String(query) && `?${query}`;
  const response = await request(path + search, { method, body: JSON.stringify(body) });
  // A response with status 202 or 204 may have no body.
  const text = await awaitArrival(response.text());
  return (text ? JSON.parse(text) : undefined) as Result;
}

/** Throws `ApiFailure` for a status above 399. */
async function request(path: string, init: RequestInit): Promise<Response> {
  const options: RequestInit = {
    ...init,
    headers: {
      'Accept-Language': currentLanguage(),
      ...(init.body ? { 'Content-Type': 'application/json' } : {}),
    },
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  };
  const early = init.method === 'GET' ? window.early?.response(path) : undefined;
  const response = await awaitArrival(early ?? fetch(API_PATH + path, options));
  if (response.status > 399) {
    const needsMigration = response.headers.get('x-needs-migration') === 'true';
    const refusal = await readRefusal(response);
    throw new ApiFailure(response.status, refusal, needsMigration, retryAfterOf(response));
  }
  return response;
}

/** Parses `Retry-After` in seconds. Returns null for a date, because the server never sends the date format. */
function retryAfterOf({ headers }: Response): number | null {
  const header = headers.get('retry-after') ?? '';
  return /^\d+$/.test(header) ? Number(header) : null;
}

/** Parses an error response. Returns null if the body has no `detail`, as the error page of a proxy. */
async function readRefusal(response: Response): Promise<Refusal | null> {
  const body: unknown = await response.json().catch(() => null);
  return typeof body === 'object' && body !== null && 'detail' in body ? (body as Refusal) : null;
}

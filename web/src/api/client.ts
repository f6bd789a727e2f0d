import { currentLanguage } from '../i18n/texts';
import type { Words } from '../languages';
import type { paths } from './schema';

const BASE = '/account/account-api';
/** Longer than the longest response time of the server (contract 1, queue_wait). */
const REQUEST_TIMEOUT_MS = 30_000;

/** The error codes of the API: each has a message under `error`, or the server does not build. */
export type ErrorCode = keyof Words['error'];

type PathOf<M extends 'get' | 'post'> = {
  [P in keyof paths]: paths[P][M] extends object ? P : never;
}[keyof paths];
type Content<T> = T extends { content: { 'application/json': infer Body } } ? Body : undefined;
type Body<T> = T extends { requestBody: infer R } ? Content<R> : undefined;
type Query<T> = T extends { parameters: { query?: infer Q extends object } }
  ? { [Name in keyof Q]-?: string }
  : never;
type Success<T> = T extends { responses: infer R }
  ? Content<R[keyof R & (200 | 201 | 204)]>
  : undefined;

/** The extra fields of `too_many_devices`: the signed-in devices, and a token that can sign one of them out. */
export interface RefusedAtCap {
  devices: { id: string; name: string; first_seen_at: number; last_used_at: number }[];
  device_token: string;
}

/** The body of an error response. */
export interface Refusal extends Partial<RefusedAtCap> {
  code: string;
  detail: string | { fields: Record<string, string> } | { error: string };
  fields?: Record<string, string>;
  /** The purpose of an expired link that another kind of link replaces. */
  purpose?: 'device_approval';
}

/** A response with a status above 399, or with a body that reports a failure. */
export class ApiFailure extends Error {
  constructor(
    readonly status: number,
    readonly refusal: Refusal | null,
    readonly needsMigration = false,
    /** The `Retry-After` header in seconds (RFC 9110, section 10.2.3). */
    readonly retryAfter: number | null = null,
  ) {
    super(`Failed to perform request, received status ${status}`);
    this.name = 'ApiFailure';
  }
}

/** Whether the request failed with this error code. */
export function isRefusal(failure: unknown, code: ErrorCode): failure is ApiFailure {
  return failure instanceof ApiFailure && failure.refusal?.code === code;
}

/** Sends a GET. Throws `ApiFailure` for a status above 399 and lets network errors through. */
export function get<P extends PathOf<'get'>>(
  path: P,
  query?: Query<paths[P]['get']>,
): Promise<Success<paths[P]['get']>> {
  const search = query ? `?${new URLSearchParams(Object.entries<string>(query))}` : '';
  return send(path + search, { method: 'GET' });
}

/** Sends a POST. Throws `ApiFailure` for a status above 399 and lets network errors through. */
export function post<P extends PathOf<'post'>>(
  path: P,
  ...[body]: Body<paths[P]['post']> extends undefined ? [] : [Body<paths[P]['post']>]
): Promise<Success<paths[P]['post']>> {
  return send(path, { method: 'POST', body: JSON.stringify(body ?? {}) });
}

async function send<Answer>(path: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(BASE + path, {
    ...init,
    credentials: 'include',
    headers: {
      'Accept-Language': currentLanguage(),
      ...(init.body ? { 'Content-Type': 'application/json' } : {}),
    },
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  if (response.status > 399) {
    const needsMigration = response.headers.get('x-needs-migration') === 'true';
    const refusal = await readRefusal(response);
    throw new ApiFailure(response.status, refusal, needsMigration, retryAfterOf(response));
  }
  return (response.status === 204 ? undefined : await response.json()) as Answer;
}

/** Parses `Retry-After` in seconds. The server never sends the date format, so a date returns null. */
function retryAfterOf({ headers }: Response): number | null {
  const header = headers.get('retry-after') ?? '';
  return /^\d+$/.test(header) ? Number(header) : null;
}

/** Returns null for a body without `detail`, for example the error page of a proxy. */
async function readRefusal(response: Response): Promise<Refusal | null> {
  const body: unknown = await response.json().catch(() => null);
  return typeof body === 'object' && body !== null && 'detail' in body ? (body as Refusal) : null;
}

import i18next from 'i18next';
import type { Words } from '../languages';
import type { paths } from './schema';

const BASE = '/account/account-api';
/** Milliseconds until we stop waiting: longer than the server ever takes (contract 1, queue_wait). */
const REQUEST_TIMEOUT_MS = 30_000;

/** The codes of the server: each has its words under `error`, or the server does not build. */
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

/** What `too_many_devices` says besides: where the account is signed in, and what signs one out. */
export interface RefusedAtCap {
  devices: { id: string; name: string; first_seen_at: number; last_used_at: number }[];
  device_token: string;
}

/** What the server says about a request that failed, as far as it could be read. */
export interface Refusal extends Partial<RefusedAtCap> {
  code: string;
  detail: string | { fields: Record<string, string> } | { error: string };
  fields?: Record<string, string>;
  /** Of a mailed link that has expired: what it was for, where another kind of link replaces it. */
  purpose?: 'device_approval';
}

/** An answer above 399, or one whose body says that nothing was done. */
export class ApiFailure extends Error {
  constructor(
    readonly status: number,
    readonly refusal: Refusal | null,
    readonly needsMigration = false,
    /** Seconds after which another try may succeed (RFC 9110, section 10.2.3). */
    readonly retryAfter: number | null = null,
  ) {
    super(`Failed to perform request, received status ${status}`);
    this.name = 'ApiFailure';
  }
}

/** Whether the server refused with this code. */
export function isRefusal(failure: unknown, code: ErrorCode): failure is ApiFailure {
  return failure instanceof ApiFailure && failure.refusal?.code === code;
}

/** Asks for something that changes nothing. Throws `ApiFailure`, or what `fetch` throws. */
export function get<P extends PathOf<'get'>>(
  path: P,
  query?: Query<paths[P]['get']>,
): Promise<Success<paths[P]['get']>> {
  const search = query ? `?${new URLSearchParams(Object.entries<string>(query))}` : '';
  return send(path + search, { method: 'GET' });
}

/** Asks for a change. Throws `ApiFailure`, or what `fetch` throws. */
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
      'Accept-Language': i18next.language ?? 'en',
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

/** The header as a number of seconds. A date, which no server of ours sends, counts as none. */
function retryAfterOf({ headers }: Response): number | null {
  const header = headers.get('retry-after') ?? '';
  return /^\d+$/.test(header) ? Number(header) : null;
}

/** A proxy in between may answer with a page of its own: then there is nothing to read. */
async function readRefusal(response: Response): Promise<Refusal | null> {
  const body: unknown = await response.json().catch(() => null);
  return typeof body === 'object' && body !== null && 'detail' in body ? (body as Refusal) : null;
}

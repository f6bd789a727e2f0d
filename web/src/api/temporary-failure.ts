import { ApiFailure } from './client';

/** Returns whether a retry may succeed, because the server was unreachable or overloaded. */
export function isTemporary(failure: unknown): boolean {
  return !(failure instanceof ApiFailure) || failure.status === 429 || failure.status > 499;
}

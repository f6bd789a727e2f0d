import { ApiFailure, isRefusal, Unreachable } from '../api/client';
import { LoadFailure, type Loading } from './load-failure';
import { Result } from './result';

interface LinkFailureProps extends Omit<Loading<unknown>, 'state'> {
  /** The error of the request, or null if the link has no token. */
  failure: unknown;
  /** The first line, which is absent if there was no response. */
  title: string;
  message: string;
}

/** Returns whether a retry may succeed, because the server was unreachable or overloaded. */
export function isTemporary(failure: unknown): boolean {
  if (failure === null) return false;
  return !(failure instanceof ApiFailure) || failure.status === 429 || failure.status > 499;
}

/** Says why a mailed link was not redeemed, with a button that tries again if that may help. */
export function LinkFailure({ failure, title, message, ...again }: LinkFailureProps) {
  const isSpent = failure === null || isRefusal(failure, 'invalid_token');
  const result = (
    <Result status={isSpent ? 'spent' : 'failure'}>
      {failure instanceof Unreachable ? null : <p>{title}</p>}
      <p>{message}</p>
    </Result>
  );
  return isTemporary(failure) ? <LoadFailure {...again}>{result}</LoadFailure> : result;
}

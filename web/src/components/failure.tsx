import { type ReactNode, useEffect, useRef } from 'react';
import { ApiFailure, type ErrorCode } from '../api/client';
import { errorMessageOf } from '../api/message';
import { Alert } from './notice';

interface FailureProps {
  /** What the request failed with; null shows nothing. */
  reason: unknown;
  /** Said first, whatever the reason. */
  title?: string;
  /** What is said where the server says nothing. */
  fallback: string;
  /** What this screen says of a code instead of the server's sentence. */
  own?: Partial<Record<ErrorCode, string>>;
  /** A way on. */
  children?: ReactNode;
}

/** Why a request failed. It takes the focus, since the button that was pressed is far below. */
export function Failure({ reason, title, fallback, own = {}, children }: FailureProps) {
  const alert = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (reason !== null) alert.current?.focus();
  }, [reason]);

  if (reason === null) return null;
  const code = reason instanceof ApiFailure ? (reason.refusal?.code as ErrorCode) : undefined;
  return (
    <Alert offline={!(reason instanceof ApiFailure)} ref={alert}>
      {title ? <p>{title}</p> : null}
      <p>{(code && own[code]) ?? errorMessageOf(reason, fallback)}</p>
      {children}
    </Alert>
  );
}

import { useLayoutEffect, useRef } from 'react';
import { ApiFailure, type ErrorCode, OutOfDate, Unreachable } from '../api/client';
import { errorMessageOf } from '../api/message';
import { useTranslation } from '../i18n/use-translation';
import { reload } from '../loading/load-page';
import { Button } from './button';
import type { Elements } from './elements';
import { Alert } from './notice';

interface FailureProps {
  /** The error of the request, or null to render no message. */
  reason: unknown;
  /** The title that is shown above the error message of each response. */
  title?: string;
  /** The message that is shown if the error response contains no message. */
  fallback: string;
  /** Messages by error code, which replace the messages of the server on this screen. */
  own?: Partial<Record<ErrorCode, string>>;
  /** Whether the request sends a link, so that the message of a rate limit says when another link is possible. */
  sendsLink?: boolean;
  /** Whether the message takes the focus, because the user has caused the request. */
  focus?: boolean;
  /** Links or buttons with which the user can continue. */
  children?: Elements;
}

/** The error message of a request. By default it takes the focus, because the submit button may be far below. */
export function Failure({
  reason,
  title,
  fallback,
  own = {},
  sendsLink,
  focus = true,
  children,
}: FailureProps) {
  const alert = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    if (focus && reason !== null) alert.current?.focus();
  }, [focus, reason]);

  if (reason === null) return null;
  const code = reason instanceof ApiFailure ? reason.refusal?.code : undefined;
  const wait = sendsLink ? 'email_verification.resend_wait' : undefined;
  const offline = reason instanceof Unreachable;
  return (
    <Alert offline={offline} ref={alert}>
      {title && !offline ? <p>{title}</p> : null}
      <p>{(code && own[code]) ?? errorMessageOf(reason, fallback, wait)}</p>
      <ReloadButton failure={reason} />
      {children}
    </Alert>
  );
}

/** A button that reloads a page which is out of date. Renders nothing after other failures. */
export function ReloadButton({ failure }: { failure: unknown }) {
  const { t } = useTranslation();
  if (!(failure instanceof OutOfDate)) return null;
  return (
    <Button variant="secondary" onClick={reload}>
      {t('shell.reload')}
    </Button>
  );
}

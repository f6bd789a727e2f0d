import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { ApiFailure, isRefusal, type RefusedAtCap } from '../api/client';
import { errorMessageOf, report } from '../api/message';
import { signIn } from '../api/session';
import { appParameterOf } from '../app-parameter';
import { useConfig } from '../config';
import { useAutofill } from '../forms/use-autofill';
import { useForm } from '../forms/use-form';
import { useRequest } from '../forms/use-request';
import { loadPage } from '../load-page';
import { checkSignIn } from '../validation/sign-in';

/**
 * Which part of the site asks, when the address does not say (specification section 2). `redirect_url` is in the
 * address too, and is not followed: nobody gets to send people elsewhere.
 */
const DEFAULT_APP = 'wiki';

interface Failure {
  /** What stood in the way besides the credentials, in the words of the server. */
  reason: string | null;
  /** Too many devices, and which they are: one of them can make room. */
  full: RefusedAtCap | null;
}

/** The state of the sign-in form, and what its button does. */
export function useSignIn(onSuccess: () => void) {
  const { signed_in_home } = useConfig();
  const [, navigate] = useLocation();
  const form = useForm({ email: '', password: '' });
  const [failure, setFailure] = useState<Failure | null>(null);
  const alert = useRef<HTMLDivElement>(null);
  const { busy, send } = useRequest(handle);
  useAutofill(form.readPage);

  useEffect(() => {
    if (failure) alert.current?.focus();
  }, [failure]);

  function submit(event: FormEvent) {
    event.preventDefault();
    const { email, password } = form.readPage();
    setFailure(null);
    if (checkSignIn(email, password)) {
      setFailure({ reason: null, full: null });
      return;
    }
    send(
      () => signIn(email.trim(), password, appParameterOf(location.search) || DEFAULT_APP),
      () => {
        onSuccess();
        loadPage(signed_in_home);
      },
    );
  }

  function handle(reason: unknown): boolean {
    if (reason instanceof ApiFailure && reason.status === 403 && reason.needsMigration) {
      const email = form.readPage().email.trim();
      // The screen says why the sign-in led there; an address alone, which anyone can write, does not.
      navigate(`/migration?${new URLSearchParams({ email })}`, { state: { needsMigration: true } });
    } else {
      report(reason);
      setFailure({ reason: reasonOf(reason), full: fullOf(reason) });
    }
    return true;
  }

  return { submit, form, busy, failure, setFailure, alert };
}

/** Wrong credentials have been said already; everything else deserves a line of its own. */
function reasonOf(failure: unknown): string | null {
  return isRefusal(failure, 'invalid_credentials') ? null : errorMessageOf(failure, '') || null;
}

function fullOf(failure: unknown): RefusedAtCap | null {
  const refusal = isRefusal(failure, 'too_many_devices') ? failure.refusal : null;
  if (!refusal?.devices || !refusal.device_token) return null;
  return { devices: refusal.devices, device_token: refusal.device_token };
}

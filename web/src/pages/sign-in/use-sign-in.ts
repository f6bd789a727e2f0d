import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { ApiFailure, isRefusal, type RefusedAtCap } from '../../api/client';
import { errorMessageOf, report } from '../../api/message';
import { signIn } from '../../api/session';
import { appParameterOf } from '../../app-parameter';
import { useConfig } from '../../config';
import { useAutofill } from '../../forms/use-autofill';
import { useForm } from '../../forms/use-form';
import { useRequest } from '../../forms/use-request';
import { loadPage } from '../../load-page';
import { checkSignIn } from '../../validation/sign-in';

/**
 * The default of the `app` parameter (specification section 2). The parameter `redirect_url` is ignored, which
 * prevents open redirects.
 */
const DEFAULT_APP = 'wiki';

interface Failure {
  /** The server's message, if the reason is not wrong credentials. */
  reason: string | null;
  /** The devices of a `too_many_devices` error. */
  full: RefusedAtCap | null;
}

/** The state and the submit handler of the sign-in form. */
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
      // The history state makes the migration screen show the reason. A crafted URL cannot set it.
      navigate(`/migration?${new URLSearchParams({ email })}`, { state: { needsMigration: true } });
    } else {
      report(reason);
      setFailure({ reason: reasonOf(reason), full: fullOf(reason) });
    }
    return true;
  }

  return { submit, form, busy, failure, setFailure, alert };
}

/** Null for wrong credentials, which the title already states. */
function reasonOf(failure: unknown): string | null {
  return isRefusal(failure, 'invalid_credentials') ? null : errorMessageOf(failure, '') || null;
}

function fullOf(failure: unknown): RefusedAtCap | null {
  const refusal = isRefusal(failure, 'too_many_devices') ? failure.refusal : null;
  if (!refusal?.devices || !refusal.device_token) return null;
  return { devices: refusal.devices, device_token: refusal.device_token };
}

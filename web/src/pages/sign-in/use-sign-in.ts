import { type ComponentType, useCallback, useLayoutEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { ApiFailure, isRefusal, type Refusal } from '../../api/client';
import { errorMessageOf, logFailure } from '../../api/message';
import { signIn } from '../../api/session';
import { useConfig } from '../../config';
import type { FieldErrors } from '../../forms/field-errors';
import { replaceText } from '../../forms/typed-text';
import { useForm } from '../../forms/use-form';
import { type TextKey, t } from '../../i18n/texts';
import { loadScript } from '../../loading/lazy-page';
import { loadPage } from '../../loading/load-page';
import { appParameterOf, withAppParameter } from '../../url/app-parameter';
import { checkSignIn } from '../../validation/sign-in';
import type { StoppedSignInProps } from './stopped-sign-in';

export type Credentials = Readonly<Record<'email' | 'password', string>>;

const importStoppedSignIn = () => import('./stopped-sign-in');
const importCodeScreen = () => import('./code-screen');

/** The second step of a sign-in. The password was correct, but a second-factor code is also required. */
export interface SecondStep extends Awaited<ReturnType<typeof importCodeScreen>> {
  /** The server's response to the correct password. */
  refusal: Refusal<'second_factor_required'>;
  /** Sends the password again to get another token. */
  repeat: () => Promise<unknown>;
}

export interface SignInOptions {
  /** The initial values of the form. */
  typed: Credentials;
  /** The key of the message that the second step has passed to the form. */
  reason: TextKey | null;
  onSuccess: () => void;
  onSecondStep: (step: SecondStep, typed: Credentials) => void;
}

interface Failure {
  /** The authentication method that failed, which is the password by default. */
  source?: 'passkey' | 'code';
  /** The error of the request, the key of a message, or null if the form is incomplete. */
  reason: { error: unknown } | { text: TextKey } | null;
  /** The component that explains the error and shows what the user can do. */
  Stopped?: ComponentType<StoppedSignInProps>;
}

/** Returns the message, or null for wrong credentials, because the title of the alert states these. */
export function messageOf({ source, reason }: Failure): string | null {
  if (!reason) return null;
  if ('text' in reason) return t(reason.text);
  if (isRefusal(reason.error, 'invalid_credentials')) return null;
  return (
    errorMessageOf(reason.error, source === 'passkey' ? t('error.passkey_rejected') : '') || null
  );
}

/** Returns whether the server has rejected the email address or the password. */
export const isWrongPassword = ({ source, reason }: Failure): boolean =>
  !source && !!reason && 'error' in reason && isRefusal(reason.error, 'invalid_credentials');

/** The state and the submit handler of the sign-in form. */
export function useSignIn({ typed, reason, onSuccess, onSecondStep }: SignInOptions) {
  const [, navigate] = useLocation();
  const { app: usualApp, login_hint: hint } = useConfig();
  const [failure, setFailure] = useState<Failure | null>(
    reason === null ? null : { source: 'code', reason: { text: reason } },
  );
  // The name of the device that the user has signed out, because too many devices were signed in.
  const [signedOutDevice, setSignedOutDevice] = useState<string | null>(null);
  const [passkeyCancelled, setPasskeyCancelled] = useState(false);
  const alert = useRef<HTMLDivElement>(null);
  const form = useForm({ fields: typed, onSubmit: forget, check, send, onDone, onFailure });

  // The prerendered field is empty. An email address that was typed or autofilled before hydration stays.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, so that the field can be cleared
  useLayoutEffect(() => {
    const email = form.ref.current?.querySelector('input');
    if (hint && !email?.value) replaceText(email, hint);
  }, []);

  // The alert takes no focus after the second step, because the heading of this screen has the focus.
  useLayoutEffect(() => {
    if (failure && failure.source !== 'code') alert.current?.focus();
  }, [failure]);

  function forget() {
    setFailure(null);
    setSignedOutDevice(null);
    setPasskeyCancelled(false);
  }

  function check({ email, password }: Credentials): FieldErrors {
    const code = checkSignIn(email, password);
    if (code) setFailure({ reason: null });
    // The error belongs to no field, because the message does not tell whether email or password is wrong.
    return code ? { credentials: { code } } : {};
  }

  function send({ email, password }: Credentials): Promise<SecondStep | null> {
    // The parameter `redirect_url` is ignored, which prevents open redirects.
    const app = appParameterOf(location.search) || usualApp;
    const sent = attempt(() => signIn(email.trim(), password, app));
    // The script of the second step is loaded while the password is verified. A failure is ignored and retried later.
    importCodeScreen().catch(() => undefined);
    return sent;
  }

  function onDone(second: SecondStep | null, sent: Credentials) {
    if (second) onSecondStep(second, sent);
    else onSuccess();
  }

  /** Opens the screen that cancels a deletion. Returns whether a pending deletion stopped the sign-in. */
  const offerRestore = useCallback((reason: unknown) => {
    if (!isRefusal(reason, 'deletion_pending')) return false;
    const { restore_token: token, delete_at } = reason.refusal;
    if (!token) return false;
    // The screen opens in another document, because consent scripts in this document must not read the token.
    const query = new URLSearchParams({ token, delete_at });
    loadPage(withAppParameter(`/account/restore?${query}`, appParameterOf(location.search)));
    return true;
  }, []);

  const passkeyFailed = useCallback(
    (reason: unknown) => {
      if (offerRestore(reason)) return;
      logFailure(reason);
      showFailure({ source: 'passkey', reason: { error: reason } }, setFailure);
    },
    [offerRestore],
  );

  function onFailure(reason: unknown): boolean {
    if (reason instanceof ApiFailure && reason.status === 403 && reason.needsMigration) {
      const email = form.read().email.trim();
      // The migration screen shows the reason only if the history state contains it, which a crafted URL cannot set.
      navigate(`/migration?${new URLSearchParams({ email })}`, { state: { needsMigration: true } });
    } else if (!offerRestore(reason)) {
      logFailure(reason);
      showFailure({ reason: { error: reason } }, setFailure);
    }
    return true;
  }

  return {
    form,
    forget,
    passkeyFailed,
    passkeyCancelled,
    setPasskeyCancelled,
    failure,
    setFailure,
    signedOutDevice,
    setSignedOutDevice,
    alert,
  };
}

/** The errors that need more than a sentence. Their component is loaded when needed. */
const EXPLAINED_ERRORS = [
  'rate_limited',
  'email_not_verified',
  'new_device',
  'too_many_devices',
  'account_disabled',
] as const;

/** Shows a failure. The script of the component that explains the error is loaded first. */
function showFailure(failure: Failure, setFailure: (failure: Failure) => void): void {
  const { reason } = failure;
  const error = reason && 'error' in reason ? reason.error : null;
  if (!EXPLAINED_ERRORS.some((code) => isRefusal(error, code))) {
    setFailure(failure);
    return;
  }
  loadScript(importStoppedSignIn).then(
    ({ StoppedSignIn }) => setFailure({ ...failure, Stopped: StoppedSignIn }),
    () => setFailure(failure),
  );
}

/** Sends the password. Returns the second step, or null if the account needs none and the sign-in is done. */
async function attempt(repeat: () => Promise<unknown>): Promise<SecondStep | null> {
  try {
    await repeat();
    return null;
  } catch (reason) {
    if (!isRefusal(reason, 'second_factor_required')) throw reason;
    return { ...(await loadScript(importCodeScreen)), refusal: reason.refusal, repeat };
  }
}

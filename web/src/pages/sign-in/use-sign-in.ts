import { type ComponentType, useCallback, useLayoutEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { ApiFailure, isRefusal, OutOfDate, type Refusal } from '../../api/client';
import { errorMessageOf, logFailure } from '../../api/message';
import { signIn } from '../../api/session';
import { useConfig } from '../../config';
import type { FieldErrors } from '../../forms/field-errors';
import { fillInText } from '../../forms/typed-text';
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

/** The second step of a sign-in with its component. The password was correct, but a second-factor code is required. */
export interface SecondStep extends Awaited<ReturnType<typeof importCodeScreen>> {
  /** The error response of the server, whose token proves that the password was correct. */
  refusal: Refusal<'second_factor_required'>;
  /** Sends the password again to get a new token. */
  repeat: () => Promise<unknown>;
}

export interface SignInOptions {
  /** The initial values of the form. */
  typed: Credentials;
  /** The key of the message that the second step has passed back, or null. */
  reason: TextKey | null;
  onSuccess: () => void;
  /** Called with true when a sign-in has failed or was stopped. */
  onFailed: (hasFailed: true) => void;
  onSecondStep: (step: SecondStep, typed: Credentials) => void;
}

interface Failure {
  /** The authentication method that failed. Undefined for the password. */
  source?: 'passkey' | 'code';
  /** An error of the request, the key of a message, or null if the form was incomplete. */
  reason: { error: unknown } | { text: TextKey } | null;
  /** The component that explains the error, if the message alone is not sufficient. */
  Stopped?: ComponentType<StoppedSignInProps>;
}

/** Returns the message, or null for wrong credentials, which the title of the alert already reports. */
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

export function useSignIn({ typed, reason, onSuccess, onFailed, onSecondStep }: SignInOptions) {
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

  // The field is empty in the prerendered page. Unless the user has typed something, the field is filled with the email
  // address of a sign-in that a reload has interrupted, or with the login hint.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, so that the field can be cleared
  useLayoutEffect(() => {
    const email = form.ref.current?.querySelector('input');
    fillInText(email, history.state?.email || hint || '');
  }, []);

  // After a return from the second step, the alert takes no focus, because the heading of the screen has the focus.
  useLayoutEffect(() => {
    if (!failure) return;
    onFailed(true);
    if (failure.source !== 'code') alert.current?.focus();
  }, [failure, onFailed]);

  function forget() {
    setFailure(null);
    setSignedOutDevice(null);
    setPasskeyCancelled(false);
  }

  function check({ email, password }: Credentials): FieldErrors {
    const code = checkSignIn(email, password);
    if (code) setFailure({ reason: null });
    // No field shows the error, because the message does not tell whether the email or the password is wrong.
    return code ? { credentials: { code } } : {};
  }

  function send({ email, password }: Credentials): Promise<SecondStep | null> {
    // The parameter `redirect_url` is ignored, which prevents open redirects.
    const app = appParameterOf(location.search) || usualApp;
    const sent = signInOrAskForCode(() => signIn(email.trim(), password, app));
    // The script of the second step is loaded while the server checks the password. A failure is retried later.
    importCodeScreen().catch(() => undefined);
    return sent;
  }

  function onDone(second: SecondStep | null, sent: Credentials) {
    if (second) onSecondStep(second, sent);
    else onSuccess();
  }

  const passkeyFailed = useCallback(async (reason: unknown) => {
    if (offerRestore(reason)) return;
    logFailure(reason);
    setFailure({ source: 'passkey', ...(await explain(reason)) });
  }, []);

  async function onFailure(reason: unknown): Promise<boolean> {
    if (reason instanceof ApiFailure && reason.status === 403 && reason.needsMigration) {
      const email = form.read().email.trim();
      // The migration screen explains the redirect only if the history state says so, because a crafted URL cannot set
      // it.
      navigate(`/migration?${new URLSearchParams({ email })}`, { state: { needsMigration: true } });
    } else if (!offerRestore(reason)) {
      logFailure(reason);
      setFailure(await explain(reason));
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

/** If a pending deletion stopped the sign-in, opens the screen that cancels the deletion, and returns true. */
function offerRestore(reason: unknown): boolean {
  if (!isRefusal(reason, 'deletion_pending')) return false;
  const { restore_token: token, delete_at } = reason.refusal;
  if (!token) return false;
  // The screen is opened by a page load, because the consent scripts of this document must not read the token.
  const query = new URLSearchParams({ token, delete_at });
  loadPage(withAppParameter(`/account/restore?${query}`, appParameterOf(location.search)));
  return true;
}

/** The errors that a lazily loaded component explains. */
const EXPLAINED_ERRORS = [
  'rate_limited',
  'email_not_verified',
  'new_device',
  'too_many_devices',
  'account_disabled',
] as const;

/**
 * Loads the component that explains the error. If the server is unreachable meanwhile, the form shows only the message,
 * and if the page is out of date, the form says so.
 */
async function explain(error: unknown): Promise<Failure> {
  const reason = { error };
  if (!EXPLAINED_ERRORS.some((code) => isRefusal(error, code))) return { reason };
  try {
    const { StoppedSignIn } = await loadScript(importStoppedSignIn);
    return { reason, Stopped: StoppedSignIn };
  } catch (missing) {
    return { reason: { error: missing instanceof OutOfDate ? missing : error } };
  }
}

/** Signs in. Returns the second step, or null if the user is signed in without a second step. */
async function signInOrAskForCode(send: () => Promise<unknown>): Promise<SecondStep | null> {
  try {
    await send();
    return null;
  } catch (reason) {
    if (!isRefusal(reason, 'second_factor_required')) throw reason;
    return { ...(await loadScript(importCodeScreen)), refusal: reason.refusal, repeat: send };
  }
}

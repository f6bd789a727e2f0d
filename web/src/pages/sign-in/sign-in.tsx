import { useCallback, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { ApiFailure } from '../../api/client';
import { logFailure } from '../../api/message';
import { currentUser } from '../../api/session';
import { isSessionPossible } from '../../browser/session-hint';
import { ButtonLink } from '../../components/button';
import { Card } from '../../components/card';
import { NavigationNotice } from '../../components/navigation-notice';
import { Status } from '../../components/notice';
import { Spinner } from '../../components/spinner';
import { useConfig } from '../../config';
import { usePageReturn } from '../../hooks/use-page-return';
import type { TextKey } from '../../i18n/texts';
import { useTranslation } from '../../i18n/use-translation';
import { loadPage } from '../../loading/load-page';
import styles from './sign-in.module.css';
import { SignInForm } from './sign-in-form';
import type { Credentials, SecondStep } from './use-sign-in';

const CREDENTIALS: CredentialsStep = {
  kind: 'credentials',
  typed: { email: '', password: '' },
  reason: null,
};

interface CredentialsStep {
  kind: 'credentials';
  typed: Credentials;
  /** The key of the message that the second step has passed back, or null. */
  reason: TextKey | null;
}
type Step =
  | { kind: 'checking' | 'done' }
  | CredentialsStep
  | { kind: 'code'; typed: Credentials; second: SecondStep };

/** The notice if the server has redirected from a page of this site that requires a session. */
const SESSION_NEEDED = { text: 'sign_in.session_needed', neutral: true } as const;

/** Returns the path of the screen whose session has ended, or null. */
const pageBeforeSignIn = (): string | null =>
  typeof history === 'undefined' ? null : (history.state?.page ?? null);

/** The sign-in screen. Redirects to the settings if there is a session. */
export default function SignIn() {
  const { t } = useTranslation();
  const { signed_in_home, signing_in_to: name } = useConfig();
  const [home] = useState(() => pageBeforeSignIn() ?? signed_in_home);
  const [step, setStep] = useState<Step>(() =>
    isSessionPossible() ? { kind: 'checking' } : CREDENTIALS,
  );
  const finish = useCallback(() => {
    setStep({ kind: 'done' });
    loadPage(home);
  }, [home]);
  const showCredentials = useCallback(
    () => setStep((now) => ('typed' in now ? now : CREDENTIALS)),
    [],
  );
  // The message of a failed sign-in replaces the notice, so that one message is shown at a time.
  const [hasFailed, setHasFailed] = useState(false);
  useRedirectIfSignedIn(home === '/' ? null : home, showCredentials);

  if (step.kind === 'done') {
    return (
      <Card title={t('sign_in.done_title')}>
        <Status>{t('sign_in.done')}</Status>
      </Card>
    );
  }
  if (step.kind === 'code') {
    const { second, typed } = step;
    return (
      <second.CodeScreen
        email={typed.email}
        onBack={(reason) => setStep({ kind: 'credentials', typed, reason })}
        onSuccess={finish}
        step={second}
      />
    );
  }
  const checking = step.kind === 'checking';
  const isOwnPage = signed_in_home !== '/' && !name;
  const { typed, reason } = step.kind === 'credentials' ? step : CREDENTIALS;
  return (
    <Card
      lead={name ? t('sign_in.continue_to', { name }) : t('sign_in.lead')}
      title={t(checking ? 'common.loading' : 'sign_in.title')}
    >
      {hasFailed ? null : (
        <NavigationNotice initial={isOwnPage && !checking ? SESSION_NEEDED : null} />
      )}
      {/* While the session is checked, the invisible form reserves its space, so that nothing moves afterwards. */}
      <div className={checking ? styles.checking : styles.ready} inert={checking}>
        {checking ? <Spinner /> : null}
        <SignInForm
          inactive={checking}
          onFailed={setHasFailed}
          onSecondStep={(second, typed) => setStep({ kind: 'code', typed, second })}
          onSuccess={finish}
          reason={reason}
          typed={typed}
        />
        <hr className={styles.divider} />
        <div className={styles.join}>
          <h2>{t('sign_in.new_here')}</h2>
          <ButtonLink to="/signup">{t('sign_in.create')}</ButtonLink>
        </div>
      </div>
    </Card>
  );
}

/**
 * Redirects to `home` (default: the settings) if there is a session, else calls `onNoSession`. Checks again when the
 * page is restored from the back/forward cache.
 */
function useRedirectIfSignedIn(home: string | null, onNoSession: () => void): void {
  const [, navigate] = useLocation();
  const checkSession = useCallback(() => {
    let current = true;
    currentUser().then(
      () => current && (home ? loadPage(home) : navigate('/settings', { replace: true })),
      (failure: unknown) => {
        const hasNoSession = failure instanceof ApiFailure && failure.status === 401;
        if (!hasNoSession) logFailure(failure);
        if (current) onNoSession();
      },
    );
    return () => {
      current = false;
    };
  }, [home, navigate, onNoSession]);
  useEffect(() => (isSessionPossible() ? checkSession() : undefined), [checkSession]);
  usePageReturn(checkSession);
}

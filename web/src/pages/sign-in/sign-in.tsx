import { memo, useCallback, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { ApiFailure } from '../../api/client';
import { report } from '../../api/message';
import { currentUser } from '../../api/session';
import { ButtonLink } from '../../components/button';
import { Card } from '../../components/card';
import { Status } from '../../components/notice';
import { Spinner } from '../../components/spinner';
import { useTranslation } from '../../i18n/use-translation';
import { isSessionPossible } from '../../session-hint';
import { useClientValue } from '../../use-client-value';
import { usePageReturn } from '../../use-page-return';
import styles from './sign-in.module.css';
import { SignInForm } from './sign-in-form';

type Step = 'checking' | 'form' | 'done';

// Memoised: a further render would clear values that were autofilled without an event.
const Form = memo(SignInForm);

/** The sign-in screen. Redirects to the settings with a session. */
export default function SignIn() {
  const { t } = useTranslation();
  const [step, setStep] = useState<Step>(() => (isSessionPossible() ? 'checking' : 'form'));
  const [, navigate] = useLocation();
  const signedOut = useClientValue(() => history.state?.signedOut === true, false);
  const done = useCallback(() => setStep('done'), []);

  const look = useCallback(() => {
    let current = true;
    currentUser().then(
      () => current && navigate('/settings', { replace: true }),
      (failure: unknown) => {
        const nobody = failure instanceof ApiFailure && failure.status === 401;
        if (!nobody) report(failure);
        if (current) setStep('form');
      },
    );
    return () => {
      current = false;
    };
  }, [navigate]);
  useEffect(() => (isSessionPossible() ? look() : undefined), [look]);
  usePageReturn(look);

  if (step === 'done') {
    return (
      <Card title={t('sign_in.done_title')}>
        <Status>
          <p>{t('sign_in.done')}</p>
        </Status>
      </Card>
    );
  }
  const checking = step === 'checking';
  return (
    <Card lead={t('sign_in.lead')} title={t(checking ? 'common.loading' : 'sign_in.title')}>
      {signedOut ? (
        <Status>
          <p>{t('sign_in.signed_out')}</p>
        </Status>
      ) : null}
      {/* The hidden form reserves its space, which avoids a layout shift. */}
      <div className={checking ? styles.checking : styles.ready} inert={checking}>
        {checking ? <Spinner /> : null}
        <Form onSuccess={done} />
        <hr className={styles.divider} />
        <div className={styles.join}>
          <h2>{t('sign_in.new_here')}</h2>
          <ButtonLink to="/signup">{t('sign_in.create')}</ButtonLink>
        </div>
      </div>
    </Card>
  );
}

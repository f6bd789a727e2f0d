import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { isRefusal } from '../api/client';
import { sentenceOf } from '../api/message';
import { Address } from '../components/address';
import { Button } from '../components/button';
import { Card } from '../components/card';
import { Outcome } from '../components/outcome';
import { Waiting } from '../components/waiting';
import { useLinkToken } from '../use-link-token';
import { useRedirect } from '../use-redirect';
import styles from './change-email.module.css';
import { EmailUndo } from './change-email-undo';
import { type Confirmation, useEmailConfirmation } from './use-email-confirmation';

/** Milliseconds in which one can read that all is well (specification section 9). */
const READING_TIME = 3000;

/** Where our mails about a change of address lead: the new mailbox confirms, the old one undoes. */
export default function ChangeEmail() {
  const { t } = useTranslation();
  const undo = useLinkToken('undo');
  const token = useLinkToken('verificationToken');

  if (undo) return <EmailUndo token={undo} />;
  return (
    <Card title={t('change_email.title')}>
      <EmailConfirmation token={token} />
    </Card>
  );
}

function EmailConfirmation({ token }: { token: string | null }) {
  const { t } = useTranslation();
  const { step, retry } = useEmailConfirmation(token);
  useRedirect(step.kind === 'changed' ? '/settings' : null, READING_TIME);

  return (
    <>
      <Step onRetry={retry} step={step} />
      <p className={styles.way_on}>
        <Link to="/settings">{t('change_email.back')}</Link>
      </p>
    </>
  );
}

function Step({ step, onRetry }: { step: Confirmation; onRetry: () => void }): ReactNode {
  const { t } = useTranslation();
  switch (step.kind) {
    case 'confirming':
      return <Waiting>{t('change_email.confirming')}</Waiting>;
    case 'changed':
      return (
        <Outcome good>
          <p>{t('answer.email_changed')}</p>
          <p className={styles.address}>
            <Address>{step.email}</Address>
          </p>
          <p>{t('change_email.redirecting')}</p>
        </Outcome>
      );
    case 'no_token':
      return (
        <Outcome good={false}>
          <p>{t('change_email.no_token')}</p>
        </Outcome>
      );
    case 'failed':
      return (
        <>
          <Outcome good={false}>
            <p>{t('change_email.failed_title')}</p>
            <p>
              {isRefusal(step.failure, 'account_exists')
                ? t('settings.email_taken')
                : sentenceOf(step.failure, t('change_email.failed'))}
            </p>
          </Outcome>
          {step.passing ? <Button onClick={onRetry}>{t('common.try_again')}</Button> : null}
        </>
      );
  }
}

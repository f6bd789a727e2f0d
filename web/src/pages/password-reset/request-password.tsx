import { type ReactNode, useLayoutEffect } from 'react';
import { type ResetOutcome, requestPasswordReset } from '../../api/password-reset';
import { BackLink } from '../../components/back-link';
import { Button, ButtonLink } from '../../components/button';
import { Card } from '../../components/card';
import { EmailField, rememberEmail } from '../../components/email-field';
import { Failure } from '../../components/failure';
import { Status } from '../../components/notice';
import result from '../../components/result.module.css';
import { firstError } from '../../forms/field-errors';
import { useForm } from '../../forms/use-form';
import { useKeptResult } from '../../hooks/use-kept-result';
import { useTranslation } from '../../i18n/use-translation';
import { checkResetEmail } from '../../validation/email';

interface ResetRequest {
  email: string;
  outcome: ResetOutcome;
}

/** The screen on which the user requests a link for a password reset. */
export default function RequestPassword() {
  const { t } = useTranslation();
  const { done, keep, forget } = useKeptResult<ResetRequest>('requested');
  const request = done?.result ?? null;

  return (
    <Card
      // A new key remounts the card, so that the heading takes the focus and is announced.
      key={request ? 'sent' : 'form'}
      lead={request ? null : t('password_reset.request_lead')}
      title={t(titleOf(request))}
    >
      {request ? <RequestResult {...request} onAgain={forget} /> : <RequestForm onDone={keep} />}
      <BackLink to="/">{t('common.back')}</BackLink>
    </Card>
  );
}

function titleOf(request: ResetRequest | null) {
  if (!request) return 'password_reset.request_title';
  return request.outcome === 'needs_migration' ? 'migration.title' : 'common.check_email';
}

function RequestForm({ onDone }: { onDone: (request: ResetRequest) => void }) {
  const { t } = useTranslation();
  const form = useForm({
    fields: { email: '' },
    check: ({ email }) => firstError({ email: checkResetEmail(email.trim()) }),
    send: ({ email }) => requestPasswordReset(email.trim()),
    onDone: (outcome, { email }) => onDone({ email: email.trim(), outcome }),
  });

  return (
    <form {...form.props}>
      <Failure fallback={t('password_reset.request_failed')} reason={form.failure} sendsLink />
      <EmailField {...form.field('email')} enterKeyHint="send" />
      <Button busy={form.busy && t('password_reset.request_busy')}>
        {t('password_reset.request_submit')}
      </Button>
    </form>
  );
}

/** The result is the same with and without an account, and differs only for a legacy account. */
function RequestResult({
  email,
  outcome,
  onAgain,
}: ResetRequest & { onAgain: () => void }): ReactNode {
  const { t } = useTranslation();
  // A reload has forgotten the typed address.
  useLayoutEffect(() => rememberEmail(email), [email]);
  switch (outcome) {
    case 'needs_migration':
      return (
        <>
          <Status neutral>{t('password_reset.needs_migration')}</Status>
          <ButtonLink variant="primary" to={`/migration?${new URLSearchParams({ email })}`}>
            {t('password_reset.needs_migration_link')}
          </ButtonLink>
        </>
      );
    case 'reset_sent':
      return (
        <>
          <Status>{t('password_reset.sent', { email })}</Status>
          <p>{t('password_reset.sent_next')}</p>
          <div className={result.settling}>
            <Button variant="secondary" onClick={onAgain}>
              {t('password_reset.sent_again')}
            </Button>
          </div>
        </>
      );
  }
}

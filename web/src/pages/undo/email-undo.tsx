import { useLayoutEffect } from 'react';
import type { UndoDetails } from '../../api/credential-undo';
import { undoEmailChange } from '../../api/email-change';
import { BackLink } from '../../components/back-link';
import { Button, ButtonLink } from '../../components/button';
import { Card } from '../../components/card';
import { rememberEmail } from '../../components/email-field';
import { Failure } from '../../components/failure';
import { Result } from '../../components/result';
import { useLinkAction } from '../../hooks/use-link-action';
import { useTimeFormat } from '../../hooks/use-time-format';
import { useTranslation } from '../../i18n/use-translation';
import { SpentUndo } from './spent-undo';
import { useUndoDetails } from './use-undo-details';

/** The screen of a mailed link that restores the previous email address. */
export function EmailUndo() {
  const { t } = useTranslation();
  const { done, busy, failure, confirm, spent } = useLinkAction('undo', undoEmailChange);
  const { details, isSpent } = useUndoDetails('undo');
  const change = useChangeText(details);

  if (done) return <Restored email={done.result.email} />;
  if (spent || isSpent) return <SpentUndo />;
  return (
    <Card
      key="question"
      lead={`${change} ${t('change_email.undo_text')}`}
      title={t('change_email.undo_title')}
    >
      <Failure fallback={t('change_email.undo_failed')} reason={failure} />
      <Button busy={busy && t('change_email.undo_busy')} onClick={confirm}>
        {t('change_email.undo_submit')}
      </Button>
      <BackLink to="/settings">{t('change_email.back')}</BackLink>
    </Card>
  );
}

/** Returns a sentence about the change of the email address, which has no details until they are loaded. */
function useChangeText(details: UndoDetails | null): string {
  const { t } = useTranslation();
  const { formatDate, formatTime } = useTimeFormat();
  const change = details?.email_change;
  if (!change) return t('change_email.undo_unknown');
  const at = Date.parse(change.at);
  return t('change_email.undo_change', {
    email: change.email,
    date: formatDate(at),
    time: formatTime(at),
  });
}

/** The screen after the undo. It recommends a new password, because a thief may know the password. */
function Restored({ email }: { email: string }) {
  const { t } = useTranslation();
  // The form on the next screen is filled in with this email address.
  useLayoutEffect(() => rememberEmail(email), [email]);
  return (
    // A new key remounts the card, so that the heading takes the focus and is announced.
    <Card key="done" title={t('change_email.undo_done_title')}>
      <Result status="success">
        <p>{t('answer.email_restored')}</p>
        <p>{t('change_email.undo_now', { email })}</p>
      </Result>
      <p>{t('change_email.undo_next')}</p>
      <ButtonLink variant="primary" to="/request-password">
        {t('change_email.undo_reset')}
      </ButtonLink>
      <BackLink to="/">{t('common.go_to_sign_in')}</BackLink>
    </Card>
  );
}

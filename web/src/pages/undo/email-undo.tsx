import { useLayoutEffect } from 'react';
import type { UndoDetails } from '../../api/credential-undo';
import { type UndoneEmailChange, undoEmailChange } from '../../api/email-change';
import { BackLink } from '../../components/back-link';
import { rememberEmail } from '../../components/email-field';
import { useLinkAction } from '../../hooks/use-link-action';
import { useTimeFormat } from '../../hooks/use-time-format';
import { useTranslation } from '../../i18n/use-translation';
import { MailedDecision, NewPasswordLink, UndoneCard } from './mailed-decision';
import { useUndoDetails } from './use-undo-details';

/** The screen of a mailed link that restores the previous email address. */
export function EmailUndo() {
  const { t } = useTranslation();
  const action = useLinkAction('undo', undoEmailChange);
  const { details, isSpent } = useUndoDetails('undo');
  return (
    <MailedDecision
      action={action}
      back={<BackLink to="/settings">{t('change_email.back')}</BackLink>}
      button={[t('change_email.undo_submit'), t('change_email.undo_busy')]}
      done={(undone) => <Restored {...undone} />}
      expired={t('undo.expired')}
      failed={t('change_email.undo_failed')}
      isSpent={isSpent}
      lead={`${useChangeText(details)} ${t('change_email.undo_text')}`}
      rescue={<NewPasswordLink />}
      title={t('change_email.undo_title')}
    />
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

function Restored({ email, ...undone }: UndoneEmailChange) {
  const { t } = useTranslation();
  // The form on the next screen is filled in with this email address.
  useLayoutEffect(() => rememberEmail(email), [email]);
  const lines = [
    t('answer.email_restored'),
    t('change_email.undo_now', { email }),
    t('change_email.undo_next'),
  ];
  return <UndoneCard {...undone} lines={lines} title={t('change_email.undo_done_title')} />;
}

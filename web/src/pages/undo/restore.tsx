import { restoreAccount } from '../../api/deletion';
import { ButtonLink } from '../../components/button';
import { useClientValue } from '../../hooks/use-client-value';
import { useKeptResult } from '../../hooks/use-kept-result';
import { useLinkAction } from '../../hooks/use-link-action';
import { useTimeFormat } from '../../hooks/use-time-format';
import { useTranslation } from '../../i18n/use-translation';
import { readQuery } from '../../url/query';
import { Done, MailedDecision } from './mailed-decision';
import { useUndoDetails } from './use-undo-details';

/**
 * The screen that cancels a pending deletion. A mailed link opens it, and so does a sign-in that the deletion stopped.
 * After the request of a deletion, the screen shows the date of the deletion, which is in the history state.
 */
export default function Restore() {
  const { t } = useTranslation();
  const { formatDate } = useTimeFormat();
  const action = useLinkAction('token', restoreAccount);
  // The sign-in screen passes the date of the deletion in the URL. A mailed link does not contain the date.
  const passedDate = useClientValue(() => readQuery(location.search).get('delete_at') ?? '', '');
  const { details, isSpent } = useUndoDetails('token');
  const deleteAt = Date.parse(passedDate || (details?.delete_at ?? ''));
  const { done: requested } = useKeptResult<string>('requested');

  if (requested) {
    const date = formatDate(Date.parse(requested.result));
    return <Done lines={[t('deletion.done', { date })]} title={t('deletion.done_title')} />;
  }
  return (
    <MailedDecision
      action={action}
      back={<ButtonLink to="/">{t('common.go_to_sign_in')}</ButtonLink>}
      button={[t('deletion.keep'), t('deletion.busy')]}
      done={() => (
        <Done lines={[t('answer.account_restored')]} title={t('deletion.restored_title')} />
      )}
      expired={t('deletion.expired')}
      failed={t('deletion.restore_failed')}
      isSpent={isSpent}
      lead={
        Number.isNaN(deleteAt)
          ? t('deletion.restore_lead')
          : `${t('deletion.restore_when', { date: formatDate(deleteAt) })} ${t('deletion.restore_lead')}`
      }
      title={t('deletion.restore_title')}
    />
  );
}

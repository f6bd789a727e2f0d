import { restoreAccount } from '../../api/deletion';
import { Button, ButtonLink } from '../../components/button';
import { Card } from '../../components/card';
import { Failure } from '../../components/failure';
import { Result } from '../../components/result';
import { SpentLink } from '../../components/spent-link';
import { useClientValue } from '../../hooks/use-client-value';
import { useKeptResult } from '../../hooks/use-kept-result';
import { useLinkAction } from '../../hooks/use-link-action';
import { useTimeFormat } from '../../hooks/use-time-format';
import { useTranslation } from '../../i18n/use-translation';
import { readQuery } from '../../url/query';
import { useUndoDetails } from './use-undo-details';

/**
 * The screen that cancels a pending deletion. A mailed link opens it, and so does a sign-in that the deletion stopped.
 * After the request of a deletion, the screen shows the date of the deletion, which is in the history state.
 */
export default function Restore() {
  const { t } = useTranslation();
  const { formatDate } = useTimeFormat();
  const action = useLinkAction('token', restoreAccount);
  const { done, busy, failure, confirm, missing } = action;
  // The sign-in screen passes the date of the deletion in the URL. A mailed link does not contain the date.
  const passedDate = useClientValue(() => readQuery(location.search).get('delete_at') ?? '', '');
  const { details, isSpent } = useUndoDetails('token');
  const spent = action.spent || isSpent;
  const deleteAt = Date.parse(passedDate || (details?.delete_at ?? ''));
  const { done: requested } = useKeptResult<string>('requested');

  if (requested) {
    return (
      <Card key="requested" title={t('deletion.done_title')}>
        <Result status="success">
          {t('deletion.done', { date: formatDate(Date.parse(requested.result)) })}
        </Result>
        <ButtonLink to="/">{t('common.go_to_sign_in')}</ButtonLink>
      </Card>
    );
  }
  if (done) {
    return (
      <Card key="restored" title={t('deletion.restored_title')}>
        <Result status="success">{t('answer.account_restored')}</Result>
        <ButtonLink variant="primary" to="/">
          {t('common.go_to_sign_in')}
        </ButtonLink>
      </Card>
    );
  }
  if (spent || missing) {
    return (
      <SpentLink lines={[t(spent ? 'deletion.expired' : 'undo.no_token')]}>
        <ButtonLink to="/">{t('common.go_to_sign_in')}</ButtonLink>
      </SpentLink>
    );
  }
  return (
    <Card key="question" lead={t('deletion.restore_lead')} title={t('deletion.restore_title')}>
      {Number.isNaN(deleteAt) ? null : (
        <p>{t('deletion.restore_when', { date: formatDate(deleteAt) })}</p>
      )}
      <Failure fallback={t('deletion.restore_failed')} reason={failure} />
      <Button busy={busy && t('deletion.busy')} onClick={confirm}>
        {t('deletion.keep')}
      </Button>
      <ButtonLink to="/">{t('common.go_to_sign_in')}</ButtonLink>
    </Card>
  );
}

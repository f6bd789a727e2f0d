import { confirmReset } from '../../api/second-factor-reset';
import { Button, ButtonLink } from '../../components/button';
import { Card } from '../../components/card';
import { Failure } from '../../components/failure';
import { Result } from '../../components/result';
import { SpentLink } from '../../components/spent-link';
import { useKeptResult } from '../../hooks/use-kept-result';
import { useLinkAction } from '../../hooks/use-link-action';
import { useTimeFormat } from '../../hooks/use-time-format';
import { useTranslation } from '../../i18n/use-translation';

/**
 * The screen of a mailed link that completes a reset of the second factor. During a sign-in this screen also shows that
 * a reset was requested; the date of the reset is in the history state.
 */
export default function SecondFactorReset() {
  const { t } = useTranslation();
  const { done, busy, failure, confirm, missing, spent } = useLinkAction('token', confirmReset);
  const { done: requested } = useKeptResult<string>('requested');

  if (requested) return <ResetRequested at={requested.result} />;
  if (done) {
    return (
      <Card key="done" title={t('second_factor.reset_done_title')}>
        <Result status="success">{t('answer.second_factor_off')}</Result>
        <ButtonLink variant="primary" to="/">
          {t('common.go_to_sign_in')}
        </ButtonLink>
      </Card>
    );
  }
  if (spent || missing) {
    return (
      <SpentLink lines={[t(spent ? 'second_factor.reset_expired' : 'undo.no_token')]}>
        <ButtonLink to="/">{t('common.go_to_sign_in')}</ButtonLink>
      </SpentLink>
    );
  }
  return (
    <Card key="question" lead={t('second_factor.reset_lead')} title={t('second_factor.off_title')}>
      <Failure fallback={t('second_factor.failed')} reason={failure} />
      <Button busy={busy && t('second_factor.turn_off_busy')} variant="danger" onClick={confirm}>
        {t('second_factor.reset_submit')}
      </Button>
      <ButtonLink to="/">{t('common.go_to_sign_in')}</ButtonLink>
    </Card>
  );
}

/** The result of a reset request: the date of the reset, and how to cancel it. */
function ResetRequested({ at }: { at: string }) {
  const { t } = useTranslation();
  const { formatDate } = useTimeFormat();
  return (
    <Card key="requested" title={t('sign_in.reset_title')}>
      <Result status="success">
        <p>{t('sign_in.reset_date', { date: formatDate(Date.parse(at)) })}</p>
        <p>{t('sign_in.reset_stop')}</p>
      </Result>
      <ButtonLink to="/">{t('common.go_to_sign_in')}</ButtonLink>
    </Card>
  );
}

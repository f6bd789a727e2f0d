import { confirmReset } from '../../api/second-factor-reset';
import { ButtonLink } from '../../components/button';
import { useKeptResult } from '../../hooks/use-kept-result';
import { useLinkAction } from '../../hooks/use-link-action';
import { useTimeFormat } from '../../hooks/use-time-format';
import { useTranslation } from '../../i18n/use-translation';
import { Done, MailedDecision } from './mailed-decision';

/**
 * The screen of a mailed link that completes a reset of the second factor. During a sign-in this screen also shows that
 * a reset was requested; the date of the reset is in the history state.
 */
export default function SecondFactorReset() {
  const { t } = useTranslation();
  const { formatDate } = useTimeFormat();
  const action = useLinkAction('token', confirmReset);
  const { done: requested } = useKeptResult<string>('requested');

  if (requested) {
    const date = formatDate(Date.parse(requested.result));
    const lines = [t('sign_in.reset_date', { date }), t('sign_in.reset_stop')];
    return <Done lines={lines} title={t('sign_in.reset_title')} />;
  }
  return (
    <MailedDecision
      action={action}
      back={<ButtonLink to="/">{t('common.go_to_sign_in')}</ButtonLink>}
      button={[t('second_factor.reset_submit'), t('second_factor.turn_off_busy'), 'danger']}
      done={() => (
        <Done lines={[t('answer.second_factor_off')]} title={t('second_factor.reset_done_title')} />
      )}
      expired={t('second_factor.reset_expired')}
      failed={t('second_factor.failed')}
      lead={t('second_factor.reset_lead')}
      title={t('second_factor.reset_submit')}
    />
  );
}

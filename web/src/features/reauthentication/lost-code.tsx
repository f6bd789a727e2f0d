import { useLayoutEffect, useState } from 'react';
import { requestFactorReset } from '../../api/second-factor-reset';
import { Button } from '../../components/button';
import { Failure } from '../../components/failure';
import { useConfig } from '../../config';
import { useRequest } from '../../forms/use-request';
import { useTimeFormat } from '../../hooks/use-time-format';
import { useTranslation } from '../../i18n/use-translation';
import { focusHeading, ResetRequested } from './reset-requested';
import { useHandleUnauthenticated } from './use-proof-form';

interface LostCodeProps {
  /** The id of the heading, which is the accessible name of the dialog. */
  headingId: string;
  onBack: () => void;
  /** Called when the request begins and ends. The dialog must stay open meanwhile, because closing stops no request. */
  onBusy: (busy: boolean) => void;
  onClose: () => void;
}

/**
 * Requests the reset of the second factor from a session. The server requires a recent sign-in as the proof of the
 * password; on a trusted device such a sign-in requires no code. After an older sign-in, a message explains the way.
 */
export function LostCode({ headingId, onBack, onBusy, onClose }: LostCodeProps) {
  const { t } = useTranslation();
  const { formatDate } = useTimeFormat();
  const { second_factor_reset_days: count } = useConfig().security;
  const [resetAt, setResetAt] = useState<string | null>(null);
  const { busy, failure, send } = useRequest(useHandleUnauthenticated());
  useLayoutEffect(() => onBusy(busy), [busy, onBusy]);

  if (resetAt) {
    return (
      <ResetRequested
        date={t('sign_in.reset_date', { date: formatDate(Date.parse(resetAt)) })}
        headingId={headingId}
        onClose={onClose}
        stop={t('sign_in.reset_stop')}
      />
    );
  }
  return (
    <>
      <h2 id={headingId} key="question" ref={focusHeading} tabIndex={-1}>
        {t('sign_in.no_code_title')}
      </h2>
      <p>{t('sign_in.reset_lead', { count })}</p>
      <Failure
        fallback={t('second_factor.failed')}
        own={{ reauthentication_required: t('reauthentication.lost_code_again') }}
        reason={failure}
      />
      <Button
        busy={busy && t('sign_in.reset_busy')}
        variant="danger"
        onClick={() =>
          send(
            () => requestFactorReset(),
            ({ at }) => setResetAt(at),
          )
        }
      >
        {t('sign_in.reset_submit', { count })}
      </Button>
      <Button disabled={busy} variant="secondary" onClick={onBack}>
        {t('common.back')}
      </Button>
    </>
  );
}

import { useLayoutEffect, useState } from 'react';
import { reauthenticateWithPassword } from '../../api/reauthentication';
import { requestFactorReset } from '../../api/second-factor-reset';
import { currentUser } from '../../api/session';
import { Button } from '../../components/button';
import confirmation from '../../components/confirmation.module.css';
import { Failure } from '../../components/failure';
import { HiddenUsername } from '../../components/hidden-username';
import { PasswordField } from '../../components/password-field';
import { useConfig } from '../../config';
import { useEmail } from '../../hooks/use-email';
import { useTimeFormat } from '../../hooks/use-time-format';
import { useTranslation } from '../../i18n/use-translation';
import { focusHeading, ResetRequested } from './reset-requested';
import { useProofForm } from './use-proof-form';

interface LostPasskeyProps {
  /** The id of the heading, which is the accessible name of the dialog. */
  headingId: string;
  /** Called when the requests begin and end. The dialog must stay open meanwhile, because closing stops no request. */
  onBusy: (busy: boolean) => void;
  onClose: () => void;
}

/** A form that requests the removal of all passkeys after a waiting time. The password proves the identity. */
export function LostPasskey({ headingId, onBusy, onClose }: LostPasskeyProps) {
  const { t } = useTranslation();
  const { formatDate } = useTimeFormat();
  const { second_factor_reset_days: count } = useConfig().security;
  const email = useEmail(currentUser);
  const [removableAt, setRemovableAt] = useState<string | null>(null);
  const form = useProofForm({
    withCode: false,
    async send(password) {
      await reauthenticateWithPassword(password);
      return requestFactorReset();
    },
    onDone: ({ at }) => setRemovableAt(at),
  });
  useLayoutEffect(() => onBusy(form.busy), [form.busy, onBusy]);

  if (removableAt) {
    return (
      <ResetRequested
        date={t('reauthentication.lost_date', { date: formatDate(Date.parse(removableAt)) })}
        headingId={headingId}
        onClose={onClose}
        stop={t('reauthentication.lost_stop')}
      />
    );
  }
  return (
    <>
      <h2 id={headingId} key="question" ref={focusHeading} tabIndex={-1}>
        {t('reauthentication.lost_title')}
      </h2>
      <p>{t('reauthentication.lost_lead', { count })}</p>
      <Failure fallback={t('error.reauthentication_failed')} reason={form.failure} />
      <form {...form.props} className={confirmation.buttons}>
        <HiddenUsername email={email} />
        <PasswordField
          {...form.field('password')}
          autoComplete="current-password"
          enterKeyHint="go"
          label={t('common.password')}
        />
        <Button busy={form.busy && t('reauthentication.busy')}>
          {t('reauthentication.lost_submit', { count })}
        </Button>
        <Button disabled={form.busy} variant="secondary" onClick={onClose}>
          {t('settings.cancel')}
        </Button>
      </form>
    </>
  );
}

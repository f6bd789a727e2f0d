import { useState } from 'react';
import { reauthenticateWithPassword } from '../../api/reauthentication';
import { currentUser } from '../../api/session';
import { Button } from '../../components/button';
import { HiddenUsername } from '../../components/hidden-username';
import { PasswordField } from '../../components/password-field';
import { Result } from '../../components/result';
import type { FieldProps } from '../../forms/use-form';
import { useEmail } from '../../hooks/use-email';
import { useTimeFormat } from '../../hooks/use-time-format';
import { useTranslation } from '../../i18n/use-translation';
import { LostFactor } from '../second-factor/lost-factor';
import { useHandleUnauthenticated } from './use-proof-form';

/** The title of the question, the text of the button that leaves it, and the result: its date, and how to stop it. */
const WORDS = {
  code: ['sign_in.no_code_title', 'common.back', 'sign_in.reset_date', 'sign_in.reset_stop'],
  passkey: [
    'reauthentication.lost_title',
    'settings.cancel',
    'reauthentication.lost_date',
    'reauthentication.lost_stop',
  ],
} as const;

interface LostFactorViewProps {
  lost: keyof typeof WORDS;
  /** The id of the heading, which is the accessible name of the dialog. */
  headingId: string;
  /** Leaves the question. */
  onBack: () => void;
  busy: boolean;
  onBusy: (busy: boolean) => void;
  onClose: () => void;
}

/** The view of the dialog for a factor that the user cannot use: its removal after a waiting time, and the result. */
export function LostFactorView(props: LostFactorViewProps) {
  const { lost, headingId, onBack, busy, onBusy, onClose } = props;
  const { t } = useTranslation();
  const { formatDate } = useTimeFormat();
  const handleUnauthenticated = useHandleUnauthenticated();
  const [removableAt, setRemovableAt] = useState<string | null>(null);
  const [title, back, date, stop] = WORDS[lost];

  return (
    <>
      <h2 id={headingId} key={removableAt} ref={focusHeading} tabIndex={-1}>
        {t(removableAt ? 'sign_in.reset_title' : title)}
      </h2>
      {removableAt ? (
        <>
          <Result status="success">
            <p>{t(date, { date: formatDate(Date.parse(removableAt)) })}</p>
            <p>{t(stop)}</p>
          </Result>
          <Button variant="secondary" onClick={onClose}>
            {t('reauthentication.close')}
          </Button>
        </>
      ) : (
        <LostFactor
          lost={lost}
          {...(lost === 'passkey' && { password: PASSWORD })}
          onBusy={onBusy}
          onFailure={handleUnauthenticated}
          onRequested={setRemovableAt}
        >
          <Button disabled={busy} variant="secondary" onClick={onBack}>
            {t(back)}
          </Button>
        </LostFactor>
      )}
    </>
  );
}

/** The heading takes the focus when it is mounted, because the focused button was removed. */
const focusHeading = (heading: HTMLElement | null) => heading?.focus();

function Password(field: FieldProps) {
  const { t } = useTranslation();
  return (
    <>
      <HiddenUsername email={useEmail(currentUser)} />
      <PasswordField
        {...field}
        autoComplete="current-password"
        enterKeyHint="go"
        label={t('common.password')}
      />
    </>
  );
}

const PASSWORD = {
  Field: Password,
  prove: (password: string) => reauthenticateWithPassword(password),
};

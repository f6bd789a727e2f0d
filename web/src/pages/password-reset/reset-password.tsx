import { useState } from 'react';
import { errorMessageOf } from '../../api/message';
import { BackLink } from '../../components/back-link';
import { ButtonLink } from '../../components/button';
import { Card } from '../../components/card';
import { Result } from '../../components/result';
import { SpentLink } from '../../components/spent-link';
import { useLinkResult, useLinkToken } from '../../hooks/use-link-token';
import { useTranslation } from '../../i18n/use-translation';
import { ResetForm } from './reset-password-form';

/** The screen of a mailed link for a password reset, which sets a new password and then leads to the sign-in screen. */
export default function ResetPassword() {
  const { t } = useTranslation();
  const token = useLinkToken('token');
  // The result is the list of the names of the passkeys, which the reset has not removed.
  const { done, keep } = useLinkResult<readonly string[]>('token');
  const [spentLinkError, setSpentLinkError] = useState<unknown>(null);

  if (done) {
    const passkeys = done.result;
    return (
      <Card key="done" title={t('password_reset.done_title')}>
        <Result status="success">{t('answer.reset_done')}</Result>
        {passkeys.length ? <PasskeysLeft names={passkeys} /> : null}
        <ButtonLink variant={passkeys.length ? 'secondary' : 'primary'} to="/">
          {t('common.go_to_sign_in')}
        </ButtonLink>
      </Card>
    );
  }
  if (spentLinkError) {
    return (
      <SpentLink lines={[errorMessageOf(spentLinkError, t('password_reset.failed'))]}>
        <NewLink />
      </SpentLink>
    );
  }
  if (!token) return <NoToken />;

  return (
    <Card key="form" lead={t('password_reset.lead')} title={t('password_reset.title')}>
      <ResetForm onDone={keep} onSpent={setSpentLinkError} token={token} />
      <BackLink to="/">{t('common.back')}</BackLink>
    </Card>
  );
}

/** A list of the passkeys, because a reset removes none, and an intruder may have added a passkey. */
function PasskeysLeft({ names }: { names: readonly string[] }) {
  const { t } = useTranslation();
  return (
    <>
      <p>{t('password_reset.passkeys_left', { names: names.join(', ') })}</p>
      <ButtonLink variant="primary" to="/settings/security">
        {t('password_reset.to_security')}
      </ButtonLink>
    </>
  );
}

function NoToken() {
  const { t } = useTranslation();
  return (
    <Card title={t('password_reset.title')}>
      <Result status="spent">{t('password_reset.no_token')}</Result>
      <NewLink />
    </Card>
  );
}

function NewLink() {
  const { t } = useTranslation();
  return (
    <>
      <ButtonLink variant="primary" to="/request-password">
        {t('password_reset.new_link')}
      </ButtonLink>
      <BackLink to="/">{t('password_reset.back_to_login')}</BackLink>
    </>
  );
}

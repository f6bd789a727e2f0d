import { useState } from 'react';
import { errorMessageOf } from '../../api/message';
import type { User } from '../../api/session';
import { BackLink } from '../../components/back-link';
import { Button } from '../../components/button';
import { Card } from '../../components/card';
import { Result } from '../../components/result';
import { SpentLink } from '../../components/spent-link';
import { useClientValue } from '../../hooks/use-client-value';
import { useLinkResult, useLinkToken } from '../../hooks/use-link-token';
import { useRedirect } from '../../hooks/use-redirect';
import { useTranslation } from '../../i18n/use-translation';
import { dropLinkToken } from '../../url/link-tokens';
import { MigrationConfirm } from './migration-confirm';
import { emailOfPage, MigrationRequest } from './migration-request';

/** The milliseconds for which the success message is shown before the redirect. */
const REDIRECT_DELAY_MS = 2000;

/** The screen that migrates a legacy account. The form sets a password with the token of a link, or requests a link. */
export default function Migration() {
  const { t } = useTranslation();
  const [token, setToken] = useState(useLinkToken('token'));
  const { done, keep } = useLinkResult<User>('token');
  const [spentLinkError, setSpentLinkError] = useState<unknown>(null);
  const email = useClientValue(emailOfPage, '');
  const needsMigration = useClientValue(() => history.state?.needsMigration === true, false);
  // The sign-in screen shows the username too, because the redirect leaves little time to read it here.
  const movedAs = done?.result.username;
  useRedirect(done ? '/login' : null, REDIRECT_DELAY_MS, {
    notice: { text: 'migration.done', values: { username: movedAs } },
  });

  function startAgain() {
    dropLinkToken('token');
    setToken(null);
    setSpentLinkError(null);
  }

  if (movedAs) return <Moved username={movedAs} />;
  if (spentLinkError) {
    const message = errorMessageOf(spentLinkError, t('migration.confirm_failed'));
    return (
      <SpentLink lines={[t('common.authentication_failed'), message]}>
        <Button onClick={startAgain}>{t('migration.new_link')}</Button>
        <SignInLink />
      </SpentLink>
    );
  }
  if (token) {
    return (
      <Card key="confirm" lead={t('migration.confirm_lead')} title={t('migration.title')}>
        <MigrationConfirm email={email} onDone={keep} onSpent={setSpentLinkError} token={token} />
        <SignInLink />
      </Card>
    );
  }
  return (
    <MigrationRequest email={email} known={needsMigration}>
      <SignInLink />
    </MigrationRequest>
  );
}

function SignInLink() {
  const { t } = useTranslation();
  return <BackLink to="/">{t('common.back')}</BackLink>;
}

function Moved({ username }: { username: string }) {
  const { t } = useTranslation();
  return (
    <Card key="moved" title={t('migration.done_title')}>
      <Result status="success">
        <p>{t('migration.done', { username })}</p>
        <p>{t('migration.redirecting')}</p>
      </Result>
      <BackLink to="/login">{t('common.go_to_sign_in')}</BackLink>
    </Card>
  );
}

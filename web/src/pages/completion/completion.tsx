import { useState } from 'react';
import { errorMessageOf } from '../../api/message';
import type { User } from '../../api/session';
import { BackLink } from '../../components/back-link';
import { ButtonLink } from '../../components/button';
import { Card } from '../../components/card';
import { ContactLink } from '../../components/contact-link';
import { Status } from '../../components/notice';
import { Result } from '../../components/result';
import { SpentLink } from '../../components/spent-link';
import { useLinkResult, useLinkToken } from '../../hooks/use-link-token';
import { useTranslation } from '../../i18n/use-translation';
import { CompletionForm } from './completion-form';

/** The screen of a mailed link that migrates a legacy account and asks for its missing data. */
export default function Completion() {
  const { t } = useTranslation();
  const token = useLinkToken('migration_token');
  const { done, keep } = useLinkResult<User>('migration_token');
  const [spentLinkError, setSpentLinkError] = useState<unknown>(null);

  if (done) return <Completed user={done.result} />;
  if (spentLinkError) {
    const message = errorMessageOf(spentLinkError, t('completion.not_completed'));
    return (
      <SpentLink lines={[t('completion.failed'), message]}>
        <NewLink />
        <ContactLink />
      </SpentLink>
    );
  }

  return (
    <Card lead={token ? t('completion.lead') : null} title={t('completion.title')}>
      {token ? (
        <CompletionForm onDone={keep} onSpent={setSpentLinkError} token={token} />
      ) : (
        <>
          <Result status="spent">{t('error.migration_link_invalid')}</Result>
          <NewLink />
        </>
      )}
      {token ? <SignInLink /> : null}
    </Card>
  );
}

function NewLink() {
  const { t } = useTranslation();
  return (
    <>
      <ButtonLink variant="primary" to="/migration">
        {t('migration.new_link')}
      </ButtonLink>
      <SignInLink />
    </>
  );
}

function SignInLink() {
  const { t } = useTranslation();
  return <BackLink to="/">{t('completion.back')}</BackLink>;
}

function Completed({ user }: { user: User }) {
  const { t } = useTranslation();
  const { username, email } = user;
  return (
    // A new key remounts the card, so that the heading takes the focus and is announced.
    <Card key="completed" title={t('completion.done_title')}>
      <Status>{t('completion.done')}</Status>
      <p>{t('completion.done_username', { username, email })}</p>
      <ButtonLink variant="primary" to="/">
        {t('common.go_to_sign_in')}
      </ButtonLink>
    </Card>
  );
}

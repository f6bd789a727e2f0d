import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { User } from '../api/session';
import { ButtonLink } from '../components/button';
import { Card } from '../components/card';
import { Status } from '../components/notice';
import { Result } from '../components/result';
import { dropLinkToken, useLinkToken } from '../use-link-token';
import { CompletionForm } from './completion-form';
import styles from './migration.module.css';

/** Where the mailed link leads when the old account lacks something that ours have. */
export default function Completion() {
  const { t } = useTranslation();
  const token = useLinkToken('migration_token');
  const [user, setUser] = useState<User | null>(null);

  if (user) return <Completed user={user} />;

  function finish(moved: User) {
    dropLinkToken('migration_token');
    setUser(moved);
  }
  return (
    <Card lead={token ? t('completion.lead') : null} title={t('completion.title')}>
      {token ? (
        <CompletionForm onDone={finish} token={token} />
      ) : (
        <>
          <Result status="failure">
            <p>{t('error.migration_link_invalid')}</p>
          </Result>
          <ButtonLink look="primary" to="/migration">
            {t('migration.new_link')}
          </ButtonLink>
        </>
      )}
      <p className={styles.way_on}>
        <Link to="/">{t('completion.back')}</Link>
      </p>
    </Card>
  );
}

function Completed({ user }: { user: User }) {
  const { t } = useTranslation();
  const { username, email } = user;
  return (
    // A new element: its heading takes the focus, and the words are read from the top.
    <Card key="completed" title={t('completion.done_title')}>
      <Status>
        <p>{t('completion.done')}</p>
      </Status>
      <p>{t('completion.done_username', { username, email })}</p>
      <ButtonLink look="primary" to="/">
        {t('migration.sign_in')}
      </ButtonLink>
    </Card>
  );
}

import { useState } from 'react';
import { Link } from 'wouter';
import type { User } from '../../api/session';
import { Card } from '../../components/card';
import { Result } from '../../components/result';
import { useTranslation } from '../../i18n/use-translation';
import { useClientValue } from '../../use-client-value';
import { dropLinkToken, useLinkToken } from '../../use-link-token';
import { useRedirect } from '../../use-redirect';
import styles from './migration.module.css';
import { MigrationConfirm } from './migration-confirm';
import { emailOfPage, MigrationRequest } from './migration-request';

/** Time to read the success message (specification section 9). */
const REDIRECT_DELAY_MS = 2000;

/** Migrates an account from the old site: without a token requests a link, with a token sets a password. */
export default function Migration() {
  const { t } = useTranslation();
  const [token, setToken] = useState(useLinkToken('token'));
  const [moved, setMoved] = useState<User | null>(null);
  const email = useClientValue(emailOfPage, '');
  const known = useClientValue(() => history.state?.needsMigration === true, false);
  useRedirect(moved ? '/login' : null, REDIRECT_DELAY_MS);

  function finish(user: User) {
    dropLinkToken('token');
    setMoved(user);
  }

  function startAgain() {
    dropLinkToken('token');
    setToken(null);
  }

  if (moved) return <Moved username={moved.username} />;
  if (token) {
    return (
      <Card key="confirm" lead={t('migration.confirm_lead')} title={t('migration.title')}>
        <MigrationConfirm email={email} onDone={finish} onNewLink={startAgain} token={token} />
        <WayBack />
      </Card>
    );
  }
  return (
    <MigrationRequest email={email} known={known}>
      <WayBack />
    </MigrationRequest>
  );
}

function WayBack() {
  const { t } = useTranslation();
  return (
    <p className={styles.next_link}>
      <Link to="/">{t('common.back')}</Link>
    </p>
  );
}

function Moved({ username }: { username: string }) {
  const { t } = useTranslation();
  return (
    <Card key="moved" title={t('migration.done_title')}>
      <Result status="success">
        <p>{t('migration.done', { username })}</p>
        <p>{t('migration.redirecting')}</p>
      </Result>
      <p className={styles.next_link}>
        <Link to="/login">{t('migration.sign_in')}</Link>
      </p>
    </Card>
  );
}

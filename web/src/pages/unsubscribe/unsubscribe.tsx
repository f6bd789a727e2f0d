import { useState } from 'react';
import { Link } from 'wouter';
import { isRefusal } from '../../api/client';
import { errorMessageOf } from '../../api/message';
import { stopInvitations } from '../../api/migration';
import { Button } from '../../components/button';
import { Card } from '../../components/card';
import { Failure } from '../../components/failure';
import { Result } from '../../components/result';
import { SpentLink } from '../../components/spent-link';
import { useRequest } from '../../forms/use-request';
import { useTranslation } from '../../i18n/use-translation';
import { dropLinkToken, useLinkToken } from '../../use-link-token';
import styles from '../migration/migration.module.css';

/** Stops the invitations to migrate. Requires a click, because mail scanners open links. */
export default function Unsubscribe() {
  const { t } = useTranslation();
  const token = useLinkToken('token');
  const [done, setDone] = useState(false);
  const { busy, failure, send } = useRequest();

  if (done) {
    return (
      <Card key="done" title={t('unsubscribe.title')}>
        <Result status="success">
          <p>{t('answer.unsubscribed')}</p>
          <p>{t('unsubscribe.done_next')}</p>
        </Result>
        <WayOn />
      </Card>
    );
  }
  const spent = isRefusal(failure, 'invalid_token');
  if (spent || !token) {
    return (
      <SpentLink
        lines={[
          spent ? errorMessageOf(failure, t('unsubscribe.failed')) : t('unsubscribe.no_token'),
        ]}
      >
        <WayOn />
      </SpentLink>
    );
  }
  return (
    <Card key="question" lead={t('unsubscribe.lead')} title={t('unsubscribe.title')}>
      <Failure fallback={t('unsubscribe.failed')} reason={failure} />
      <Button
        busy={busy && t('unsubscribe.busy')}
        onClick={() =>
          send(
            () => stopInvitations(token),
            () => {
              dropLinkToken('token');
              setDone(true);
            },
          )
        }
      >
        {t('unsubscribe.submit')}
      </Button>
      <WayOn />
    </Card>
  );
}

function WayOn() {
  const { t } = useTranslation();
  return (
    <p className={styles.next_link}>
      <Link to="/migration">{t('unsubscribe.migrate')}</Link>
    </p>
  );
}

import { useId, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { deleteAccount } from '../../api/deletion';
import { fetchSecurity } from '../../api/security';
import { setSessionPossible } from '../../browser/session-hint';
import { Button, ButtonLink } from '../../components/button';
import { Card } from '../../components/card';
import { Checkbox } from '../../components/checkbox';
import { Failure } from '../../components/failure';
import { useConfig } from '../../config';
import { useReauthenticatedRequest } from '../../features/reauthentication/use-identity-proof';
import { useClientValue } from '../../hooks/use-client-value';
import { useLoaded } from '../../hooks/use-loaded';
import { useSessionEnd } from '../../hooks/use-session-end';
import { useTimeFormat } from '../../hooks/use-time-format';
import { useTranslation } from '../../i18n/use-translation';
import styles from './delete.module.css';

const DAY = 24 * 60 * 60 * 1000;

/** The screen on which the user requests the deletion of the account. */
export default function Delete() {
  const { t } = useTranslation();
  const { formatDate } = useTimeFormat();
  const { deletion_grace_days: count } = useConfig().security;
  // The prerendered page shows `…` instead of the date, because it does not know the current date.
  const date = useClientValue(() => formatDate(Date.now() + count * DAY), '…');

  return (
    <Card lead={t('deletion.lead', { count })} title={t('deletion.title')}>
      <List
        items={[t('deletion.goes_profile'), t('deletion.goes_access'), t('deletion.goes_mails')]}
        title={t('deletion.goes')}
      />
      <List
        items={[t('deletion.stays_number'), t('deletion.stays_username')]}
        title={t('deletion.stays')}
      />
      <p>{t('deletion.when', { date })}</p>
      <DeletionRequest />
    </Card>
  );
}

function List({ title, items }: { title: string; items: readonly string[] }) {
  const id = useId();
  return (
    <div>
      <h2 className={styles.title} id={id}>
        {title}
      </h2>
      <ul aria-labelledby={id} className={styles.list}>
        {items.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
    </div>
  );
}

/** The form with the checkbox and the button, and the link that keeps the account. */
function DeletionRequest() {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  // The response is not used. If there is no session, the request fails and the user is redirected.
  useLoaded(fetchSecurity, { onFailure: useSessionEnd() });
  const { busy, failure, forget, send, dialog } = useReauthenticatedRequest(t('deletion.proof'));
  const understood = useRef<HTMLInputElement>(null);
  const [isUnticked, setIsUnticked] = useState(false);

  function submit() {
    if (!understood.current?.checked) {
      forget();
      setIsUnticked(true);
      understood.current?.focus();
      return;
    }
    send(deleteAccount, ({ delete_at }) => {
      setSessionPossible(false);
      // The result is shown on a screen that needs no session, because the deletion has ended the session.
      const done = { name: 'requested', result: delete_at };
      navigate('/restore', { replace: true, state: { done } });
    });
  }

  return (
    <>
      <Failure fallback={t('deletion.failed')} reason={failure} />
      <Checkbox
        error={isUnticked ? t('deletion.tick_first') : null}
        label={t('deletion.understand')}
        name="understood"
        onChange={() => setIsUnticked(false)}
        ref={understood}
      />
      <Button busy={busy && t('deletion.busy')} variant="danger" onClick={submit}>
        {t('deletion.submit')}
      </Button>
      <ButtonLink disabled={busy} to="/settings/data">
        {t('deletion.keep')}
      </ButtonLink>
      {dialog}
    </>
  );
}

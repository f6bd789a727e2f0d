import { useState } from 'react';
import { Link } from 'wouter';
import { isRefusal } from '../../api/client';
import { undoEmailChange } from '../../api/email-change';
import { errorMessageOf } from '../../api/message';
import { Button, ButtonLink } from '../../components/button';
import { Card } from '../../components/card';
import { Failure } from '../../components/failure';
import { Result } from '../../components/result';
import { SpentLink } from '../../components/spent-link';
import { useRequest } from '../../forms/use-request';
import { useTranslation } from '../../i18n/use-translation';
import { dropLinkToken } from '../../use-link-token';
import styles from './change-email.module.css';

/** Restores the old address. Requires a click, because mail scanners open links. */
export function EmailUndo({ token }: { token: string }) {
  const { t } = useTranslation();
  const { busy, failure, send } = useRequest();
  const [restored, setRestored] = useState<string | null>(null);

  function restore() {
    send(
      () => undoEmailChange(token),
      ({ email }) => {
        dropLinkToken('undo');
        setRestored(email);
      },
    );
  }

  if (restored !== null) return <Restored email={restored} />;
  if (isRefusal(failure, 'invalid_token')) {
    return (
      <SpentLink lines={[errorMessageOf(failure, t('change_email.undo_failed'))]}>
        <WayBack />
      </SpentLink>
    );
  }
  return (
    <Card title={t('change_email.undo_title')}>
      <p>{t('change_email.undo_text')}</p>
      <Failure fallback={t('change_email.undo_failed')} reason={failure} />
      <Button busy={busy && t('change_email.undo_busy')} onClick={restore}>
        {t('change_email.undo_submit')}
      </Button>
      <WayBack />
    </Card>
  );
}

function WayBack() {
  const { t } = useTranslation();
  return (
    <p className={styles.next_link}>
      <Link to="/settings">{t('change_email.back')}</Link>
    </p>
  );
}

/** All sessions have ended. Recommends a new password, because the old one may be known to an attacker. */
function Restored({ email }: { email: string }) {
  const { t } = useTranslation();
  return (
    // A new key remounts the card, so that its heading takes the focus and is announced.
    <Card key="done" title={t('change_email.undo_title')}>
      <Result status="success">
        <p>{t('answer.email_restored')}</p>
        <p>{t('change_email.undo_now', { email })}</p>
      </Result>
      <p>{t('change_email.undo_next')}</p>
      <ButtonLink variant="primary" to="/request-password">
        {t('change_email.undo_reset')}
      </ButtonLink>
      <p className={styles.next_link}>
        <Link to="/">{t('common.go_to_sign_in')}</Link>
      </p>
    </Card>
  );
}

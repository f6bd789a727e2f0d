import { stopInvitations } from '../../api/migration';
import { BackLink } from '../../components/back-link';
import { Button, ButtonLink } from '../../components/button';
import { Card } from '../../components/card';
import { Failure } from '../../components/failure';
import { Result } from '../../components/result';
import { SpentLink } from '../../components/spent-link';
import { useLinkAction } from '../../hooks/use-link-action';
import { useTranslation } from '../../i18n/use-translation';

/** The screen of a mailed link that stops the mails which invite the owner of a legacy account to migrate. */
export default function Unsubscribe() {
  const { t } = useTranslation();
  const { done, busy, failure, confirm, missing, spent } = useLinkAction('token', stopInvitations);

  if (done) {
    return (
      <Card key="done" title={t('unsubscribe.done_title')}>
        <Result status="success">
          <p>{t('answer.unsubscribed')}</p>
          <p>{t('unsubscribe.done_next')}</p>
        </Result>
        <WayOn />
      </Card>
    );
  }
  if (spent || missing) {
    return (
      <SpentLink lines={[t(spent ? 'unsubscribe.expired' : 'unsubscribe.no_token')]}>
        <ButtonLink to="/">{t('common.go_to_sign_in')}</ButtonLink>
        <WayOn />
      </SpentLink>
    );
  }
  return (
    <Card key="question" lead={t('unsubscribe.lead')} title={t('unsubscribe.title')}>
      <Failure fallback={t('unsubscribe.failed')} reason={failure} />
      <Button busy={busy && t('unsubscribe.busy')} onClick={confirm}>
        {t('unsubscribe.submit')}
      </Button>
      <WayOn />
    </Card>
  );
}

function WayOn() {
  const { t } = useTranslation();
  return <BackLink to="/migration">{t('unsubscribe.migrate')}</BackLink>;
}

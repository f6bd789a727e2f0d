import { stopInvitations } from '../../api/migration';
import { BackLink } from '../../components/back-link';
import { ButtonLink } from '../../components/button';
import { Card } from '../../components/card';
import { Result } from '../../components/result';
import { useLinkAction } from '../../hooks/use-link-action';
import { useTranslation } from '../../i18n/use-translation';
import { MailedDecision } from '../undo/mailed-decision';

/** The screen of a mailed link that stops the mails which invite the owner of a legacy account to migrate. */
export default function Unsubscribe() {
  const { t } = useTranslation();
  const action = useLinkAction('token', stopInvitations);
  const migrate = <BackLink to="/migration">{t('unsubscribe.migrate')}</BackLink>;
  return (
    <MailedDecision
      action={action}
      back={migrate}
      button={[t('unsubscribe.submit'), t('unsubscribe.busy')]}
      done={() => (
        <Card key="done" title={t('unsubscribe.done_title')}>
          <Result status="success">
            <p>{t('answer.unsubscribed')}</p>
            <p>{t('unsubscribe.done_next')}</p>
          </Result>
          {migrate}
        </Card>
      )}
      expired={t('unsubscribe.expired')}
      failed={t('unsubscribe.failed')}
      lead={t('unsubscribe.lead')}
      rescue={
        <ButtonLink variant="primary" to="/migration">
          {t('unsubscribe.migrate')}
        </ButtonLink>
      }
      title={t('unsubscribe.title')}
    />
  );
}

import { useState } from 'react';
import { Router } from 'wouter';
import { Announcer } from '../components/announcer';
import { ButtonLink } from '../components/button';
import { Card } from '../components/card';
import { Alert } from '../components/notice';
import { useTranslation } from '../i18n/use-translation';
import styles from './support.module.css';
import { SupportScreen } from './support-screen';
import { OnFactorNeededContext } from './use-agent-request';

/** The page of the support view. Each link loads a page, because all other screens are in a separate build. */
export function SupportApp() {
  const [needsFactor, setNeedsFactor] = useState(false);
  return (
    <Router aroundNav={(_, to) => location.assign(`/account${to}`)} base="/account">
      <Announcer />
      <main className={styles.main}>
        <OnFactorNeededContext value={() => setNeedsFactor(true)}>
          {needsFactor ? <FactorNeeded /> : <SupportScreen />}
        </OnFactorNeededContext>
      </main>
    </Router>
  );
}

/** Shown if the agent's own account has no second factor and no passkey, which the support view requires. */
function FactorNeeded() {
  const { t } = useTranslation();
  return (
    <Card title={t('support.title')}>
      <Alert>{t('support.needs_factor')}</Alert>
      <ButtonLink to="/settings/security">{t('support.set_up')}</ButtonLink>
    </Card>
  );
}

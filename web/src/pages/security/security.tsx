import { useState } from 'react';
import { BackLink } from '../../components/back-link';
import { Card } from '../../components/card';
import { SettingsNav } from '../../components/settings-nav';
import { useConfig } from '../../config';
import { loadSecurity } from '../../features/second-factor/load-security';
import { useClientValue } from '../../hooks/use-client-value';
import { useLoaded } from '../../hooks/use-loaded';
import { useSessionEnd } from '../../hooks/use-session-end';
import { useTranslation } from '../../i18n/use-translation';
import { AppsSection } from './apps-section';
import { PasskeysSection } from './passkeys-section';
import { type NewCodes, TwoStepSection } from './two-step-section';

/** The security screen of the settings. Redirects to the sign-in if there is no session. */
export default function Security() {
  const { t } = useTranslation();
  const { passkeys } = useConfig();
  // The prerendered page has the section about passkeys. The server hides the section on a site without passkeys.
  const hasPasskeys = useClientValue(() => passkeys.enabled, true);
  const { state, reloading, reload, update } = useLoaded(loadSecurity, {
    handled: useSessionEnd(),
  });
  const [newCodes, setNewCodes] = useState<NewCodes | null>(null);

  const [codesReplaced, setCodesReplaced] = useState(false);

  function closeCodes(areReplaced: boolean) {
    setNewCodes(null);
    setCodesReplaced(areReplaced);
    if (areReplaced) reload();
  }

  if (newCodes) {
    return (
      <newCodes.PendingCodes
        codes={newCodes.codes}
        onKeep={() => closeCodes(false)}
        onSaved={() => closeCodes(true)}
      />
    );
  }
  return (
    <Card title={t('security.title')}>
      <SettingsNav />
      {state.kind === 'loaded' ? state.data.banner : null}
      {hasPasskeys ? (
        <div data-passkeys="">
          <PasskeysSection />
        </div>
      ) : null}
      <TwoStepSection
        codesReplaced={codesReplaced}
        onCodes={setNewCodes}
        onOff={() => update((data) => ({ ...data, second_factor: false, banner: null }))}
        reload={reload}
        reloading={reloading}
        security={state}
      />
      <AppsSection />
      <BackLink divided to="/activity">
        {t('activity.title')}
      </BackLink>
    </Card>
  );
}

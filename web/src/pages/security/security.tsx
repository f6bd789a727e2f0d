import { useState } from 'react';
import { BackLink } from '../../components/back-link';
import { Card } from '../../components/card';
import sectionStyles from '../../components/section.module.css';
import { SettingsNav } from '../../components/settings-nav';
import { useConfig } from '../../config';
import { loadSecuritySettings } from '../../features/second-factor/load-security';
import { useClientValue } from '../../hooks/use-client-value';
import { useLoaded } from '../../hooks/use-loaded';
import { useSessionEnd } from '../../hooks/use-session-end';
import { useTranslation } from '../../i18n/use-translation';
import { AppsSection } from './apps-section';
import { PasskeysSection } from './passkeys-section';
import { type NewCodes, TwoStepSection } from './two-step-section';

/** Loads the security settings and the script of a drawing. Without the drawing the screen still works. */
async function loadWithLights() {
  const lights = import('../../components/house-lights').catch(() => null);
  return { ...(await loadSecuritySettings()), HouseLights: (await lights)?.HouseLights };
}

/** The security screen of the settings. Redirects to the sign-in screen without a session. */
export default function Security() {
  const { t } = useTranslation();
  const { passkeys } = useConfig();
  // The prerendered page always contains the section about passkeys, which the server hides on a site without passkeys.
  const hasPasskeys = useClientValue(() => passkeys.enabled, true);
  const settings = useLoaded(loadWithLights, { onFailure: useSessionEnd() });
  const { state, update } = settings;
  const [newCodes, setNewCodes] = useState<NewCodes | null>(null);

  const [codesReplaced, setCodesReplaced] = useState(false);

  function closeCodes(areReplaced: boolean) {
    setNewCodes(null);
    setCodesReplaced(areReplaced);
    if (areReplaced) settings.reload();
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
      <div className={sectionStyles.late}>
        {state.kind === 'loaded' && state.data.HouseLights ? (
          <state.data.HouseLights
            passkey={passkeys.enabled ? state.data.passkeys > 0 : null}
            twoStep={state.data.second_factor}
          />
        ) : null}
      </div>
      {hasPasskeys ? (
        <div data-passkeys="">
          <PasskeysSection onCount={(count) => update((data) => ({ ...data, passkeys: count }))} />
        </div>
      ) : null}
      <TwoStepSection
        codesReplaced={codesReplaced}
        onCodes={setNewCodes}
        onOff={() => update((data) => ({ ...data, second_factor: false, banner: null }))}
        security={settings}
      />
      <AppsSection />
      <BackLink divided to="/activity">
        {t('activity.title')}
      </BackLink>
    </Card>
  );
}

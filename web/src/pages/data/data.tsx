import { Card } from '../../components/card';
import { LoadingIndicator } from '../../components/loading-indicator';
import { SettingsNav } from '../../components/settings-nav';
import { loadSecuritySettings } from '../../features/second-factor/load-security';
import { useLoaded } from '../../hooks/use-loaded';
import { useSessionEnd } from '../../hooks/use-session-end';
import { useTranslation } from '../../i18n/use-translation';
import { DeleteSection } from './delete-section';
import { DownloadSection } from './download-section';
import { NewsletterSection } from './newsletter-section';

/** The screen for download, newsletter and deletion. Redirects to the sign-in screen without a session. */
export default function Data() {
  const { t } = useTranslation();
  const { state, reloading, reload, update } = useLoaded(loadSecuritySettings, {
    onFailure: useSessionEnd(),
  });
  return (
    <Card title={t('data.title')}>
      <SettingsNav />
      {state.kind === 'loading' ? (
        // The sections wait for the banner, because a banner that appears later would move them.
        <LoadingIndicator />
      ) : (
        <>
          {state.kind === 'loaded' ? state.data.banner : null}
          <NewsletterSection
            consent={state.kind === 'loaded' ? state.data.marketing_consent : null}
            onChosen={(consent) => update((data) => ({ ...data, marketing_consent: consent }))}
            reload={reload}
            reloading={reloading}
          />
          <DownloadSection />
          <DeleteSection />
        </>
      )}
    </Card>
  );
}

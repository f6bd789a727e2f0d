import { Card } from '../../components/card';
import { SettingsNav } from '../../components/settings-nav';
import { useTranslation } from '../../i18n/use-translation';
import { loadBanner } from '../../second-factor/load-security';
import { useLoaded } from '../../use-loaded';
import { DeleteSection } from './delete-section';
import { DownloadSection } from './download-section';
import { NewsletterSection } from './newsletter-section';

/** The personal data of the account. Redirects to the sign-in without a session. */
export default function Data() {
  const { t } = useTranslation();
  const { state } = useLoaded(loadBanner);
  return (
    <Card title={t('data.title')}>
      <SettingsNav />
      {state.kind === 'loaded' ? state.data : null}
      <NewsletterSection />
      <DownloadSection />
      <DeleteSection />
    </Card>
  );
}

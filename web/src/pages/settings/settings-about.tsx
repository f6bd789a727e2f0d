import { useRef, useState } from 'react';
import { fetchProfile } from '../../api/personal-data';
import { Button } from '../../components/button';
import { ContactLink } from '../../components/contact-link';
import { Failure } from '../../components/failure';
import { Section } from '../../components/section';
import { useReauthenticatedRequest } from '../../features/reauthentication/use-identity-proof';
import { useTranslation } from '../../i18n/use-translation';
import { loadScript } from '../../loading/lazy-page';

/** Loads the profile and the script that shows it, which most visitors of the screen do not need. */
async function loadProfile() {
  const script = await loadScript(() => import('../profile/profile-list'));
  return { ...script, profile: await fetchProfile() };
}
type LoadedProfile = Awaited<ReturnType<typeof loadProfile>>;

/** The section that shows the personal data of the account after reauthentication. */
export function AboutSection() {
  const { t } = useTranslation();
  const { busy, failure, send, dialog } = useReauthenticatedRequest(t('data.download_proof'));
  const [loaded, setLoaded] = useState<LoadedProfile | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);

  function handleLoaded(profile: LoadedProfile) {
    setLoaded(profile);
    // The focus moves to the heading, because the focused button is removed.
    heading.current?.focus();
  }

  return (
    <Section heading={heading} lead={t('about.lead')} title={t('about.title')}>
      <ContactLink />
      <Failure fallback={t('about.failed')} reason={failure} />
      {loaded ? (
        <loaded.ProfileList profile={loaded.profile} />
      ) : (
        <Button
          busy={busy && t('common.loading')}
          variant="secondary"
          onClick={() => send(loadProfile, handleLoaded)}
        >
          {t('about.show')}
        </Button>
      )}
      {dialog}
    </Section>
  );
}

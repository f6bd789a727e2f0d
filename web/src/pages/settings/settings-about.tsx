import { useRef, useState } from 'react';
import { fetchProfile, type Profile } from '../../api/personal-data';
import { Button } from '../../components/button';
import { ContactLink } from '../../components/contact-link';
import { Failure } from '../../components/failure';
import { Section } from '../../components/section';
import { useReauthenticatedRequest } from '../../features/reauthentication/use-identity-proof';
import { useTimeFormat } from '../../hooks/use-time-format';
import { useTranslation } from '../../i18n/use-translation';
import { localeOf } from '../../languages';
import styles from './settings.module.css';

/** The section that shows the personal data of the account after reauthentication. */
export function AboutSection() {
  const { t } = useTranslation();
  const { busy, failure, send, dialog } = useReauthenticatedRequest(t('data.download_proof'));
  const [profile, setProfile] = useState<Profile | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);

  function handleLoaded(loaded: Profile) {
    setProfile(loaded);
    // The focus moves to the heading, because the focused button is removed.
    heading.current?.focus();
  }

  return (
    <Section heading={heading} lead={t('about.lead')} title={t('about.title')}>
      <ContactLink />
      <Failure fallback={t('about.failed')} reason={failure} />
      {profile ? (
        <ProfileList profile={profile} />
      ) : (
        <Button
          busy={busy && t('common.loading')}
          variant="secondary"
          onClick={() => send(fetchProfile, handleLoaded)}
        >
          {t('about.show')}
        </Button>
      )}
      {dialog}
    </Section>
  );
}

function ProfileList({ profile }: { profile: Profile }) {
  const { t, language } = useTranslation();
  const { formatDate } = useTimeFormat();
  const { first_name, last_name, country, zipcode, birthday } = profile;
  const names = new Intl.DisplayNames(localeOf(language), { type: 'region' });
  const entries = [
    [t('about.name'), [first_name, last_name].filter(Boolean).join(' ')],
    [t('common.country'), country && names.of(country.toUpperCase())],
    [t('common.zipcode'), zipcode],
    // Without `Z` the date is in local time, so that each time zone shows the same day.
    [t('common.birthday'), birthday && formatDate(Date.parse(`${birthday}T12:00`))],
  ];
  return (
    <dl className={styles.list}>
      {entries.map(([name, value]) =>
        value ? (
          <div className={styles.entry} key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ) : null,
      )}
    </dl>
  );
}

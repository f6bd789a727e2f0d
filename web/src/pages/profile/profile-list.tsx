import type { Profile } from '../../api/personal-data';
import { useTimeFormat } from '../../hooks/use-time-format';
import { useTranslation } from '../../i18n/use-translation';
import { localeOf } from '../../languages';
import styles from '../settings/settings.module.css';

/** The personal data of the account. A value that the account lacks is left out. */
export function ProfileList({ profile }: { profile: Profile }) {
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

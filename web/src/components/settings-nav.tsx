import { Link, useLocation } from 'wouter';
import { useTranslation } from '../i18n/use-translation';
import styles from './settings-nav.module.css';

const SECTIONS = [
  { path: '/settings', text: 'settings.nav_account' },
  { path: '/settings/security', text: 'settings.nav_security' },
  { path: '/settings/data', text: 'settings.nav_data' },
] as const;

export function SettingsNav() {
  const { t } = useTranslation();
  const [here] = useLocation();
  return (
    <nav aria-label={t('settings.title')} className={styles.nav}>
      {SECTIONS.map(({ path, text }) => (
        <Link
          aria-current={here === path ? 'page' : undefined}
          className={styles.link}
          key={path}
          to={path}
        >
          {t(text)}
        </Link>
      ))}
    </nav>
  );
}

import { useTranslation } from 'react-i18next';
import { useConfig } from '../config';
import styles from './contact-link.module.css';

/** The way to people who can help, where the region has one. */
export function ContactLink() {
  const { t } = useTranslation();
  const { contact } = useConfig().region.links;
  if (!contact) return null;
  return (
    // A new tab, so that a half-filled form survives the asking.
    <a className={styles.link} href={contact} rel="noopener noreferrer" target="_blank">
      {t('shell.contact')}
    </a>
  );
}

import { useConfig } from '../config';
import { useTranslation } from '../i18n/use-translation';
import styles from './contact-link.module.css';

/** A link to the contact page of the region. Renders nothing if the region has no such page. */
export function ContactLink() {
  const { t } = useTranslation();
  const { contact } = useConfig().region.links;
  if (!contact) return null;
  return (
    // The link opens a new tab, so that a partly filled form is not lost.
    <a className={styles.link} href={contact} rel="noopener noreferrer" target="_blank">
      {t('shell.contact')}
    </a>
  );
}

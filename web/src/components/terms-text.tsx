import type { ReactNode } from 'react';
import { useConfig } from '../config';
import { useTranslation } from '../i18n/use-translation';
import { Interpolated } from './interpolated';
import styles from './terms-text.module.css';

interface TermsTextProps {
  sentence: 'sign_up.terms' | 'sign_up.done_terms' | 'completion.terms';
}

/** A sentence with links to the region's terms of use and privacy policy. */
export function TermsText({ sentence }: TermsTextProps) {
  const { t } = useTranslation();
  const { links } = useConfig().region;
  const parts = {
    terms: linkTo(links.terms, t('common.terms_of_use')),
    privacy: linkTo(links.privacy, t('common.privacy_policy')),
  };
  return (
    <p className={styles.terms}>
      <Interpolated parts={parts} text={t(sentence, { terms: '{terms}', privacy: '{privacy}' })} />
    </p>
  );
}

/** A link that opens a new tab, so that a partly filled form is not lost. Without a URL, returns the plain name. */
function linkTo(address: string | null, name: string): ReactNode {
  if (!address) return name;
  return (
    <a href={address} rel="noopener noreferrer" target="_blank">
      {name}
    </a>
  );
}

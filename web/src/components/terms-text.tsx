import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useConfig } from '../config';
import { Interpolated } from './interpolated';

interface TermsTextProps {
  sentence: 'sign_up.terms' | 'sign_up.done_terms' | 'completion.terms';
}

/** A sentence about the terms of use and the privacy policy, which each region keeps elsewhere. */
export function TermsText({ sentence }: TermsTextProps) {
  const { t } = useTranslation();
  const { links } = useConfig().region;
  const parts = {
    terms: linked(links.terms, t('common.terms_of_use')),
    privacy: linked(links.privacy, t('common.privacy_policy')),
  };
  return (
    <p>
      <Interpolated parts={parts} text={t(sentence, { terms: '{terms}', privacy: '{privacy}' })} />
    </p>
  );
}

/** A new tab, so that a half-filled form survives the reading. */
function linked(address: string | null, name: string): ReactNode {
  if (!address) return name;
  return (
    <a href={address} rel="noopener noreferrer" target="_blank">
      {name}
    </a>
  );
}

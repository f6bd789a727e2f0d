import type { ReactNode } from 'react';
import { useTranslation } from '../i18n/use-translation';
import { Card } from './card';
import { Result } from './result';

interface SpentLinkProps {
  /** The consequence, or the error of the server. One paragraph each. */
  lines: readonly string[];
  /** Links or buttons to continue. */
  children?: ReactNode;
}

/** The screen of a mailed link that was used or replaced or that has expired. Replaces the question or the form. */
export function SpentLink({ lines, children }: SpentLinkProps) {
  const { t } = useTranslation();
  return (
    <Card title={t('common.link_spent')}>
      <Result status="failure">
        {lines.map((line) => (
          <p key={line}>{line}</p>
        ))}
      </Result>
      {children}
    </Card>
  );
}

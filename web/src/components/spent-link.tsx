import { useTranslation } from '../i18n/use-translation';
import { Card } from './card';
import type { Elements } from './elements';
import { Result } from './result';

interface SpentLinkProps {
  /** The paragraphs below the title, for example the error message of the server. */
  lines: readonly string[];
  /** Links or buttons with which the user can continue. */
  children?: Elements;
}

/** The card that a screen shows if its mailed link was used, was replaced or has expired. */
export function SpentLink({ lines, children }: SpentLinkProps) {
  const { t } = useTranslation();
  return (
    <Card title={t('common.link_spent')}>
      <Result status="spent">
        {lines.map((line) => (
          <p key={line}>{line}</p>
        ))}
      </Result>
      {children}
    </Card>
  );
}

import { useTranslation } from 'react-i18next';
import { Button } from '../components/button';
import { Card } from '../components/card';
import { Alert } from '../components/notice';
import { Unreachable } from '../lazy-page';
import { reload } from '../load-page';
import { Mounted } from '../mounted';

/** The last resort: what happened, as far as it can be said, and another try. */
export function ErrorScreen({ failure, onRetry }: { failure: unknown; onRetry: () => void }) {
  const { t } = useTranslation();
  const offline = failure instanceof Unreachable;
  const message = failure instanceof Error && failure.message;
  return (
    <Mounted>
      <Card title={t('shell.error_title')}>
        <Alert offline={offline}>
          <p>{message || t('shell.error_unexpected')}</p>
        </Alert>
        {/* What could not be loaded is not asked for again by a page that has started. */}
        <Button onClick={offline ? reload : onRetry}>{t('common.try_again')}</Button>
      </Card>
    </Mounted>
  );
}

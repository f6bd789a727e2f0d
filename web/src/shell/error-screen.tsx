import { useTranslation } from 'react-i18next';
import { Button } from '../components/button';
import { Card } from '../components/card';
import { Alert } from '../components/notice';
import { Unreachable } from '../lazy-page';

/** The last resort: what happened, as far as it can be said, and another try. */
export function ErrorScreen({ failure, onRetry }: { failure: unknown; onRetry: () => void }) {
  const { t } = useTranslation();
  const message = failure instanceof Error && failure.message;
  return (
    <Card title={t('shell.error_title')}>
      <Alert offline={failure instanceof Unreachable}>
        <p>{message || t('shell.error_unexpected')}</p>
      </Alert>
      <Button onClick={onRetry}>{t('common.try_again')}</Button>
    </Card>
  );
}

import { OutOfDate, Unreachable } from '../api/client';
import { Button } from '../components/button';
import { Card } from '../components/card';
import { Alert } from '../components/notice';
import { useTranslation } from '../i18n/use-translation';
import { reload } from '../loading/load-page';
import { Mounted } from '../loading/mounted';

export function ErrorScreen({ failure, onRetry }: { failure: unknown; onRetry: () => void }) {
  const { t } = useTranslation();
  const offline = failure instanceof Unreachable;
  const isOutOfDate = failure instanceof OutOfDate;
  const message = failure instanceof Error && failure.message;
  return (
    <Mounted>
      <Card title={t('shell.error_title')}>
        <Alert offline={offline}>{message || t('shell.error_unexpected')}</Alert>
        {/* If a script could not be loaded, only a page load requests it again, because `once` keeps the failure. */}
        <Button onClick={offline || isOutOfDate ? reload : onRetry}>
          {t(isOutOfDate ? 'shell.reload' : 'common.try_again')}
        </Button>
      </Card>
    </Mounted>
  );
}

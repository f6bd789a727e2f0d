import { useState } from 'react';
import { isRefusal } from '../../api/client';
import { undoCredential } from '../../api/credential-undo';
import { Button, ButtonLink } from '../../components/button';
import { Card } from '../../components/card';
import { Failure } from '../../components/failure';
import { Result } from '../../components/result';
import { SpentLink } from '../../components/spent-link';
import { useRequest } from '../../forms/use-request';
import { useTranslation } from '../../i18n/use-translation';
import { dropLinkToken, useLinkToken } from '../../use-link-token';

type Decision = 'removed' | 'kept';

/** Takes back an added credential, or a request for a reset of the second factor. Requires a click, because mail scanners open links. */
export default function Undo() {
  const { t } = useTranslation();
  const token = useLinkToken('token');
  const [decision, setDecision] = useState<Decision | null>(null);
  const { busy, failure, send } = useRequest();

  function remove(redeemed: string) {
    send(
      () => undoCredential(redeemed),
      () => {
        dropLinkToken('token');
        setDecision('removed');
      },
    );
  }

  if (decision === 'removed') {
    return (
      <Card key="removed" title={t('undo.removed_title')}>
        <Result status="success">
          <p>{t('answer.credential_removed')}</p>
        </Result>
        <ButtonLink variant="primary" to="/request-password">
          {t('undo.new_password')}
        </ButtonLink>
      </Card>
    );
  }
  if (isRefusal(failure, 'invalid_token')) {
    return (
      <SpentLink lines={[t('undo.expired')]}>
        <ButtonLink variant="primary" to="/request-password">
          {t('undo.new_password')}
        </ButtonLink>
        <ButtonLink to="/">{t('common.go_to_sign_in')}</ButtonLink>
      </SpentLink>
    );
  }
  if (!token) {
    return (
      <SpentLink lines={[t('undo.no_token')]}>
        <ButtonLink to="/">{t('common.go_to_sign_in')}</ButtonLink>
      </SpentLink>
    );
  }
  if (decision === 'kept') {
    return (
      <Card key="kept" title={t('undo.title')}>
        <Result status="success">
          <p>{t('undo.kept')}</p>
        </Result>
        <ButtonLink to="/">{t('common.go_to_sign_in')}</ButtonLink>
      </Card>
    );
  }
  return (
    <Card key="question" lead={t('undo.lead')} title={t('undo.title')}>
      <Failure fallback={t('undo.failed')} reason={failure} />
      <Button busy={busy && t('undo.busy')} variant="danger" onClick={() => remove(token)}>
        {t('undo.remove')}
      </Button>
      <Button disabled={busy} variant="secondary" onClick={() => setDecision('kept')}>
        {t('undo.keep')}
      </Button>
    </Card>
  );
}

import { useState } from 'react';
import { confirmReset } from '../../api/second-factor-reset';
import { Button, ButtonLink } from '../../components/button';
import { Card } from '../../components/card';
import { Failure } from '../../components/failure';
import { Result } from '../../components/result';
import { useRequest } from '../../forms/use-request';
import { useTranslation } from '../../i18n/use-translation';
import { dropLinkToken, useLinkToken } from '../../use-link-token';

/** The end of a reset of the second factor. Requires a click, because mail scanners open links. */
export default function SecondFactorReset() {
  const { t } = useTranslation();
  const token = useLinkToken('token');
  const [done, setDone] = useState(false);
  const { busy, failure, send } = useRequest();

  if (done || !token) {
    return (
      <Card key="end" title={t(done ? 'second_factor.reset_done_title' : 'second_factor.title')}>
        <Result status={done ? 'success' : 'failure'}>
          <p>{t(done ? 'answer.second_factor_off' : 'undo.no_token')}</p>
        </Result>
        <ButtonLink variant={done ? 'primary' : 'secondary'} to="/">
          {t('undo.sign_in')}
        </ButtonLink>
      </Card>
    );
  }

  function turnOff(redeemed: string) {
    send(
      () => confirmReset(redeemed),
      () => {
        dropLinkToken('token');
        setDone(true);
      },
    );
  }
  return (
    <Card key="question" lead={t('second_factor.reset_lead')} title={t('second_factor.off_title')}>
      <Failure fallback={t('second_factor.failed')} reason={failure} />
      <Button
        busy={busy && t('second_factor.turn_off_busy')}
        variant="danger"
        onClick={() => turnOff(token)}
      >
        {t('second_factor.reset_submit')}
      </Button>
      <ButtonLink to="/">{t('undo.sign_in')}</ButtonLink>
    </Card>
  );
}

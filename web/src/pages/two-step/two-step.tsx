import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { isRefusal } from '../../api/client';
import { type NewAuthenticator, newAuthenticator } from '../../api/second-factor';
import { Button } from '../../components/button';
import { Card } from '../../components/card';
import { Failure } from '../../components/failure';
import { Result } from '../../components/result';
import { Waiting } from '../../components/waiting';
import { useTranslation } from '../../i18n/use-translation';
import {
  ReauthenticationCancelled,
  useReauthentication,
} from '../../reauthentication/use-reauthentication';
import { RecoveryCodes } from '../../second-factor/recovery-codes';
import { type Loaded, useLoaded } from '../../use-loaded';
import { useSessionEnd } from '../../use-session-end';
import styles from '../security/security.module.css';
import { SetUp } from './set-up';

const SECURITY = '/settings/security';

/** Sets up an authenticator app, and shows the recovery codes. Redirects to the sign-in without a session. */
export default function TwoStep() {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const { run, dialog } = useReauthentication();
  const ended = useSessionEnd();
  const start = () => run(newAuthenticator);
  // Another function loads another secret.
  const [load, setLoad] = useState(() => start);
  const [restarted, setRestarted] = useState(false);
  const { state } = useLoaded(load, { handled });
  const [codes, setCodes] = useState<readonly string[] | null>(null);

  function handled(reason: unknown): boolean {
    if (!(reason instanceof ReauthenticationCancelled)) return ended(reason);
    navigate(SECURITY, { replace: true });
    return true;
  }

  function restart() {
    setLoad(() => start);
    setRestarted(true);
  }

  if (codes) {
    return (
      <RecoveryCodes
        codes={codes}
        done={t('second_factor.turned_on')}
        onSaved={() => navigate(SECURITY)}
      />
    );
  }
  return (
    <Card title={t('second_factor.setup_title')}>
      <Content onCodes={setCodes} onRestart={restart} restarted={restarted} state={state} />
      {dialog}
      <p className={styles.more}>
        <Link to={SECURITY}>{t('security.title')}</Link>
      </p>
    </Card>
  );
}

interface ContentProps {
  state: Loaded<NewAuthenticator>;
  onCodes: (codes: readonly string[]) => void;
  onRestart: () => void;
  /** Whether the person asked for this secret, and not only opened the screen. */
  restarted: boolean;
}

function Content({ state, onCodes, onRestart, restarted }: ContentProps) {
  const { t } = useTranslation();
  switch (state.kind) {
    case 'loading':
      return <Waiting>{t('common.loading')}</Waiting>;
    case 'loaded':
      return <SetUp authenticator={state.data} onCodes={onCodes} onRestart={onRestart} />;
    case 'failed':
      return isRefusal(state.failure, 'second_factor_enabled') ? (
        <Result status="success">
          <p>{t('error.second_factor_enabled')}</p>
        </Result>
      ) : (
        <>
          <Failure fallback={t('second_factor.failed')} focus={restarted} reason={state.failure} />
          <Button onClick={onRestart}>{t('common.try_again')}</Button>
        </>
      );
  }
}

import { useState } from 'react';
import { useLocation } from 'wouter';
import { isRefusal } from '../../api/client';
import { type NewAuthenticator, newAuthenticator } from '../../api/second-factor';
import { fetchSecurity } from '../../api/security';
import { BackLink } from '../../components/back-link';
import { Card } from '../../components/card';
import { Failure } from '../../components/failure';
import { LoadFailure } from '../../components/load-failure';
import { LoadingIndicator } from '../../components/loading-indicator';
import { Result } from '../../components/result';
import { useConfig } from '../../config';
import { useIdentityProof } from '../../features/reauthentication/use-reauthenticated-request';
import { ReauthenticationCancelled } from '../../features/reauthentication/use-reauthentication';
import { RecoveryCodes } from '../../features/second-factor/recovery-codes';
import { useClientValue } from '../../hooks/use-client-value';
import { type Loaded, useLoaded } from '../../hooks/use-loaded';
import { useTranslation } from '../../i18n/use-translation';
import { loadPage } from '../../loading/load-page';
import { SetUp, type SetUpProps } from './set-up';

const SECURITY = '/settings/security';

/** The screen that sets up an authenticator app and shows the recovery codes. Needs a session. */
export default function TwoStep() {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const proof = useIdentityProof();
  // The screen names the application, because the application may require the second factor for its sign-in.
  const { signed_in_home, signing_in_to: name } = useConfig();
  // The name is a client value, because the prerendered page does not contain the name of the application.
  const shownName = useClientValue(() => name ?? '', '');
  const continueSignIn = () =>
    name ? loadPage(signed_in_home) : navigate(SECURITY, { replace: true });
  async function start(resume: boolean): Promise<NewAuthenticator> {
    if (name && (await proveWithPasskey(proof))) {
      continueSignIn();
      return neverResolved();
    }
    return proof.run(() => newAuthenticator(resume));
  }
  // A reload of the page shows the same secret, which the app may know. A new load function loads another secret.
  const [load, setLoad] = useState(() => () => start(true));
  const [isRestarted, setIsRestarted] = useState(false);
  const { state, reloading, reload } = useLoaded(load, { onFailure });
  const [codes, setCodes] = useState<readonly string[] | null>(null);

  function onFailure(reason: unknown): boolean {
    // The user has proved the second factor in the dialog.
    if (name && isRefusal(reason, 'second_factor_enabled')) {
      continueSignIn();
      return true;
    }
    if (reason instanceof ReauthenticationCancelled) navigate(SECURITY, { replace: true });
    return proof.onFailure(reason);
  }

  function restart() {
    // The focus moves to the heading, because the focused button will be removed from the page.
    document.querySelector<HTMLElement>('main h1')?.focus();
    setLoad(() => () => start(false));
    setIsRestarted(true);
  }

  function loadAgain() {
    setIsRestarted(true);
    reload();
  }

  if (codes) {
    return (
      <RecoveryCodes codes={codes} done={t('second_factor.turned_on')} onSaved={continueSignIn} />
    );
  }
  return (
    <Card
      lead={shownName && t('second_factor.asked_by', { name: shownName })}
      title={t('second_factor.setup_title')}
    >
      <Content
        onCodes={setCodes}
        onReload={loadAgain}
        onRestart={restart}
        reloading={reloading}
        restarted={isRestarted}
        proof={proof}
        state={state}
      />
      {proof.dialog}
      <BackLink divided to={SECURITY}>
        {t('security.back')}
      </BackLink>
    </Card>
  );
}

/** A promise that never resolves, because a page that the user leaves loads nothing more. */
const neverResolved = () => new Promise<never>(() => undefined);

/** Requests a passkey if the account has a passkey but no authenticator app. Returns whether the passkey was used. */
async function proveWithPasskey({ prove }: SetUpProps['proof']) {
  const { second_factor, passkeys } = await fetchSecurity();
  if (second_factor || passkeys === 0) return false;
  try {
    await prove(['passkey']);
    return true;
  } catch (reason) {
    if (reason instanceof ReauthenticationCancelled) return false;
    throw reason;
  }
}

interface ContentProps extends Omit<SetUpProps, 'authenticator'> {
  state: Loaded<NewAuthenticator>;
  reloading: boolean;
  onReload: () => void;
  /** Whether the user started the load, in contrast to the load that opens the screen. */
  restarted: boolean;
}

function Content(props: ContentProps) {
  const { state, reloading, onReload, restarted, ...setUp } = props;
  const { t } = useTranslation();
  switch (state.kind) {
    case 'loading':
      return <LoadingIndicator>{t('common.loading')}</LoadingIndicator>;
    case 'loaded':
      return <SetUp {...setUp} authenticator={state.data} />;
    case 'failed':
      return isRefusal(state.failure, 'second_factor_enabled') ? (
        <Result status="success">{t('error.second_factor_enabled')}</Result>
      ) : (
        <LoadFailure onReload={onReload} reloading={reloading} variant="primary">
          <Failure fallback={t('second_factor.failed')} focus={restarted} reason={state.failure} />
        </LoadFailure>
      );
  }
}

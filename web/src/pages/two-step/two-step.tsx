import { useState } from 'react';
import { useLocation } from 'wouter';
import { isRefusal } from '../../api/client';
import { type NewAuthenticator, newAuthenticator } from '../../api/second-factor';
import { fetchSecurity } from '../../api/security';
import { BackLink } from '../../components/back-link';
import { Card } from '../../components/card';
import { Failure } from '../../components/failure';
import { LoadFailure, type Loading } from '../../components/load-failure';
import { LoadingIndicator } from '../../components/loading-indicator';
import { Result } from '../../components/result';
import { useConfig } from '../../config';
import { useIdentityProof } from '../../features/reauthentication/use-identity-proof';
import { ReauthenticationCancelled } from '../../features/reauthentication/use-reauthentication';
import { RecoveryCodes } from '../../features/second-factor/recovery-codes';
import { useClientValue } from '../../hooks/use-client-value';
import { useLoaded } from '../../hooks/use-loaded';
import { useTranslation } from '../../i18n/use-translation';
import { loadPage } from '../../loading/load-page';
import { SetUp, type SetUpProps } from './set-up';

const SECURITY = '/settings/security';

/** The screen that sets up an authenticator app and then shows the recovery codes. Requires a session. */
export default function TwoStep() {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const proof = useIdentityProof();
  // The name of the application to which the user signs in, if that application requires a second factor.
  const { signed_in_home, signing_in_to: name } = useConfig();
  // The prerendered page does not contain the name.
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
  // A page reload resumes with the same secret, which the app may have. A restart creates a new secret.
  const [load, setLoad] = useState(() => () => start(true));
  const [isRestarted, setIsRestarted] = useState(false);
  const { state, reloading, reload } = useLoaded(load, { onFailure });
  const [codes, setCodes] = useState<readonly string[] | null>(null);

  function onFailure(reason: unknown): boolean {
    // The account has an authenticator app, and the user has just entered its code in the dialog.
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
        reload={loadAgain}
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

/** A promise that never resolves, because the user leaves the page. */
const neverResolved = () => new Promise<never>(() => undefined);

/** If the account has a passkey but no authenticator app, asks for the passkey. Returns whether the user confirmed. */
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

interface ContentProps extends Omit<SetUpProps, 'authenticator'>, Loading<NewAuthenticator> {
  /** Whether the user has requested a new secret. False for the first load of the screen. */
  restarted: boolean;
}

function Content(props: ContentProps) {
  const { state, reloading, reload, restarted, ...setUp } = props;
  const { t } = useTranslation();
  switch (state.kind) {
    case 'loading':
      return <LoadingIndicator>{t('common.loading')}</LoadingIndicator>;
    case 'loaded':
      return <SetUp {...setUp} authenticator={state.data} />;
    case 'failed':
      return isRefusal(state.failure, 'second_factor_enabled') ? (
        <Result status="success">
          <p>{t('error.second_factor_enabled')}</p>
          <p>{t('second_factor.codes_unsaved')}</p>
        </Result>
      ) : (
        <LoadFailure reload={reload} reloading={reloading}>
          <Failure fallback={t('second_factor.failed')} focus={restarted} reason={state.failure} />
        </LoadFailure>
      );
  }
}

import { useEffect, useMemo } from 'react';
import { Button } from '../../components/button';
import { useConfig } from '../../config';
import { hasPasskeys } from '../../features/passkeys/browser';
import { useRequest } from '../../forms/use-request';
import { useClientValue } from '../../hooks/use-client-value';
import { useTranslation } from '../../i18n/use-translation';
import { loadScript } from '../../loading/lazy-page';
import type { PasskeySignIn } from './passkey-sign-in';
import styles from './sign-in.module.css';

const importPasskeySignIn = () => import('./passkey-sign-in');

interface PasskeyButtonProps {
  onSuccess: () => void;
  /** Handles a failure. The button is busy until the function has finished. */
  onFailure: (reason: unknown) => unknown;
  /** Called when the button is pressed. */
  onStart: () => void;
  /** Called if the user has closed the WebAuthn dialog of the browser. */
  onCancelled: () => void;
  /** Whether another request is in progress, so that no passkey is requested in the autofill. */
  inactive: boolean;
}

/** Signs in with a passkey, by the button or by autofill. The script is loaded once the form is interactive. */
export function PasskeyButton(props: PasskeyButtonProps) {
  const { onSuccess, onFailure, onStart, onCancelled, inactive } = props;
  const { t } = useTranslation();
  const { passkeys } = useConfig();
  // The prerendered page always contains the button, which the server hides on a site without passkeys.
  const wanted = useClientValue(() => passkeys.enabled && hasPasskeys(), true);
  const loadSignIn = useMemo(
    () => passkeySignInLoader(onSuccess, onFailure, onCancelled),
    [onSuccess, onFailure, onCancelled],
  );
  const { busy, send } = useRequest(async (reason) => {
    await onFailure(reason);
    return true;
  });

  useEffect(() => {
    if (!wanted || inactive) return;
    let signIn: PasskeySignIn | undefined;
    let current = true;
    loadSignIn(importPasskeySignIn).then(
      (loaded) => {
        signIn = loaded;
        if (current) loaded.waitInAutofill();
      },
      // A failure is ignored, because the user can sign in with the password.
      () => undefined,
    );
    return () => {
      current = false;
      signIn?.abort();
    };
  }, [wanted, inactive, loadSignIn]);

  if (!wanted) return null;
  return (
    <div className={styles.passkey} data-passkeys="">
      <Button
        busy={busy && t('sign_in.passkey_busy')}
        disabled={inactive}
        variant="secondary"
        onClick={() => {
          onStart();
          send(
            async () => (await loadSignIn(loadForUser)).request(),
            () => undefined,
          );
        }}
      >
        {t('sign_in.passkey')}
      </Button>
    </div>
  );
}

/** Loads the script for a user who waits for it, so that a missing script reloads the page. */
const loadForUser = () => loadScript(importPasskeySignIn);

/** Returns a function that loads the script with `load` and creates the sign-in once. */
function passkeySignInLoader(...callbacks: ConstructorParameters<typeof PasskeySignIn>) {
  let signIn: PasskeySignIn | undefined;
  return async (load: typeof importPasskeySignIn) => {
    const { PasskeySignIn } = await load();
    signIn ??= new PasskeySignIn(...callbacks);
    return signIn;
  };
}

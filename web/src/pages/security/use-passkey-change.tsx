import { useState } from 'react';
import type { Passkey } from '../../api/passkey-list';
import { addPasskey, newPasskeyOptions } from '../../api/passkeys';
import { Failure } from '../../components/failure';
import { Status } from '../../components/notice';
import { PasskeyCancelled } from '../../features/passkeys/browser';
import { useIdentityProof } from '../../features/reauthentication/use-identity-proof';
import { useRequest } from '../../forms/use-request';
import { useTranslation } from '../../i18n/use-translation';
import { loadScript } from '../../loading/lazy-page';

/** The script is loaded on demand, because most visitors of the screen add no passkey. */
const importWebauthn = () => import('../../features/passkeys/webauthn');

/**
 * Adds or changes passkeys. The caller renders `message`, which reports a failure, and `dialog`, which asks for
 * reauthentication.
 */
export function usePasskeyChange() {
  const { run, onFailure, dialog } = useIdentityProof();
  const { t } = useTranslation();
  // Whether the last attempt ended without a passkey, because the user or the browser has cancelled it.
  const [isCancelled, setIsCancelled] = useState(false);
  const { busy, failure, ...request } = useRequest((reason) => {
    const cancelled = reason instanceof PasskeyCancelled;
    setIsCancelled(cancelled);
    return cancelled || onFailure(reason);
  });

  function forget() {
    setIsCancelled(false);
    request.forget();
  }

  function add(onAdded: (added: Passkey) => void) {
    forget();
    request.send(async () => {
      const options = await run(newPasskeyOptions);
      const { createPasskey } = await loadScript(importWebauthn);
      // `run` again, because the reauthentication may have expired while the user created the passkey.
      return createPasskey(options, (created) => run(() => addPasskey(created)));
    }, onAdded);
  }

  const message = isCancelled ? (
    <Status neutral>{t('security.passkey_cancelled')}</Status>
  ) : (
    <Failure fallback={t('security.passkey_failed')} reason={failure} />
  );
  return { busy, send: request.send, forget, run, dialog, add, message };
}

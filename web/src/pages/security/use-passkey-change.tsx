import { useState } from 'react';
import type { Passkey } from '../../api/passkey-list';
import { addPasskey, newPasskeyOptions } from '../../api/passkeys';
import { Failure } from '../../components/failure';
import { Status } from '../../components/notice';
import { PasskeyCancelled } from '../../features/passkeys/browser';
import { useIdentityProof } from '../../features/reauthentication/use-reauthenticated-request';
import { useRequest } from '../../forms/use-request';
import { useTranslation } from '../../i18n/use-translation';
import { loadScript } from '../../loading/lazy-page';

/** Imports the script that creates passkeys on demand, because most visits of the screen add no passkey. */
const importWebauthn = () => import('../../features/passkeys/webauthn');

/**
 * A change of the passkeys, the message if nothing was changed, and the dialog that requests another proof of identity
 * before the change.
 */
export function usePasskeyChange() {
  const { run, onFailure, dialog } = useIdentityProof();
  const { t } = useTranslation();
  // Whether the browser has refused to create a passkey, or the user has closed the dialog of the browser.
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
      // The proof of identity may have become too old or too weak during the ceremony.
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

import type { Passkey } from '../../api/passkey-list';
import { addPasskey, newPasskeyOptions } from '../../api/passkeys';
import { PasskeyCancelled } from '../../features/passkeys/browser';
import {
  ReauthenticationCancelled,
  useReauthentication,
} from '../../features/reauthentication/use-reauthentication';
import { useRequest } from '../../forms/use-request';
import { useSessionEnd } from '../../hooks/use-session-end';
import { loadScript } from '../../loading/lazy-page';

/** Imports the script that creates passkeys on demand, because most visits of the screen add no passkey. */
const importWebauthn = () => import('../../features/passkeys/webauthn');

/** Whether a failure of a ceremony needs no message, because the user has closed a dialog. */
const isCancelled = (reason: unknown): boolean =>
  reason instanceof ReauthenticationCancelled || reason instanceof PasskeyCancelled;

/** A change of the passkeys, and the dialog that requests another proof of identity before the change. */
export function usePasskeyChange() {
  const ended = useSessionEnd();
  const { run, dialog } = useReauthentication();
  const request = useRequest((reason) => isCancelled(reason) || ended(reason));

  const add = (onAdded: (added: Passkey) => void) =>
    request.send(async () => {
      const options = await run(newPasskeyOptions);
      const { createPasskey } = await loadScript(importWebauthn);
      // The proof of identity may have become too old or too weak during the ceremony.
      return createPasskey(options, (created) => run(() => addPasskey(created)));
    }, onAdded);

  return { ...request, run, dialog, add };
}

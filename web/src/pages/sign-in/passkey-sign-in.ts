import { isRefusal } from '../../api/client';
import { logFailure } from '../../api/message';
import { passkeySignInOptions, signInWithPasskey } from '../../api/passkey-sign-in';
import { PasskeyCancelled } from '../../features/passkeys/browser';
import {
  type Ceremony,
  hasPasskeyAutofill,
  requestPasskey,
  signalUnknownPasskey,
} from '../../features/passkeys/webauthn';

/** The autofill requests a new challenge after this fraction of the lifetime of its challenge. */
const RENEWAL_LIFETIME_FRACTION = 0.9;

/** Signs in with a passkey, by autofill or by the WebAuthn dialog. The browser allows only one open request. */
export class PasskeySignIn {
  private open: AbortController | null = null;
  private renewal: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly onSuccess: () => void,
    private readonly onFailure: (reason: unknown) => unknown,
    /** Called if the user has closed the WebAuthn dialog of the browser. */
    private readonly onCancelled: () => void,
  ) {}

  /** Offers passkeys in the autofill of the email field until `abort` is called. */
  async waitInAutofill(): Promise<void> {
    const { signal } = this.begin();
    try {
      if (!(await hasPasskeyAutofill()) || signal.aborted) return;
      const ceremony = await passkeySignInOptions();
      if (signal.aborted) return;
      this.renewal = setTimeout(
        () => this.waitInAutofill(),
        RENEWAL_LIFETIME_FRACTION * timeoutOf(ceremony),
      );
      await this.finish(ceremony, { mediation: 'conditional', signal });
    } catch (reason) {
      // The failure is only logged, because the user has not requested anything yet.
      if (!(reason instanceof PasskeyCancelled)) logFailure(reason);
    }
  }

  /** Requests a passkey in the WebAuthn dialog of the browser. */
  async request(): Promise<void> {
    const { signal } = this.begin();
    try {
      await this.finish(await passkeySignInOptions(), { signal });
    } catch (reason) {
      if (signal.aborted) return;
      if (reason instanceof PasskeyCancelled) this.onCancelled();
      else await this.onFailure(reason);
      if (!signal.aborted) this.waitInAutofill();
    }
  }

  /** Aborts the open request of the autofill or the dialog. */
  abort(): void {
    clearTimeout(this.renewal);
    this.open?.abort();
    this.open = null;
  }

  private begin(): AbortController {
    this.abort();
    this.open = new AbortController();
    return this.open;
  }

  private async finish(
    ceremony: Ceremony,
    options: { mediation?: CredentialMediationRequirement; signal: AbortSignal },
  ): Promise<void> {
    const answer = await requestPasskey(ceremony, options);
    clearTimeout(this.renewal);
    try {
      await signInWithPasskey(answer);
    } catch (reason) {
      if (isRefusal(reason, 'passkey_unknown')) {
        const { rpId } = ceremony.publicKey as { rpId: string };
        await signalUnknownPasskey(rpId, String(answer.credential.id));
      }
      await this.onFailure(reason);
      if (!options.signal.aborted) this.waitInAutofill();
      return;
    }
    this.onSuccess();
  }
}

function timeoutOf({ publicKey }: Ceremony): number {
  return (publicKey as { timeout?: number }).timeout ?? 60_000;
}

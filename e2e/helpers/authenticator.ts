import type { BrowserContext, CDPSession, Page } from '@playwright/test';

interface Kind {
  transport: 'internal' | 'usb';
  synced: boolean;
}

/** Adds a virtual authenticator of Chromium that verifies the user and responds at once. */
export async function addAuthenticator(
  page: Page,
  { transport, synced }: Kind,
): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
      defaultBackupEligibility: synced,
      defaultBackupState: synced,
    },
  });
  return session;
}

/** Disables the autofill, because a virtual authenticator would respond to it at once. The button remains. */
export async function withoutAutofill(page: Page | BrowserContext): Promise<void> {
  await page.addInitScript(() => {
    if ('PublicKeyCredential' in window) {
      PublicKeyCredential.isConditionalMediationAvailable = async () => false;
    }
  });
}

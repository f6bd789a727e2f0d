/** What a mailed link has done: it has verified an email address, or it has approved a device. */
type Verification = 'email-verified' | 'device-approved';

/**
 * Tells the other tabs of this browser that a mailed link was used. Calls `onEmail` with the email address that another
 * tab shows, because the tab of the link does not know it. Returns a function that stops listening.
 */
export function signalVerification(
  verification: Verification,
  onEmail: (email: string) => void,
): () => void {
  const channel = new BroadcastChannel(verification);
  channel.onmessage = ({ data }) => {
    if (data !== null) onEmail(data);
  };
  channel.postMessage(null);
  return () => channel.close();
}

/**
 * Calls `listener` when a mailed link was used in another tab, and sends `email` to that tab. Returns a function that
 * stops listening.
 */
export function onVerification(
  verification: Verification,
  email: string,
  listener: () => void,
): () => void {
  const channel = new BroadcastChannel(verification);
  channel.onmessage = ({ data }) => {
    if (data !== null) return;
    channel.postMessage(email);
    listener();
  };
  return () => channel.close();
}

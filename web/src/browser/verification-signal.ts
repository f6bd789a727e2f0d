const openChannel = () => new BroadcastChannel('email-verified');

/**
 * Tells the other tabs of this browser that an email address was verified. Calls `onEmail` with the address if the
 * screen of the registration is open in another tab. Returns a function that ends the wait for it.
 */
export function signalVerification(onEmail: (email: string) => void): () => void {
  const channel = openChannel();
  channel.onmessage = ({ data }) => {
    if (data !== null) onEmail(data);
  };
  channel.postMessage(null);
  return () => channel.close();
}

/**
 * Calls `listener` when another tab has verified an email address, and tells that tab the address of the registration.
 * Returns a function that ends this.
 */
export function onVerification(email: string, listener: () => void): () => void {
  const channel = openChannel();
  channel.onmessage = ({ data }) => {
    if (data !== null) return;
    channel.postMessage(email);
    listener();
  };
  return () => channel.close();
}

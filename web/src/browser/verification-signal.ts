const openChannel = () => new BroadcastChannel('email-verified');

/**
 * Tells the other tabs of this browser that an email address was verified. Calls `onEmail` with the email address of a
 * registration that another tab shows. Returns a function that stops listening.
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
 * Calls `listener` when another tab has verified an email address, and sends `email` to that tab. Returns a function
 * that stops listening.
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

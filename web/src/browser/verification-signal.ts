const openChannel = () => new BroadcastChannel('email-verified');

/** Tells the other tabs of this browser that an email address was verified. */
export function signalVerification(): void {
  const channel = openChannel();
  channel.postMessage(null);
  channel.close();
}

/** Calls `listener` when another tab has verified an email address. Returns a function that ends this. */
export function onVerification(listener: () => void): () => void {
  const channel = openChannel();
  channel.onmessage = listener;
  return () => channel.close();
}

/** Milliseconds after which the entry script is requested again, and for which the page waits for the first paint. */
const RETRY_DELAY_MS = 1000;

/** Resolves when the document is parsed and painted, because on a phone the scripts run longer than the paint takes. */
export async function afterFirstPaint(): Promise<void> {
  const parsed = new Promise((resolve) => addEventListener('DOMContentLoaded', resolve));
  const painted = new Promise<unknown>((resolve) => {
    new PerformanceObserver(resolve).observe({ type: 'paint', buffered: true });
    // The page does not wait for a paint in a hidden tab, because a hidden tab is not painted.
    if (document.hidden) resolve(undefined);
    addEventListener('visibilitychange', resolve, true);
    setTimeout(resolve, RETRY_DELAY_MS);
  });
  await Promise.all([parsed, painted]);
}

/** Loads a script, and retries once after a pause, because short network failures are common on phones. */
export async function loadWithRetry(load: () => Promise<unknown>): Promise<void> {
  try {
    await load();
  } catch {
    await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
    await load();
  }
}

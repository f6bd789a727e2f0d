/** The wait before the second request for the entry script, and the longest wait for the first paint. */
const RETRY_DELAY_MS = 1000;

/** Resolves when the document is parsed and painted, because the scripts would delay the first paint on a phone. */
export async function afterFirstPaint(): Promise<void> {
  const parsed = new Promise((resolve) => addEventListener('DOMContentLoaded', resolve));
  const painted = new Promise<unknown>((resolve) => {
    new PerformanceObserver(resolve).observe({ type: 'paint', buffered: true });
    // A hidden tab is never painted, so there is no paint to wait for.
    if (document.hidden) resolve(undefined);
    addEventListener('visibilitychange', resolve, true);
    setTimeout(resolve, RETRY_DELAY_MS);
  });
  await parsed;
  await painted;
}

/** Loads a script. Retries once after a pause, because short network failures are common on phones. */
export async function loadWithRetry(load: () => Promise<unknown>): Promise<void> {
  try {
    await load();
  } catch {
    await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
    await load();
  }
}

import { test } from '@playwright/test';

/**
 * Runs the body for each item, as a step of the test. A failed step does not stop the following steps. At the end the
 * test fails with the messages of all failed steps.
 */
export async function eachStep<Item>(
  items: Iterable<Item>,
  titleOf: (item: Item) => string,
  body: (item: Item) => Promise<void>,
): Promise<void> {
  const failures: string[] = [];
  for (const item of items) {
    const title = titleOf(item);
    try {
      await test.step(title, () => body(item));
    } catch (failure) {
      failures.push(`${title}: ${failure instanceof Error ? failure.message : failure}`);
    }
  }
  if (failures.length > 0) throw new Error(failures.join('\n\n'));
}

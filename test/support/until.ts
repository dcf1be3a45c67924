import { setTimeout as wait } from 'node:timers/promises';

/**
 * Waits until a condition holds; one that cannot be asked yet (a file that is not there) does not hold. The limit only
 * ends tests that hang.
 */
export async function until(condition: () => Promise<boolean>, limitMs = 300_000): Promise<void> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    if (await condition().catch(() => false)) return;
    if (Date.now() > deadline) throw new Error(`it did not come true within ${limitMs / 1000} s: ${condition}`);
    await wait(50);
  }
}

/** Between two looks at something that is bound to happen. */
const LOOK_EVERY_MS = 50;

/** Waits until `check` no longer throws; after `timeoutMs` its last error is the test's. */
export async function eventually<T>(
  check: () => Promise<T> | T,
  timeoutMs = 30_000,
  everyMs = LOOK_EVERY_MS,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  }
}

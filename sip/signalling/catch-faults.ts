/**
 * Runs code that is not ours to trust here: a listener of the service's, or the library's reading of a frame. What it
 * throws is told as a fault and goes no further, for it would be thrown out of a socket's event and end the process.
 * @returns undefined where it threw.
 */
export function catchFaults<T>(onFault: (error: unknown) => void, action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    onFault(error);
    return undefined;
  }
}

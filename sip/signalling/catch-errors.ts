/**
 * Runs code that may throw: a listener of the service, or the library's parsing of a frame. A thrown error is reported
 * as a fault. Uncaught, it would leave a socket's event and end the process.
 * @returns undefined where it threw.
 */
export function catchErrors<T>(onFault: (error: unknown) => void, action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    onFault(error);
    return undefined;
  }
}

/**
 * Runs code that may throw (a listener of the service, the library's parser), and reports its errors to `onFault`. An
 * uncaught error in a socket event would end the process.
 * @returns undefined after an error.
 */
export function catchErrors<T>(onFault: (error: unknown) => void, action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    onFault(error);
    return undefined;
  }
}

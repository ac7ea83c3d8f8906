/** The error of a start, with which setting to change, for the person who reads it in the terminal. */
export function withRemedy(error: unknown, remedy: string): Error {
  const reason = error instanceof Error ? error.message : String(error);
  return new Error(`${reason}. ${remedy}`, { cause: error });
}

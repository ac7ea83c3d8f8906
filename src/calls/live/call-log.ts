/** The log of one call: every line has its id, and API keys and numbers are masked. */
export interface CallLog {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string, error?: unknown): void;
  error(message: string, error?: unknown): void;
}

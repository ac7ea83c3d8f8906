/** A source of time that a caller hands in, so that a test can move it. */
export interface Clock {
  /** Monotonic time in whole microseconds. Its origin is the clock's own: a call's clock begins at 0. */
  nowUs(): number;
  /** Wall-clock time in ms since 1970, for time stamps that people see. */
  wallMs(): number;
  /** Calls back once after `delayMs`. The function returned cancels the timer. */
  after(delayMs: number, callback: () => void): () => void;
}

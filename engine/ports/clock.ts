/** Time for the shell. `nowUs` is monotonic, in whole microseconds since the call began. */
export interface Clock {
  nowUs(): number;
  /** Wall-clock time in ms since 1970, for time stamps that leave the engine. */
  wallMs(): number;
  /** Calls back once after `delayMs`; the function returned takes it back. */
  after(delayMs: number, callback: () => void): () => void;
}

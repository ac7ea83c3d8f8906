/**
 * Time for the tape's adapters: calls back once, `delayMs` from now and never from inside the call; the function
 * answered takes it back. `Clock.after` is one, simulated or real.
 */
export type After = (delayMs: number, callback: () => void) => () => void;

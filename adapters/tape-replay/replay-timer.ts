/**
 * Timer of the tape's adapters: calls back once after `delayMs`, never synchronously. The returned function cancels
 * it. `Clock.after` implements it, simulated or real.
 */
export type ReplayTimer = (delayMs: number, callback: () => void) => () => void;

/**
 * What limits the calls of a process, each as a share of its limit: while it is above 1, new calls are refused.
 *
 * - `event_loop`: delay of the main thread
 * - `media`: lateness of packets and load of the media worker that would get the next call
 * - `database`: waiting requests
 */
export type LoadReading = Readonly<Record<'event_loop' | 'media' | 'database', number>>;

/** `open`: calls are taken. `limited`: only so many that the load follows. `closed`: none. */
export type OverloadPhase = 'open' | 'limited' | 'closed';

export interface OverloadState {
  readonly phase: OverloadPhase;
  /** Readings in a row without load. */
  readonly calmReadings: number;
  /** Whether the last reading was above a limit. */
  readonly isLate: boolean;
  /** Live calls from which on further ones are refused. */
  readonly callsMax: number;
}

/** Readings are taken at this interval, ms: media workers report their load each second. */
export const READING_MS = 1_000;
/** Share of a limit above which one reading closes a process. One below it may be a pause of the machine, so it takes two in a row. */
const CLOSING_SHARE = 2;
/** Share of a limit below which a reading is calm. A call that is refused above the limit leaves room before the next one is taken. */
const CALM_SHARE = 0.7;
/** Calm readings in a row before a closed process takes calls again: the load of calls that have just begun is measured by then. */
export const CALM_READINGS_TO_REOPEN = 3;
/** Calm readings in a row before it takes any number of calls again. */
export const CALM_READINGS_TO_OPEN = 10;
/** Growth of the live calls from one reading to the next while a process is `limited`. */
const GROWTH_SHARE = 0.05;

export const OPEN: OverloadState = {
  phase: 'open',
  calmReadings: 0,
  isLate: false,
  callsMax: Number.POSITIVE_INFINITY,
};

/**
 * The state after a reading. A share of the limit between `CALM_SHARE` and 1 lets the calls grow the less, the nearer it is to 1. From
 * it on calls are taken in the place of ended ones, and none after a second reading above it.
 */
export function nextOverload(state: OverloadState, reading: LoadReading, liveCalls: number): OverloadState {
  const share = Math.max(...Object.values(reading));
  const isLate = !(share <= 1);
  if (isLate && (state.isLate || !(share <= CLOSING_SHARE)))
    return { phase: 'closed', calmReadings: 0, isLate, callsMax: 0 };
  const calmReadings = share < CALM_SHARE ? state.calmReadings + 1 : 0;
  if (state.phase === 'closed' && calmReadings < CALM_READINGS_TO_REOPEN) return { ...state, calmReadings, isLate };
  if (calmReadings >= CALM_READINGS_TO_OPEN || (state.phase === 'open' && calmReadings > 0))
    return { ...OPEN, calmReadings };
  const room = Math.min(1, (1 - share) / (1 - CALM_SHARE));
  // Below the limit one more call, however few there are.
  const growth = share < 1 ? Math.max(1, Math.floor(liveCalls * GROWTH_SHARE * room)) : 0;
  // A process without calls is not late because of them.
  return { phase: 'limited', calmReadings, isLate, callsMax: Math.max(1, liveCalls + growth) };
}

/** Seconds after which a refused caller may try again; null: a further call is taken. */
export function retryAfterSeconds({ phase, calmReadings, callsMax }: OverloadState, liveCalls: number): number | null {
  if (phase === 'closed') return ((CALM_READINGS_TO_REOPEN - calmReadings) * READING_MS) / 1_000 + 1;
  return liveCalls < callsMax ? null : (2 * READING_MS) / 1_000;
}
